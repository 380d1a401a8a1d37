import { collectReadSet, dependsOn, intersects, type RecordRead } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition, ValidationRule } from "../entity.ts";
import { type Field, isActValue, isPlainColumn } from "../field.ts";
import { addsRecord } from "../write-actions.ts";
import { findKeptAt } from "./kept-fields.ts";

/** True for a rule that compares the record with itself before the write, so that no creation can violate it. */
export const comparesWithOld = ({ rule, when }: Pick<ValidationRule, "rule" | "when">): boolean =>
  collectReadSet(rule).old || (when !== null && collectReadSet(when).old);

/**
 * The rules checked on `create`, `update`, a transition, or when a deleted record is restored. `changed`: the fields
 * that the write may change.
 */
export const rulesAt = (entity: Entity, action: string, changed: ReadonlySet<string>): readonly ValidationRule[] =>
  entity.rules.filter((rule) => {
    if (rule.during !== null) return rule.during.includes(action);
    return addsRecord(action) ? !comparesWithOld(rule) : isReadBy(entity, rule, changed);
  });

/** A rule that is checked with a transition. */
interface CheckedRule {
  readonly rule: ValidationRule;
  /** True if the record alone decides it before the write: it reads nothing that the transition changes or asks for. */
  readonly isDecidable: boolean;
}

/** The fields that a transition writes: the state, those that it sets, and those that it asks for. */
const findWritten = ({ states }: Entity, { set, asks }: Transition): ReadonlySet<string> =>
  new Set([states?.field ?? "", ...set.keys(), ...asks]);

/** The fields that a transition may change: those that it writes, and those that follow from it. */
export const findChangedBy = (entity: Entity, transition: Transition): ReadonlySet<string> => {
  const { name, needs } = transition;
  const written = findWritten(entity, transition);
  const numbered = [...entity.fields.values()].filter(({ series }) => series?.gapless === name);
  return new Set([
    ...written,
    ...findKeptAt(entity, name, written),
    ...numbered.map((field) => field.name),
    ...(needs === undefined ? [] : [needs.field]),
    "updated_at",
  ]);
};

/** The rules that are checked with a transition, in document order. */
export const rulesOfTransition = (entity: Entity, transition: Transition): readonly CheckedRule[] => {
  const { name, asks } = transition;
  const changed = findChangedBy(entity, transition);
  // With a list of parts, a transition asks for the parts.
  const lists = asks.flatMap((ask) => {
    const field = entity.fields.get(ask);
    return field?.storage.as === "inverse" && field.entity !== null ? [field.entity] : [];
  });
  const entities = new Set([entity.name, ...lists]);
  return rulesAt(entity, name, findWritten(entity, transition)).map((rule) => ({
    rule,
    isDecidable:
      !rule.reads.some((field) => changed.has(field)) && !rule.recordReads.some((read) => entities.has(read.entity)),
  }));
};

/**
 * True if a rule reads one of these fields of its own record, directly or in a list that always contains the record.
 * `Item.map(i, i.weight).sum() <= 10` reads `weight` of the item that it checks.
 */
export const isReadBy = (
  entity: Pick<Entity, "name">,
  { reads, recordReads }: Pick<ValidationRule, "reads" | "recordReads">,
  changed: ReadonlySet<string>,
): boolean =>
  reads.some((field) => changed.has(field)) ||
  recordReads.some((read) => containsItself(entity, read) && intersects(read, changed));

/** `isReadBy` for a single field. */
export const isFieldReadBy = (
  entity: Pick<Entity, "name">,
  { reads, recordReads }: Pick<ValidationRule, "reads" | "recordReads">,
  field: string,
): boolean =>
  reads.includes(field) || recordReads.some((read) => containsItself(entity, read) && dependsOn(read, field));

/** True if each record is among those that it reads: all of its entity, or all that share the value of a field with it. */
const containsItself = ({ name }: Pick<Entity, "name">, { entity, by, key }: RecordRead): boolean =>
  entity === name && (by === undefined || by === key);

/**
 * The fields whose `among` or conditional `required` is checked: those that the write changes, and those whose
 * condition reads a changed field. `changed` is null on creation. A value of an act is checked only with its act.
 */
export const findConditionalFields = (entity: Entity, changed: ReadonlySet<string> | null): readonly Field[] =>
  [...entity.fields.values()].filter((field) => {
    const { name, among, needed } = field;
    if (isActValue(field)) return among !== null && changed?.has(name) === true;
    const reads = [...(among?.reads ?? []), ...(needed?.reads ?? []), name];
    return (among !== null || needed !== null) && (changed === null || reads.some((item) => changed.has(item)));
  });

/**
 * The fields with bounds that a write changes. `changed` is null on creation. Sent values are compared with the bounds
 * when they are read, values that the document computes when they are written.
 */
export const findBoundedFields = (entity: Entity, changed: ReadonlySet<string> | null): readonly Field[] =>
  [...entity.fields.values()].filter(
    (field) =>
      (field.min !== null || field.max !== null) &&
      (isPlainColumn(field) || isActValue(field)) &&
      (changed === null || changed.has(field.name)),
  );

/** The fields with bounds whose initial values are computed. A constant default was checked with the document. */
export const findBoundedInitials = (entity: Entity, sent: ReadonlySet<string>): readonly Field[] =>
  findBoundedFields(entity, null).filter(
    ({ name, set, default: initial, storage }) =>
      storage.as !== "act" && (set !== null || (initial !== null && initial.kind !== "constant" && !sent.has(name))),
  );
