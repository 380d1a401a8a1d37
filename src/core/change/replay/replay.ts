import type { Model } from "../../model/model.ts";
import type { Past } from "../../model/renaming.ts";
import type { ReplayedActs, ReplayedKindJson } from "../../wire/authoring/replay.ts";
import { alignNames } from "../align/align-names.ts";
import { findRenamings } from "../align/renamings.ts";
import { ActKinds } from "./act-kinds.ts";
import { type AuditLine, groupLines, type PresentRecord, type RefusedRequest } from "./audit-line.ts";
import { createBothVersions } from "./both-versions.ts";
import { MOST_ACTS } from "./bounds.ts";
import { createNamesSince } from "./names-since.ts";
import { createPastWorld, type PastWorld } from "./past-world.ts";
import { checkAct, checkRefusal, type ReplayChecks, undoAct, undoLines } from "./replay-checks.ts";
import { ReplayCounts } from "./replay-counts.ts";

/** Maximum length in lines of a transaction that continues on the next page. */
const LONGEST_OVERLAP = 300;

export interface ReplayedVersions {
  /** The live version. Its number is `version`. */
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

/** A record to add before lines are processed. Names are those of the live version. */
export interface RequestedRecord {
  readonly entity: string;
  readonly id: string;
}

/** A replay in progress. It receives lines newest first. */
export interface Replay {
  /** Adds records in their current form. The entity has its name in the live version. */
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
 * Checks past acts under the live version and under a draft. Uses no clock and no database. `refusals` are newest
 * first; the records that they name must be added before the first line.
 */
export const createReplay = (
  { before, after, version, past: renamed }: ReplayedVersions,
  { days, since, changes, seconds, most = MOST_ACTS }: ReplayBounds,
  refusals: readonly RefusedRequest[],
): Replay => {
  const renamings = findRenamings(before, after).map((renaming) => ({ ...renaming, document: version + 1 }));
  const stored = alignNames(before, after);
  const namesSince = createNamesSince([...renamed, ...renamings], [stored, after]);
  const present = namesSince(version);
  const namesBefore = new Map([...before.entities.keys()].map((name) => [present.entity(name) ?? name, name]));
  const world = createPastWorld();
  const versions = createBothVersions(world, stored, after);
  const counts = new ReplayCounts(before, after);
  const kinds = new ActKinds(changes, most);
  const checks: ReplayChecks = { versions, world, counts, namesBefore, deleted: new Set() };
  let oldest = "";
  let isFull = false;
  let hasLeftOut = false;
  let waiting: readonly AuditLine[] = [];
  let nextRefusal = 0;

  const translateLine = (line: AuditLine): AuditLine | undefined => {
    const names = namesSince(line.document);
    const entity = names.entity(line.entity);
    return entity === undefined
      ? undefined
      : { ...line, entity, action: names.action(entity, line.action), changes: names.changes(entity, line.changes) };
  };

  const translateRefusal = (refusal: RefusedRequest): RefusedRequest | undefined => {
    const names = namesSince(refusal.document);
    const entity = names.entity(refusal.entity);
    return entity === undefined ? undefined : { ...refusal, entity, action: names.action(entity, refusal.action) };
  };

  /** Checks the refusals that are newer than a given time. */
  const walkRefusals = (until: string): void => {
    for (
      let refusal = refusals[nextRefusal];
      refusal !== undefined && refusal.at > until;
      refusal = refusals[++nextRefusal]
    ) {
      const translated = translateRefusal(refusal);
      if (translated !== undefined && refusal.at >= since) checkRefusal(checks, translated);
    }
  };

  return {
    add: (entity, records) => {
      const name = present.entity(entity) ?? entity;
      for (const record of records) world.add(name, { ...record, changes: present.changes(name, record.changes) });
    },
    complete: (entity) => world.complete(present.entity(entity) ?? entity),
    listNeededRecords: (lines) => {
      const found = new Map<string, RequestedRecord>();
      for (const line of [...groupByAct([...waiting, ...lines]).values()].filter((own) => kinds.isWanted(own)).flat()) {
        const own = translateLine(line);
        if (own === undefined || line.at < since) continue;
        for (const { entity, id } of listMentionedRecords(stored, world, own)) {
          const name = namesBefore.get(entity);
          if (name === undefined || world.isComplete(entity) || world.find(entity, id) !== undefined) continue;
          found.set(id, { entity: name, id });
        }
      }
      return [...found.values()];
    },
    hasLeftOut: () => hasLeftOut,
    rewind: (lines) => {
      const notYet = new Set(waiting.map(({ id }) => id));
      undoLines(
        checks,
        lines.filter(({ id }) => !notYet.has(id)).flatMap((line) => translateLine(line) ?? []),
      );
    },
    take: (lines, isLast) => {
      const page = splitPage([...waiting, ...lines], isLast);
      waiting = page.waiting;
      for (const own of page.acts) {
        const [newest] = own;
        if (newest === undefined || isFull) continue;
        walkRefusals(newest.at);
        const act = {
          at: newest.at,
          person: newest.person,
          lines: own.toReversed().flatMap((line) => translateLine(line) ?? []),
        };
        const isChecked = kinds.isWanted(own);
        hasLeftOut ||= !isChecked;
        if (act.lines.length === 0 || act.at < since || !isChecked) undoAct(checks, act);
        else {
          oldest = act.at;
          checkAct(checks, act);
        }
        if (act.at >= since) kinds.count(own, isChecked);
      }
      isFull = kinds.isFull();
      if (isLast && !isFull) walkRefusals("");
      return isFull;
    },
    finish: (isLate) => {
      const isCut = isFull || isLate || hasLeftOut;
      return {
        days,
        cut: isCut ? { by: isLate && !isFull ? "time" : "acts", at: oldest, seconds } : null,
        kinds: isCut ? kinds.cut() : [],
        acts: counts.acts,
        refused: counts.refused.sorted(),
        refusals: counts.refusals,
        allowed: counts.allowed.sorted(),
        effects: counts.effects.sorted(),
        left: counts.gaps(),
      };
    },
  };
};

const groupByAct = (lines: readonly AuditLine[]) => groupLines(lines, ({ transaction }) => transaction);

/** The complete acts of a page, newest first, and the lines that wait for the next page because their act may continue. */
const splitPage = (
  lines: readonly AuditLine[],
  isLast: boolean,
): { readonly acts: readonly (readonly AuditLine[])[]; readonly waiting: readonly AuditLine[] } => {
  const rest = isLast ? Number.POSITIVE_INFINITY : lines.length - LONGEST_OVERLAP;
  const late = new Set(lines.slice(Math.max(rest, 0)).map(({ transaction }) => transaction));
  const acts = [...groupByAct(lines)];
  const firstLate = acts.findIndex(([transaction]) => late.has(transaction));
  const end = firstLate === -1 ? acts.length : firstLate;
  return {
    acts: acts.slice(0, end).map(([, own]) => own),
    waiting: acts
      .slice(end)
      .flatMap(([, own]) => own)
      .toSorted((a, b) => b.id - a.id),
  };
};

/** The record of a line, the person who wrote it, and the records that it refers to. */
const listMentionedRecords = (model: Model, world: PastWorld, line: AuditLine): readonly RequestedRecord[] => {
  const values = {
    ...world.find(line.entity, line.record)?.values,
    ...Object.fromEntries(Object.entries(line.changes).map(([name, [was, is]]) => [name, is ?? was])),
  };
  return [
    { entity: line.entity, id: line.record },
    ...(line.person === null ? [] : [{ entity: "User", id: line.person }]),
    ...Object.entries(values).flatMap(([name, value]) => {
      const target = model.entities.get(line.entity)?.fields.get(name)?.entity;
      if (target == null) return [];
      return (Array.isArray(value) ? value : [value]).flatMap((id) =>
        typeof id === "string" ? [{ entity: target, id }] : [],
      );
    }),
  ];
};
