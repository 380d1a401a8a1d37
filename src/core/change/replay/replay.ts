import type { Model } from "../../model/model.ts";
import type { Past } from "../../model/renaming.ts";
import type {
  ReplayCountJson,
  ReplayExampleJson,
  ReplayedActs,
  ReplayedKindJson,
  ReplayGapJson,
} from "../../wire/authoring/replay.ts";
import { alignNames } from "../align/align-names.ts";
import { findRenamings } from "../align/renamings.ts";
import { hasSameMeaning } from "../meaning.ts";
import { type Act, isOwnLine } from "./act.ts";
import { type AuditLine, groupLines, type PresentRecord, type RefusedRequest } from "./audit-line.ts";
import { MOST_ACTS } from "./bounds.ts";
import { type CheckResults, decidingCheck, type FailedCheck, joinResults } from "./check-results.ts";
import { createNamesSince } from "./names-since.ts";
import { createPastWorld, NotKnown } from "./past-world.ts";
import { OTHER_RECORDS_KEY, PERSON_KEY, RECORD_KEY } from "./replay-context.ts";
import { createVersionChecks } from "./version-checks.ts";

/** Maximum number of examples for each count. */
const MOST_EXAMPLES = 20;

/** Maximum length in lines of a transaction that continues on the next page. */
const LONGEST_OVERLAP = 300;

export interface ReplayedVersions {
  /** The version in force. Its number is `version`. */
  readonly before: Model;
  readonly after: Model;
  readonly version: number;
  /** The renamings of the database. */
  readonly past: Past;
}

export interface ReplayBounds {
  readonly days: number;
  /** Acts before this time are not checked. */
  readonly since: string;
  /** The number of changes since then, by entity and action under their names at the time. */
  readonly changes: readonly Omit<ReplayedKindJson, "judged">[];
  /** Time limit in seconds. */
  readonly seconds: number;
  /** Maximum number of changes of each kind that are checked. */
  readonly most?: number;
}

/** A record to add before lines are processed. Names are those of the version in force. */
export interface RequestedRecord {
  readonly entity: string;
  readonly id: string;
}

/** A replay in progress. It receives lines newest first. */
export interface Replay {
  /** Adds records in their current form. The entity has its name in the version in force. */
  add(entity: string, records: readonly PresentRecord[]): void;
  /** Marks that all records of an entity have been added. */
  complete(entity: string): void;
  /** The records that the given lines write or refer to and that have not been added. */
  listNeededRecords(lines: readonly AuditLine[]): readonly RequestedRecord[];
  /** True if lines were processed without their records, because enough acts of their kind were checked. */
  hasLeftOut(): boolean;
  /** Undoes the lines processed so far for records that were added later. */
  rewind(lines: readonly AuditLine[]): void;
  /** Checks the acts of a page of lines and undoes their changes. True if the replay has reached its end. */
  take(lines: readonly AuditLine[], isLast: boolean): boolean;
  /** The result. `isLate`: the replay was ended by its time limit. */
  finish(isLate: boolean): ReplayedActs;
}

/**
 * Checks past acts under the version in force and under a draft. Uses no clock and no database. `refusals` are newest
 * first; the records that they name must be added before the first line.
 */
export const createReplay = (
  { before, after, version, past: renamed }: ReplayedVersions,
  { days, since, changes, seconds, most = MOST_ACTS }: ReplayBounds,
  refusals: readonly RefusedRequest[],
): Replay => {
  const renamings = findRenamings(before, after).map((renaming) => ({ ...renaming, document: version + 1 }));
  const past = [...renamed, ...renamings];
  const stored = alignNames(before, after);
  const namesSince = createNamesSince(past, [stored, after]);
  const present = namesSince(version);
  const namesBefore = new Map([...before.entities.keys()].map((name) => [present.entity(name) ?? name, name]));
  const world = createPastWorld();
  const versions = {
    base: createVersionChecks(world, stored, stored, null),
    draft: createVersionChecks(world, after, stored, stored),
  };
  const deleted = new Set<string>();
  const counts = { refused: new Counter(), allowed: new Counter(), effects: new Counter() };
  const gaps = new Map<string, { readonly why: ReplayGapJson["why"]; readonly clause: string | null; acts: number }>();
  const checked = { acts: 0, refusals: 0 };
  let oldest = "";
  const kinds = new Map(changes.map((change) => [toKind(change), { ...change, judged: 0, left: change.changes }]));
  let isFull = false;
  let hasLeftOut = false;
  let waiting: readonly AuditLine[] = [];
  let nextRefusal = 0;

  const leave = (why: ReplayGapJson["why"], clause: string | null = null): void => {
    const key = `${why} ${clause ?? ""}`;
    const known = gaps.get(key) ?? { why, clause, acts: 0 };
    known.acts++;
    gaps.set(key, known);
  };

  const isWanted = (lines: readonly AuditLine[]): boolean =>
    lines.some((line) => {
      const kind = kinds.get(toKind(line));
      return kind === undefined || kind.judged < most;
    });

  const translateLine = (line: AuditLine): AuditLine | undefined => {
    const names = namesSince(line.document);
    const entity = names.entity(line.entity);
    return entity === undefined
      ? undefined
      : { ...line, entity, action: names.action(entity, line.action), changes: names.changes(entity, line.changes) };
  };

  const toExample = ({
    at,
    entity,
    record,
    action,
  }: Pick<AuditLine, "at" | "entity" | "action"> & {
    readonly record: string | null;
  }): ReplayExampleJson => ({
    at,
    entity: namesBefore.get(entity) ?? entity,
    record,
    action,
    isGone: record !== null && deleted.has(record),
  });

  /** The line that represents an act. */
  const findRootLine = ({ lines }: Act): AuditLine | undefined => lines.find(isOwnLine) ?? lines[0];

  const hasAction = (model: Model, { entity: name, action }: Pick<AuditLine, "entity" | "action">): boolean => {
    const entity = model.entities.get(name);
    if (entity === undefined) return false;
    return isRecordAction(action) || entity.states?.transitions.has(action) === true;
  };

  /** A call that the draft no longer has: its entity or transition was removed. */
  const missingCall = (line: AuditLine): FailedCheck | undefined => {
    if (hasAction(after, line)) return undefined;
    const entity = stored.entities.get(line.entity);
    const transition = after.entities.has(line.entity) ? entity?.states?.transitions.get(line.action) : undefined;
    const clause = (transition ?? entity)?.clause.id;
    return clause === undefined ? undefined : { rank: "call", clause, code: "NO_SUCH_CALL" };
  };

  const setsOtherValues = (line: AuditLine): boolean => {
    const [one, other] = [stored, after].map(
      (model) => model.entities.get(line.entity)?.states?.transitions.get(line.action)?.set,
    );
    return one !== undefined && other !== undefined && !hasSameMeaning(one, other);
  };

  const checkPerson = (act: Act, root: AuditLine, base: CheckResults, draft: CheckResults): void => {
    const refusedBefore = decidingCheck(base);
    const known = new Set(base.open.map(({ key }) => key));
    if (refusedBefore !== undefined || known.has(PERSON_KEY) || known.has(RECORD_KEY)) {
      if (refusedBefore !== undefined) leave("refused before", refusedBefore.clause);
      else leave(known.has(PERSON_KEY) ? "person" : "record");
      return;
    }
    checked.acts++;
    const refused = decidingCheck(draft);
    if (refused !== undefined) {
      counts.refused.add(refused, toExample(root));
      return;
    }
    const open = draft.open.find(({ key }) => !known.has(key));
    if (open !== undefined) leave(open.key === OTHER_RECORDS_KEY ? "other records" : "unknown", open.clause);
    if (act.lines.some(setsOtherValues)) leave("other values", root.clause);
  };

  /** Effects that occur in both versions but only in one of them at this line. */
  const compareEffects = (act: Act, line: AuditLine): void => {
    const [one, other] = [stored, after].map((model) => model.entities.get(line.entity)?.after.get(line.action) ?? []);
    if (hasSameMeaning(one, other)) return;
    try {
      const [was, is] = [versions.base.effects(act, line), versions.draft.effects(act, line)];
      const clauses = new Set([
        ...[...was].flatMap(([key, clause]) => (is.has(key) ? [] : [clause])),
        ...[...is].flatMap(([key, clause]) => (was.has(key) ? [] : [clause])),
      ]);
      for (const clause of clauses) counts.effects.add({ clause, code: "EFFECT" }, toExample(line));
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      leave("unknown", line.clause);
    }
  };

  /** An automatic transition whose condition or time differs in the draft, or that the draft does not have. */
  const compareTimer = (act: Act, line: AuditLine): void => {
    const [one, other] = [stored, after].map((model) =>
      model.entities.get(line.entity)?.states?.transitions.get(line.action),
    );
    if (one === undefined || (one.timeout === null && one.once === null)) return;
    const isSame =
      other !== undefined &&
      hasSameMeaning([one.timeout, one.once, one.when, one.from], [other.timeout, other.once, other.when, other.from]);
    if (isSame) return;
    const conditions = [other?.once, other?.when].flatMap((condition) => condition ?? []);
    const isSelected =
      other !== undefined &&
      hasSameMeaning(one.timeout, other.timeout) &&
      hasSameMeaning(one.from, other.from) &&
      (one.once === null) === (other.once === null) &&
      conditions.every((condition) => versions.draft.holds(condition, act, line));
    if (!isSelected) counts.effects.add({ clause: (other ?? one).clause.id, code: "TIMER" }, toExample(line));
  };

  const takeBack = (lines: readonly AuditLine[]): void => {
    for (const line of lines) {
      if (line.action === "delete") deleted.add(line.record);
      world.undo(line);
    }
  };

  const replayAct = (act: Act, isChecked: boolean): void => {
    const root = findRootLine(act);
    const own = act.lines.filter(isOwnLine).filter(isReplayable);
    const isOfPerson = act.person !== null && own.length > 0 && act.at >= since;
    const undo = (): void => takeBack(act.lines.toReversed());
    if (root === undefined || act.at < since || !isChecked) {
      undo();
      return;
    }
    oldest = act.at;
    if (isOfPerson && !own.every((line) => hasAction(stored, line))) {
      leave("no entity", root.clause);
      undo();
      return;
    }
    for (const line of act.lines) compareEffects(act, line);
    const bases = isOfPerson ? [versions.base.after(act)] : [];
    const drafts = isOfPerson ? [versions.draft.after(act)] : [];
    undo();
    for (const line of act.lines)
      if (line.cause !== null || line.person === null) {
        try {
          compareTimer(act, line);
        } catch (error) {
          if (!(error instanceof NotKnown)) throw error;
          leave("unknown", line.clause);
        }
      }
    if (!isOfPerson) return;
    bases.push(versions.base.before(act));
    drafts.push(versions.draft.before(act));
    const missing = own.flatMap((line) => missingCall(line) ?? []);
    checkPerson(act, own[0] ?? root, joinResults(...bases), joinResults({ failed: missing, open: [] }, ...drafts));
  };

  const walkRefusal = (refusal: RefusedRequest): void => {
    const names = namesSince(refusal.document);
    const entity = names.entity(refusal.entity);
    if (entity === undefined || refusal.at < since) return;
    const renamed = { ...refusal, entity, action: names.action(entity, refusal.action) };
    const isKnown = renamed.action === "read" || hasAction(stored, renamed);
    if (!isKnown) return;
    const base = versions.base.request(renamed);
    const draft = versions.draft.request(renamed);
    if (base === undefined || draft === undefined || base.open.length + draft.open.length > 0) {
      leave(base === undefined || draft === undefined ? "content" : "unknown", refusal.clause);
      return;
    }
    checked.refusals++;
    const was = decidingCheck(base);
    if (
      was !== undefined &&
      decidingCheck(draft) === undefined &&
      (renamed.action === "read" || hasAction(after, renamed))
    )
      counts.allowed.add(was, toExample(renamed));
  };

  /** Checks the refusals that are newer than a given time. */
  const walkRefusals = (until: string): void => {
    for (
      let refusal = refusals[nextRefusal];
      refusal !== undefined && refusal.at > until;
      refusal = refusals[++nextRefusal]
    )
      walkRefusal(refusal);
  };

  return {
    add: (entity, records) => {
      const name = present.entity(entity) ?? entity;
      for (const record of records) world.add(name, { ...record, changes: present.changes(name, record.changes) });
    },
    complete: (entity) => world.complete(present.entity(entity) ?? entity),
    listNeededRecords: (lines) => {
      const found = new Map<string, RequestedRecord>();
      const want = (entity: string, id: string): void => {
        const name = namesBefore.get(entity);
        if (name === undefined || world.isComplete(entity) || world.find(entity, id) !== undefined) return;
        found.set(id, { entity: name, id });
      };
      for (const line of [...groupByAct([...waiting, ...lines]).values()].filter(isWanted).flat()) {
        const own = translateLine(line);
        if (own === undefined || line.at < since) continue;
        want(own.entity, own.record);
        if (own.person !== null) want("User", own.person);
        const values = {
          ...world.find(own.entity, own.record)?.values,
          ...Object.fromEntries(Object.entries(own.changes).map(([name, [was, is]]) => [name, is ?? was])),
        };
        for (const [name, value] of Object.entries(values)) {
          const target = stored.entities.get(own.entity)?.fields.get(name)?.entity;
          if (target == null) continue;
          for (const id of Array.isArray(value) ? value : [value]) if (typeof id === "string") want(target, id);
        }
      }
      return [...found.values()];
    },
    hasLeftOut: () => hasLeftOut,
    rewind: (lines) => {
      const notYet = new Set(waiting.map(({ id }) => id));
      takeBack(lines.filter(({ id }) => !notYet.has(id)).flatMap((line) => translateLine(line) ?? []));
    },
    take: (lines, isLast) => {
      const all = [...waiting, ...lines];
      const acts = groupByAct(all);
      const rest = isLast ? Number.POSITIVE_INFINITY : all.length - LONGEST_OVERLAP;
      const late = new Set(all.slice(Math.max(rest, 0)).map(({ transaction }) => transaction));
      let isWaiting = false;
      const postponed: AuditLine[] = [];
      for (const [transaction, own] of acts) {
        isWaiting ||= late.has(transaction);
        if (isWaiting) {
          postponed.push(...own);
          continue;
        }
        const [newest] = own;
        if (newest === undefined || isFull) continue;
        walkRefusals(newest.at);
        const inOrder = own.toReversed().flatMap((line) => translateLine(line) ?? []);
        const isChecked = isWanted(own);
        hasLeftOut ||= !isChecked;
        replayAct({ at: newest.at, person: newest.person, lines: inOrder }, isChecked);
        if (newest.at < since) continue;
        for (const line of own) {
          const kind = kinds.get(toKind(line));
          if (kind === undefined) continue;
          kind.left--;
          if (isChecked) kind.judged++;
        }
      }
      const open = [...kinds.values()].filter(({ left }) => left > 0);
      isFull = open.length > 0 && open.every((kind) => kind.judged >= most);
      waiting = postponed.toSorted((a, b) => b.id - a.id);
      if (isLast && !isFull) walkRefusals("");
      return isFull;
    },
    finish: (isLate) => ({
      days,
      cut: isFull || isLate || hasLeftOut ? { by: isLate && !isFull ? "time" : "acts", at: oldest, seconds } : null,
      kinds: [...kinds.values()]
        .filter((kind) => kind.judged < kind.changes && (isFull || isLate || hasLeftOut))
        .map(({ entity, action, judged: some, changes: all }) => ({ entity, action, judged: some, changes: all }))
        .toSorted((a, b) => b.changes - a.changes),
      acts: checked.acts,
      refused: counts.refused.sorted(),
      refusals: checked.refusals,
      allowed: counts.allowed.sorted(),
      effects: counts.effects.sorted(),
      left: [...gaps.values()].toSorted((a, b) => b.acts - a.acts),
    }),
  };
};

const toKind = ({ entity, action }: Pick<AuditLine, "entity" | "action">): string => `${entity} ${action}`;

const groupByAct = (lines: readonly AuditLine[]) => groupLines(lines, ({ transaction }) => transaction);

const isRecordAction = (action: string): boolean => action === "create" || action === "update" || action === "delete";

/** Changes of accounts follow rules of the platform, which a document cannot change. */
const isReplayable = ({ clause }: AuditLine): boolean =>
  clause !== "6.administrator" && !clause.startsWith("6.roles.") && !clause.startsWith("7.");

/** Counts acts by their deciding clause. */
class Counter {
  readonly #counts = new Map<string, ReplayCountJson & { acts: number; examples: ReplayExampleJson[] }>();

  add({ clause, code }: Pick<FailedCheck, "clause" | "code">, example: ReplayExampleJson): void {
    const key = `${clause} ${code}`;
    const known = this.#counts.get(key) ?? { clause, code, acts: 0, examples: [] };
    known.acts++;
    if (known.examples.length < MOST_EXAMPLES) known.examples.push(example);
    this.#counts.set(key, known);
  }

  sorted(): readonly ReplayCountJson[] {
    return [...this.#counts.values()].toSorted((a, b) => b.acts - a.acts || (a.clause < b.clause ? -1 : 1));
  }
}
