import type { Entity, Model, ValidationRule } from "../model/model.ts";
import { eitherOnly, type Footprint } from "../rule/reads.ts";

/** Records that share the value of a field, and so one lock: `Request.employee`; without a field all of an entity. */
export const lockOf = ({ entity, by }: Footprint): string => `${entity}.${by ?? "*"}`;

/**
 * What any rule of the document reads of an entity's records, one for each lock. A write that touches one of these holds
 * its lock, so that a rule never judges what somebody else is about to change.
 */
export const footprintsOn = (model: Model, entity: Entity): readonly Footprint[] =>
  [...(footprintsIn(model).get(entity.name)?.values() ?? [])].toSorted((a, b) => (lockOf(a) < lockOf(b) ? -1 : 1));

type ByLock = ReadonlyMap<string, Footprint>;
const inModel = new WeakMap<Model, ReadonlyMap<string, ByLock>>();

const footprintsIn = (model: Model): ReadonlyMap<string, ByLock> => {
  const known = inModel.get(model);
  if (known !== undefined) return known;
  const made = new Map<string, Map<string, Footprint>>();
  for (const entity of model.entities.values())
    for (const footprint of entity.rules.flatMap((rule) => rule.footprint)) {
      const byLock = made.get(footprint.entity) ?? new Map<string, Footprint>();
      made.set(footprint.entity, byLock);
      const lock = lockOf(footprint);
      byLock.set(lock, united(byLock.get(lock), footprint));
    }
  inModel.set(model, made);
  return made;
};

const united = (one: Footprint | undefined, other: Footprint): Footprint => {
  if (one === undefined) return other;
  const { only: _, ...rest } = one;
  const only = eitherOnly(one.only, other.only);
  return { ...rest, ...(only === undefined ? {} : { only }), fields: new Set([...one.fields, ...other.fields]) };
};

/** A rule that has to be judged on other records when a record of its footprint is written. */
export interface Reach {
  readonly owner: Entity;
  readonly rule: ValidationRule;
  readonly footprint: Footprint;
}

/** The rules that hold always and read records of this entity. */
export const reachesOn = (model: Model, entity: Entity): readonly Reach[] =>
  [...model.entities.values()].flatMap((owner) =>
    owner.rules.flatMap((rule) =>
      rule.always
        ? rule.footprint.flatMap((footprint) => (footprint.entity === entity.name ? [{ owner, rule, footprint }] : []))
        : [],
    ),
  );

/** Whether a write that changes these fields can change what is read there; `null`: a record comes or goes. */
export const touches = ({ fields, by }: Footprint, changed: ReadonlySet<string> | null): boolean =>
  changed === null || [...fields, by ?? ""].some((field) => changed.has(field));
