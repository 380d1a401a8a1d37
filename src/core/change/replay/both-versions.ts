import type { Model } from "../../model/model.ts";
import { hasSameMeaning } from "../meaning.ts";
import type { Act } from "./act.ts";
import type { AuditLine } from "./audit-line.ts";
import type { FailedCheck } from "./check-results.ts";
import type { PastWorld } from "./past-world.ts";
import { createVersionChecks, type VersionChecks } from "./version-checks.ts";

/** The live version and a draft, applied to the same past. */
export interface BothVersions {
  /** The live version, under the draft's names. */
  readonly stored: Model;
  readonly after: Model;
  readonly base: VersionChecks;
  readonly draft: VersionChecks;
}

export const createBothVersions = (world: PastWorld, stored: Model, after: Model): BothVersions => ({
  stored,
  after,
  base: createVersionChecks(world, stored, stored, null),
  draft: createVersionChecks(world, after, stored, stored),
});

const isRecordAction = (action: string): boolean => action === "create" || action === "update" || action === "delete";

const findTransitionIn = (model: Model, { entity, action }: AuditLine) =>
  model.entities.get(entity)?.states?.transitions.get(action);

export const hasAction = (model: Model, { entity: name, action }: Pick<AuditLine, "entity" | "action">): boolean => {
  const entity = model.entities.get(name);
  if (entity === undefined) return false;
  return isRecordAction(action) || entity.states?.transitions.has(action) === true;
};

/** A call that the draft no longer has: its entity or transition was removed. */
export const findMissingCall = ({ stored, after }: BothVersions, line: AuditLine): FailedCheck | undefined => {
  if (hasAction(after, line)) return undefined;
  const entity = stored.entities.get(line.entity);
  const transition = after.entities.has(line.entity) ? entity?.states?.transitions.get(line.action) : undefined;
  const clause = (transition ?? entity)?.clause.id;
  return clause === undefined ? undefined : { rank: "call", clause, code: "NO_SUCH_CALL" };
};

export const setsOtherValues = ({ stored, after }: BothVersions, line: AuditLine): boolean => {
  const one = findTransitionIn(stored, line)?.set;
  const other = findTransitionIn(after, line)?.set;
  return one !== undefined && other !== undefined && !hasSameMeaning(one, other);
};

/**
 * The clauses of effects that both versions have but only one of them would cause at this line. Throws `NotKnown`. The
 * world must be after the act.
 */
export const findChangedEffects = (
  { stored, after, base, draft }: BothVersions,
  act: Act,
  line: AuditLine,
): ReadonlySet<string> => {
  const [one, other] = [stored, after].map((model) => model.entities.get(line.entity)?.after.get(line.action) ?? []);
  if (hasSameMeaning(one, other)) return new Set();
  const [was, is] = [base.effects(act, line), draft.effects(act, line)];
  return new Set([
    ...[...was].flatMap(([key, clause]) => (is.has(key) ? [] : [clause])),
    ...[...is].flatMap(([key, clause]) => (was.has(key) ? [] : [clause])),
  ]);
};

/**
 * The clause of an automatic transition that the draft would not have made: its condition or time differs, or the draft
 * does not have it. Throws `NotKnown`. The world must be before the act.
 */
export const findChangedTimer = (
  { stored, after, draft }: BothVersions,
  act: Act,
  line: AuditLine,
): string | undefined => {
  const one = findTransitionIn(stored, line);
  const other = findTransitionIn(after, line);
  if (one === undefined || (one.timeout === null && one.once === null)) return undefined;
  const isSame =
    other !== undefined &&
    hasSameMeaning(
      [one.timeout, one.once, one.guardAndPreconditions, one.from],
      [other.timeout, other.once, other.guardAndPreconditions, other.from],
    );
  if (isSame) return undefined;
  const conditions = [other?.once, other?.guardAndPreconditions].flatMap((condition) => condition ?? []);
  const isSelected =
    other !== undefined &&
    hasSameMeaning(one.timeout, other.timeout) &&
    hasSameMeaning(one.from, other.from) &&
    (one.once === null) === (other.once === null) &&
    conditions.every((condition) => draft.holds(condition, act, line));
  return isSelected ? undefined : (other ?? one).clause.id;
};
