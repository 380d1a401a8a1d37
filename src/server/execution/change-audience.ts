import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import type { Database } from "../../postgres/database.ts";
import { type Caller, type PlanContext, principalKey } from "../plan/context.ts";
import { changeAudienceSql, decodeReader, seesAllOrNone, toReaderId } from "../plan/row/change-visibility.ts";
import { decodeRoles, heldRolesQuery } from "../plan/row/own-session.ts";

/** Ids of audit lines by entity. */
export type Lines = ReadonlyMap<string, readonly number[]>;

/** Maximum number of readers of one statement. */
const READERS_AT_ONCE = 1_000;

/** Maximum number of statements at once, so that many pages leave the database to requests. */
const STATEMENTS_AT_ONCE = 2;

/** Readers with the same roles who ask about the same lines. */
interface Audience {
  readonly readers: Set<string>;
  readonly seeing: Promise<ReadonlySet<string>>;
}

/** Decides who sees changed records. Readers with the same roles share one statement. */
export class ChangeAudience {
  readonly #context: PlanContext;
  readonly #database: Database;
  readonly #takeTurn = pLimit(STATEMENTS_AT_ONCE);
  /** Audiences whose statement has not been sent yet, by lines, entity and roles. */
  readonly #gathering = new Map<readonly number[], Map<string, Audience>>();

  constructor(context: PlanContext, database: Database) {
    this.#context = context;
    this.#database = database;
  }

  /** Those of the readers, who all have the roles of the caller, who see a record of these audit lines, before or after the change. */
  async findSeeing(
    entity: string,
    lines: readonly number[],
    readers: readonly string[],
    caller: Caller,
  ): Promise<readonly string[]> {
    const known = seesAllOrNone(this.#context, entity, caller.principal);
    if (known !== undefined) return known ? readers : [];
    const parts = Array.from({ length: Math.ceil(readers.length / READERS_AT_ONCE) }, (_, i) =>
      readers.slice(i * READERS_AT_ONCE, (i + 1) * READERS_AT_ONCE),
    );
    return (await Promise.all(parts.map((part) => this.#read(entity, lines, part, caller)))).flat();
  }

  /** The entities with lines of which the caller sees a record. */
  async findSeen(lines: Lines, caller: Caller): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    for (const [entity, ids] of lines) if (await this.#sees(entity, ids, caller)) seen.add(entity);
    return seen;
  }

  async #sees(entity: string, lines: readonly number[], caller: Caller): Promise<boolean> {
    const known = seesAllOrNone(this.#context, entity, caller.principal);
    if (known !== undefined) return known;
    const reader = toReaderId(caller.principal);
    const audience = this.#findAudience(entity, lines, caller);
    audience.readers.add(reader);
    return (await audience.seeing).has(reader);
  }

  /** Those of the callers who have other roles now, or can no longer sign in. */
  async findChangedRoles(callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const people = callers.flatMap((caller) =>
      caller.principal.id === null ? [] : [{ caller, id: caller.principal.id }],
    );
    const newest = people.at(-1)?.caller;
    if (newest === undefined) return new Set();
    const query = heldRolesQuery(this.#context, [...new Set(people.map(({ id }) => id))], newest);
    const rows = await this.#takeTurn(() => this.#database.query(query));
    const held = new Map(rows.map((row) => [String(row.id), decodeRoles(row.roles)]));
    const isChanged = ({ principal }: Caller, granted: ReadonlySet<string> | undefined): boolean =>
      granted === undefined || principalKey({ ...principal, granted }) !== principalKey(principal);
    return new Set(people.flatMap(({ caller, id }) => (isChanged(caller, held.get(id)) ? [caller] : [])));
  }

  #findAudience(entity: string, lines: readonly number[], caller: Caller): Audience {
    const key = `${entity} ${principalKey(caller.principal)}`;
    const ofLines = this.#gathering.get(lines) ?? new Map<string, Audience>();
    this.#gathering.set(lines, ofLines);
    const known = ofLines.get(key);
    if (known !== undefined && known.readers.size < READERS_AT_ONCE) return known;
    const readers = new Set<string>();
    const ask = async (): Promise<ReadonlySet<string>> => {
      await nextTurn();
      if (ofLines.get(key) === audience) ofLines.delete(key);
      if (ofLines.size === 0) this.#gathering.delete(lines);
      return new Set(await this.#read(entity, lines, [...readers], caller));
    };
    const audience: Audience = { readers, seeing: ask() };
    ofLines.set(key, audience);
    return audience;
  }

  async #read(
    entity: string,
    lines: readonly number[],
    readers: readonly string[],
    caller: Caller,
  ): Promise<readonly string[]> {
    const query = changeAudienceSql(this.#context, entity, lines, readers, caller);
    return (await this.#takeTurn(() => this.#database.query(query))).map(decodeReader);
  }
}
