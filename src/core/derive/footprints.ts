import { type Action, type Entity, type Model, madeOf, type Transition, type ValidationRule } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { eitherOnly, type Footprint, type Reads, readsOf } from "../rule/reads.ts";
import { type Computed, unfolded } from "../rule/unfold.ts";
import { allowancesOf, transitionAllowancesOf } from "./access.ts";
import { rulesAt } from "./rules.ts";

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
    for (const footprint of [
      ...entity.rules.flatMap((rule) => rule.footprint),
      ...momentsOf(entity).flatMap((moment) => guardsOn(model, entity, moment)),
    ]) {
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

/**
 * The rules that have to be judged on other records when one of this entity is written: those that hold always and read
 * it, and those that read it as a part of their own record, which is then changed with it.
 */
export const reachesOn = (model: Model, entity: Entity): readonly Reach[] =>
  [...model.entities.values()].flatMap((owner) =>
    owner.rules.flatMap((rule) =>
      rule.footprint.flatMap((footprint) => {
        if (footprint.entity !== entity.name) return [];
        if (rule.mutual === true && owner === entity && footprint.by !== "id") return [];
        const ofPart = footprint.key === "" && entity.fields.get(footprint.by ?? "")?.partOf === true;
        return rule.always || (rule.during === null && ofPart) ? [{ owner, rule, footprint }] : [];
      }),
    ),
  );

/** Whether a write that changes these fields can change what is read there; `null`: a record comes or goes. */
export const touches = ({ fields, by }: Footprint, changed: ReadonlySet<string> | null): boolean =>
  changed === null || fields.has("*") || [...fields, by ?? ""].some((field) => changed.has(field));

/** A transition that happens by itself on a condition, and the records of another that its condition reads. */
export interface Firing {
  readonly owner: Entity;
  readonly transition: Transition;
  /** `null`: the record itself. */
  readonly footprint: Footprint | null;
}

interface ByItself {
  readonly owner: Entity;
  readonly transition: Transition;
  readonly reads: readonly Reads[];
}

const byItself = new WeakMap<Model, readonly ByItself[]>();

/** The transitions of a document that happen on a condition, in its order, with what the condition and the guard read. */
export const byItselfIn = (model: Model): readonly ByItself[] => {
  const known = byItself.get(model);
  if (known !== undefined) return known;
  const made = [...model.entities.values()].flatMap((owner) =>
    [...(owner.states?.transitions.values() ?? [])].flatMap((transition): readonly ByItself[] => {
      if (transition.once === null) return [];
      const conditions = [transition.once, ...(transition.when === null ? [] : [transition.when])];
      return [{ owner, transition, reads: conditions.map((expr) => readsOf(unfolded(expr, standingIn(model)))) }];
    }),
  );
  byItself.set(model, made);
  return made;
};

/** The transitions on which a write of this entity's records may bear. */
export const firingsOn = (
  model: Model,
  entity: Entity,
  moment: string,
  changed: ReadonlySet<string> | null,
): readonly Firing[] =>
  byItselfIn(model).flatMap(({ owner, transition, reads }): readonly Firing[] => {
    const own = [owner.states?.field ?? "", ...reads.flatMap(({ fields }) => [...fields])];
    const concerns = moment !== "delete" && (changed === null || own.some((field) => changed.has(field)));
    const others = reads
      .flatMap(({ footprint }) => footprint)
      .filter((footprint) => footprint.entity === entity.name && touches(footprint, changed));
    return [
      ...(owner === entity && concerns ? [{ owner, transition, footprint: null }] : []),
      ...others.map((footprint) => ({ owner, transition, footprint })),
    ];
  });

/** What a computed field is made of, where it changes with what it reads. */
const standingIn =
  ({ entities }: Model): Computed =>
  (entity, name) => {
    const field = entities.get(entity)?.fields.get(name);
    return field === undefined || field.held.as === "kept" ? undefined : (madeOf(field) ?? undefined);
  };

// Who may act when

const actions: readonly Exclude<Action, "read">[] = ["create", "update", "delete"];

const momentsOf = ({ states }: Entity): readonly string[] => [...actions, ...(states?.transitions.keys() ?? [])];

/** What a moment may change of its record; `null`: it comes or goes. */
const changedAt = (entity: Entity, moment: string): ReadonlySet<string> | null => {
  if (moment === "create" || moment === "delete") return null;
  const transition = entity.states?.transitions.get(moment);
  if (transition === undefined) return new Set(entity.fields.keys());
  return new Set([entity.states?.field ?? "", ...transition.asks, ...transition.set.keys()]);
};

const guardOf = (model: Model, entity: Entity, moment: string): readonly Footprint[] => {
  const guard = entity.states?.transitions.get(moment)?.when ?? null;
  return guard === null ? [] : readsOf(unfolded(guard, standingIn(model))).footprint;
};

/** What the permissions of a moment read of other records. */
const permissionOf = (model: Model, entity: Entity, moment: string): readonly Footprint[] => {
  const transition = entity.states?.transitions.get(moment);
  const allowances =
    transition === undefined
      ? allowancesOf(entity, moment as Exclude<Action, "read">)
      : transitionAllowancesOf(entity, transition);
  const conditions = allowances.flatMap(({ held, when }) => [held, when].filter((one): one is Expr => one !== null));
  return conditions.flatMap((condition) => readsOf(unfolded(condition, standingIn(model))).footprint);
};

/** What is judged of a write at a moment that changes what `read` reads: rules, the guard and permissions. */
const judgedAt = (model: Model, entity: Entity, moment: string, read: Footprint): readonly Footprint[] => {
  const changed = changedAt(entity, moment);
  const touching = changed === null ? null : new Set([...changed].filter((field) => touches(read, new Set([field]))));
  return [
    ...(moment === "delete" ? [] : rulesAt(entity, moment, touching ?? new Set())).flatMap((rule) => rule.footprint),
    ...reachesOn(model, entity).flatMap(({ owner, footprint }) =>
      touches(footprint, touching) ? [{ entity: owner.name, fields: new Set(["*"]) }] : [],
    ),
    ...guardOf(model, entity, moment),
    ...permissionOf(model, entity, moment),
  ];
};

const inGuards = new WeakMap<Entity, Map<string, readonly Footprint[]>>();

/**
 * What a guard and the permissions of a moment read of other records, where that must still hold when it is done: where a
 * write that changes it is itself judged by what this one writes. Who makes a job needs a crew that is not disbanded, and who
 * disbands it needs a crew without jobs; who takes a drill needs one that nobody else has taken. What nothing crosses was
 * right at its moment, as if it had been done before whatever changed it, and takes no locks.
 */
export const guardsOn = (model: Model, entity: Entity, moment: string): readonly Footprint[] => {
  const byMoment = inGuards.get(entity) ?? new Map<string, readonly Footprint[]>();
  inGuards.set(entity, byMoment);
  const known = byMoment.get(moment);
  if (known !== undefined) return known;
  const changed = changedAt(entity, moment);
  const crosses = (read: Footprint): boolean => {
    const other = model.entities.get(read.entity);
    return (
      other !== undefined &&
      momentsOf(other).some(
        (its) =>
          // What a record refers to is there before it and as long as it.
          (read.by !== "id" || changedAt(other, its) !== null) &&
          touches(read, changedAt(other, its)) &&
          judgedAt(model, other, its, read).some((back) => back.entity === entity.name && touches(back, changed)),
      )
    );
  };
  const made = [...guardOf(model, entity, moment), ...permissionOf(model, entity, moment)].filter(crosses);
  byMoment.set(moment, made);
  return made;
};
