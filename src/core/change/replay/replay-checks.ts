import type { ReplayExampleJson } from "../../wire/authoring/replay.ts";
import { type Act, isOwnLine } from "./act.ts";
import type { AuditLine, RefusedRequest } from "./audit-line.ts";
import {
  type BothVersions,
  findChangedEffects,
  findChangedTimer,
  findMissingCall,
  hasAction,
  setsOtherValues,
} from "./both-versions.ts";
import { type CheckResults, decidingCheck, joinResults, type OpenCheck } from "./check-results.ts";
import { NotKnown, type PastWorld } from "./past-world.ts";
import { PERSON_KEY, RECORD_KEY } from "./replay-context.ts";
import type { ReplayCounts } from "./replay-counts.ts";

/** Everything that the checks of a replay share: both versions, the world that they move back, and the results. */
export interface ReplayChecks {
  readonly versions: BothVersions;
  readonly world: PastWorld;
  readonly counts: ReplayCounts;
  /** Names of entities in the live version, by their names in the draft. */
  readonly namesBefore: ReadonlyMap<string, string>;
  /** Ids of records that were deleted later than the act being checked. */
  readonly deleted: Set<string>;
}

/** Undoes lines, given newest first. */
export const undoLines = ({ world, deleted }: ReplayChecks, lines: readonly AuditLine[]): void => {
  for (const line of lines) {
    if (line.action === "delete") deleted.add(line.record);
    world.undo(line);
  }
};

export const undoAct = (checks: ReplayChecks, { lines }: Act): void => undoLines(checks, lines.toReversed());

/**
 * Checks an act under both versions and undoes it. Conditions on the records after the act are evaluated first, those on
 * the records before it after the undoing.
 */
export const checkAct = (checks: ReplayChecks, act: Act): void => {
  const { versions, counts } = checks;
  const own = act.lines.filter(isOwnLine).filter(isReplayable);
  const isOfPerson = act.person !== null && own.length > 0;
  if (isOfPerson && !own.every((line) => hasAction(versions.stored, line))) {
    counts.leave("no entity", findRootLine(act)?.clause);
    undoAct(checks, act);
    return;
  }
  compareEffects(checks, act);
  const bases = isOfPerson ? [versions.base.after(act)] : [];
  const drafts = isOfPerson ? [versions.draft.after(act)] : [];
  undoAct(checks, act);
  compareTimers(checks, act);
  if (!isOfPerson) return;
  bases.push(versions.base.before(act));
  drafts.push(versions.draft.before(act));
  const missing = own.flatMap((line) => findMissingCall(versions, line) ?? []);
  countAct(checks, act, own[0], joinResults(...bases), joinResults({ failed: missing, open: [] }, ...drafts));
};

/** Checks a refused request under both versions, and counts it if the draft would not refuse it. */
export const checkRefusal = (checks: ReplayChecks, refusal: RefusedRequest): void => {
  const { versions, counts } = checks;
  const isRead = refusal.action === "read";
  if (!isRead && !hasAction(versions.stored, refusal)) return;
  const base = versions.base.request(refusal);
  const draft = versions.draft.request(refusal);
  if (base === undefined || draft === undefined) {
    counts.leave("content", refusal.clause);
    return;
  }
  const [open] = [...base.open, ...draft.open];
  if (open !== undefined) {
    leaveOpen(counts, open, refusal.clause);
    return;
  }
  counts.refusals++;
  const was = decidingCheck(base);
  if (was !== undefined && decidingCheck(draft) === undefined && (isRead || hasAction(versions.after, refusal)))
    counts.allowed.add(was, toExample(checks, refusal));
};

const compareEffects = (checks: ReplayChecks, act: Act): void => {
  for (const line of act.lines)
    ifKnown(checks, line, () => {
      for (const clause of findChangedEffects(checks.versions, act, line))
        checks.counts.effects.add({ clause, code: "EFFECT" }, toExample(checks, line));
    });
};

const compareTimers = (checks: ReplayChecks, act: Act): void => {
  for (const line of act.lines.filter(({ cause, person }) => cause !== null || person === null))
    ifKnown(checks, line, () => {
      const clause = findChangedTimer(checks.versions, act, line);
      if (clause !== undefined) checks.counts.effects.add({ clause, code: "TIMER" }, toExample(checks, line));
    });
};

/** Runs a comparison, and counts its line as not checked if it reads a past value that is not known. */
const ifKnown = ({ counts }: ReplayChecks, { clause }: AuditLine, compare: () => void): void => {
  try {
    compare();
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
    leaveOpen(counts, error, clause);
  }
};

/** Counts an act that could not be decided. Reasons that concern the whole act name no clause. */
const leaveOpen = (
  counts: ReplayCounts,
  { why, reads }: Pick<OpenCheck, "why" | "reads">,
  clause: string | null,
): void => counts.leave(why, why === "person" || why === "record" ? null : clause, reads);

/** Counts an act of a person: as refused by the draft, as checked, or as left open. `line` represents it. */
const countAct = (
  checks: ReplayChecks,
  act: Act,
  line: AuditLine | undefined,
  base: CheckResults,
  draft: CheckResults,
): void => {
  if (line === undefined) return;
  const { counts, versions } = checks;
  const refusedBefore = decidingCheck(base);
  const known = new Set(base.open.map(({ key }) => key));
  if (refusedBefore !== undefined) {
    counts.leave("refused before", refusedBefore.clause);
    return;
  }
  const blocking = [PERSON_KEY, RECORD_KEY].flatMap((key) => base.open.find((open) => open.key === key) ?? [])[0];
  if (blocking !== undefined) {
    leaveOpen(counts, blocking, blocking.clause);
    return;
  }
  counts.acts++;
  const refused = decidingCheck(draft);
  if (refused !== undefined) {
    counts.refused.add(refused, toExample(checks, line));
    return;
  }
  const open = draft.open.find(({ key }) => !known.has(key));
  if (open !== undefined) leaveOpen(counts, open, open.clause);
  if (act.lines.some((other) => setsOtherValues(versions, other))) counts.leave("other values", line.clause);
};

const toExample = (
  { namesBefore, deleted }: ReplayChecks,
  {
    at,
    entity,
    record,
    action,
  }: Pick<AuditLine, "at" | "entity" | "action"> & {
    readonly record: string | null;
  },
): ReplayExampleJson => ({
  at,
  entity: namesBefore.get(entity) ?? entity,
  record,
  action,
  isGone: record !== null && deleted.has(record),
});

/** The line that represents an act. */
const findRootLine = ({ lines }: Act): AuditLine | undefined => lines.find(isOwnLine) ?? lines[0];

/** Changes of accounts follow rules of the platform, which a document cannot change. */
const isReplayable = ({ clause }: AuditLine): boolean =>
  clause !== "6.administrator" && !clause.startsWith("6.roles.") && !clause.startsWith("7.");
