import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import { DEPUTY } from "../../core/model/permissions.ts";
import type { Database, Query, Row } from "../../postgres/database.ts";
import { type Caller, principalKey } from "../plan/context.ts";
import { groupBy } from "../util/group-by.ts";
import { readSecret, TextSeal } from "../util/text-seal.ts";
import type { ChangeAudience, Lines } from "./change-audience.ts";
import { type WaitingPage, WaitingPages } from "./waiting-pages.ts";

const POLL_MS = 400;
/** Maximum time between a write and its commit for the write to be noticed; ids are assigned at the write. */
const MAX_COMMIT_MS = 10_000;
const MAX_LINES = 5_000;

/**
 * Lines before its start that a server reads, so that it knows the places of pages that waited at another server or before a
 * restart. Without them, each page would read everything again, all at once.
 */
const EARLIER_LINES = 4_000;
/** Those of them that a line which is still being written may precede. */
const UNSETTLED_LINES = 200;

/** Maximum number of gaps in a place, and maximum length of its token before it is sealed. */
const MAX_GAPS = 8;
const TOKEN_LENGTH = 100;

/** Characters before the place in a token, by which the roles of its person are recognised. */
const ROLES_LENGTH = 16;

/** The entities whose records decide the roles that people have everywhere. */
const ROLE_SOURCES: readonly string[] = ["User", DEPUTY];

/**
 * A place in the history, which means the same to every server: all lines up to `last` were seen, except for those in the
 * gaps, which were not committed yet or never will be.
 */
export interface HistoryPlace {
  readonly last: number;
  readonly gaps: readonly (readonly [from: number, to: number])[];
}

interface Line {
  readonly id: number;
  readonly entity: string;
}

/** The answer to a waiting page. */
export interface FeedAnswer {
  /** Entities of changed records that its person sees; null if anything could have changed, also the person’s roles. */
  readonly entities: ReadonlySet<string> | null;
  /** The place up to which that was judged. */
  readonly place: HistoryPlace;
}

/**
 * Polls the audit table for new lines from all servers, but only while a page waits, and judges them for all waiting pages
 * at once: only those whose person sees a changed record, or has other roles now, are woken.
 */
export class Changes {
  readonly #database: Database;
  readonly #version: number;
  readonly #audience: ChangeAudience;
  #begun: Promise<TextSeal> | undefined;
  #place: HistoryPlace = { last: 0, gaps: [] };
  /** The place up to which the lines were judged for the waiting pages. */
  #judged = this.#place;
  /** The newest lines, in the order in which they were seen; complete after the id `#from`. */
  #lines: Line[] = [];
  #from = 0;
  /** When each line after `#settled` was seen. */
  readonly #seen = new Map<number, number>();
  #settled = 0;
  /** The lines after each place, until there are more of them. */
  readonly #linesSince = new Map<string, Lines>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #polledAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new WaitingPages();
  readonly #afterPoll: (() => void)[] = [];
  #released = false;

  /** `version`: of the document. Under another one, everything may look different, so its places are unknown. */
  constructor(database: Database, version: number, audience: ChangeAudience) {
    this.#database = database;
    this.#version = version;
    this.#audience = audience;
  }

  /** The newest place. */
  async place(): Promise<HistoryPlace> {
    await this.#begin();
    return this.#place;
  }

  /** A token for a place. It is encrypted, so that it does not disclose the number of changes. */
  async seal(place: HistoryPlace, principal: Principal): Promise<string> {
    return (await this.#begin()).seal(`${identifyRoles(principal)}${writePlace(place)}`);
  }

  /**
   * The place of a token, from this server or another of the same version; null for any other text. With other roles,
   * everything may look different, as under another version.
   */
  async open(token: string, principal: Principal): Promise<HistoryPlace | null> {
    const text = (await this.#begin()).open(token);
    return text?.startsWith(identifyRoles(principal)) === true ? parsePlace(text.slice(ROLES_LENGTH)) : null;
  }

  /**
   * Waits until a record that the caller sees, or the caller’s own roles have changed after a place. Without such a change,
   * it answers with no entities after the timeout, an abort or `release`.
   */
  async follow(from: HistoryPlace, caller: Caller, milliseconds: number, signal: AbortSignal): Promise<FeedAnswer> {
    const until = performance.now() + milliseconds;
    // Another server may have been further.
    while (from.last > this.#place.last) {
      if (this.#released || signal.aborted || performance.now() > until) return { entities: new Set(), place: from };
      await this.#nextPoll();
    }
    // The page waits before it looks back, so that each line is judged once: here, or after a poll.
    const page = this.#waiting.add(caller, until - performance.now(), signal);
    if (this.#released) page.end();
    try {
      this.#schedulePoll();
      const place = this.#place;
      const lines = this.#since(from);
      if (lines === null || (await this.#findOutdated(lines, [page])).length > 0) return { entities: null, place };
      const entities = await this.#audience.findSeen(lines, caller);
      if (entities.size > 0) return { entities, place };
      await page.over;
      return {
        entities: page.isOutdated ? null : page.noticed,
        place: this.#judged.last > place.last ? this.#judged : place,
      };
    } finally {
      this.#waiting.delete(page);
    }
  }

  /** Resolves after the next poll, or at `release`. */
  #nextPoll(): Promise<void> {
    this.#schedulePoll();
    return new Promise((resolve) => this.#afterPoll.push(resolve));
  }

  /** At once after a pause. While changes are frequent, those of an interval are announced together. */
  #schedulePoll(): void {
    const rest = Math.max(0, this.#polledAt + POLL_MS - performance.now());
    this.#timer ??= setTimeout(() => void this.#look(), rest);
  }

  /** True after `release`. */
  get released(): boolean {
    return this.#released;
  }

  /** Ends all waiting, before the server stops or switches to another document. */
  release(): void {
    this.#released = true;
    for (const page of this.#waiting) page.end();
    for (const done of this.#afterPoll.splice(0)) done();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Lines after a place; null if this server does not know them, so that anything could have changed. */
  #since(place: HistoryPlace): Lines | null {
    if (place.last < this.#from || place.gaps.some(([from]) => from <= this.#from)) return null;
    const key = writePlace(place);
    const known = this.#linesSince.get(key);
    if (known !== undefined) return known;
    const found = groupByEntity(
      this.#lines.filter(({ id }) => id > place.last || place.gaps.some(([from, to]) => from <= id && id <= to)),
    );
    this.#linesSince.set(key, found);
    return found;
  }

  async #look(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#polledAt = performance.now();
    try {
      await this.#begin();
      await this.#poll();
    } catch {
      // Without the database there are no changes. Polling continues.
    } finally {
      this.#isPolling = false;
      for (const done of this.#afterPoll.splice(0)) done();
      this.#timer =
        this.#waiting.size === 0 || this.#released ? undefined : setTimeout(() => void this.#look(), POLL_MS);
      this.#timer?.unref();
    }
  }

  #begin(): Promise<TextSeal> {
    // After an error, the next request tries again.
    this.#begun ??= this.#readBeginning().catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    return this.#begun;
  }

  async #readBeginning(): Promise<TextSeal> {
    const seal = new TextSeal(
      await readSecret(this.#database),
      `place of changes under version ${this.#version}`,
      ROLES_LENGTH + TOKEN_LENGTH,
    );
    const [row] = await this.#database.query({
      name: "changes_begin",
      text: "select coalesce(max(id), 0) as id from ninefold.audit",
      values: [],
    });
    const newest = Number(row?.id ?? 0);
    this.#from = Math.max(0, newest - EARLIER_LINES);
    this.#settled = Math.max(0, newest - UNSETTLED_LINES);
    this.#lines = (await this.#database.query(linesQuery(this.#from, EARLIER_LINES)))
      .map(toLine)
      .filter(({ id }) => id <= this.#settled);
    this.#place = { last: this.#settled, gaps: [] };
    await this.#poll();
    return seal;
  }

  async #poll(): Promise<void> {
    const lines = (await this.#database.query(linesQuery(this.#settled, MAX_LINES))).map(toLine);
    const now = Date.now();
    const unseen = lines.filter(({ id }) => !this.#seen.has(id));
    for (const { id } of unseen) this.#seen.set(id, now);
    this.#lines.push(...unseen);
    // No uncommitted line can precede a line that was seen long enough ago.
    const crowded = lines.length >= MAX_LINES;
    for (const [id, since] of this.#seen)
      if (crowded || now - since > MAX_COMMIT_MS) {
        this.#settled = Math.max(this.#settled, id);
        this.#seen.delete(id);
      }
    for (const { id } of this.#lines.splice(0, this.#lines.length - MAX_LINES)) this.#from = Math.max(this.#from, id);
    if (unseen.length === 0) return;
    this.#place = toPlace(this.#settled, [...this.#seen.keys()]);
    this.#linesSince.clear();
    await this.#judge(groupByEntity(unseen));
  }

  /** The pages whose person has other roles after these lines. */
  async #findOutdated(lines: Lines, pages: readonly WaitingPage[]): Promise<readonly WaitingPage[]> {
    if (!ROLE_SOURCES.some((entity) => lines.has(entity))) return [];
    const changed = await this.#audience.findChangedRoles(pages.map(({ caller }) => caller));
    return pages.filter(({ caller }) => changed.has(caller));
  }

  /**
   * Wakes the waiting pages whose person sees a record of new lines, or has other roles. Without the database, all
   * return, and look back later.
   */
  async #judge(lines: Lines): Promise<void> {
    const place = this.#place;
    const groups = this.#waiting.groupByRoles();
    const noticing = new Set<WaitingPage>();
    try {
      for (const page of await this.#findOutdated(lines, [...this.#waiting])) {
        page.isOutdated = true;
        noticing.add(page);
      }
      for (const { caller, pages } of groups)
        for (const [entity, ids] of lines)
          for (const reader of await this.#audience.findSeeing(entity, ids, [...pages.keys()], caller))
            for (const page of pages.get(reader) ?? []) {
              page.noticed.add(entity);
              noticing.add(page);
            }
      this.#judged = place;
    } catch {
      for (const { pages } of groups) for (const page of [...pages.values()].flat()) noticing.add(page);
    }
    // A few at a time, so that other requests are answered in between.
    let woken = 0;
    for (const page of noticing) {
      page.end();
      if (++woken % WOKEN_AT_ONCE === 0) await nextTurn();
    }
  }
}

const WOKEN_AT_ONCE = 500;

/** A short text for a person with these roles. */
const identifyRoles = (principal: Principal): string =>
  hash("sha256", `${principal.id} ${principalKey(principal)}`, "base64url").slice(0, ROLES_LENGTH);

const linesQuery = (after: number, limit: number): Query => ({
  name: "changes",
  text: "select id, entity from ninefold.audit where id > $1 order by id limit $2",
  values: [after, limit],
});

const groupByEntity = (lines: readonly Line[]): Lines =>
  new Map([...groupBy(lines, ({ entity }) => entity)].map(([entity, own]) => [entity, own.map(({ id }) => id)]));

const toLine = ({ id, entity }: Row): Line => ({ id: Number(id), entity: String(entity) });

/** The place after these ids, of which some are missing. */
const toPlace = (settled: number, ids: readonly number[]): HistoryPlace => {
  const gaps: (readonly [number, number])[] = [];
  let last = settled;
  for (const id of ids.toSorted((a, b) => a - b)) {
    if (id > last + 1) {
      if (gaps.length === MAX_GAPS) break;
      gaps.push([last + 1, id - 1]);
    }
    last = Math.max(last, id);
  }
  return { last, gaps };
};

/**
 * `1042,3-2` is the place after line 1042, except for lines 1039 and 1040: gaps are counted back from the last line. If the
 * text would be too long, the place is before a gap, and the client gets the lines after it again.
 */
const writePlace = ({ last, gaps }: HistoryPlace): string => {
  const text = [last, ...gaps.map(([from, to]) => `${last - from}-${last - to}`)].join();
  const newest = gaps.at(-1);
  return text.length <= TOKEN_LENGTH || newest === undefined
    ? text
    : writePlace({ last: newest[0] - 1, gaps: gaps.slice(0, -1) });
};

const parsePlace = (text: string): HistoryPlace => {
  const [first, ...gaps] = text.split(",");
  const last = Number(first);
  return {
    last,
    gaps: gaps.map((gap) => {
      const [from = 0, to = 0] = gap.split("-").map((back) => last - Number(back));
      return [from, to];
    }),
  };
};
