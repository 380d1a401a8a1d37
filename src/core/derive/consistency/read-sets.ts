import type { Expr } from "../../expression/expr.ts";
import { eitherOnly, type Footprint, type Reads, readsOf } from "../../expression/inspect/read-set.ts";
import { type Computed, unfolded } from "../../expression/rewrite/expand-computed.ts";
import { rulesAt } from "../../model/applicable-rules.ts";
import {
  type Action,
  type Effect,
  type Entity,
  type Model,
  madeOf,
  type Transition,
  type ValidationRule,
} from "../../model/model.ts";
import { partsOf } from "../../model/parts.ts";
import { allowancesOf, transitionAllowancesOf } from "../authorization/grants.ts";

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
      ...byItselfIn(model).flatMap(({ owner, reads }) =>
        owner === entity ? reads.flatMap(({ footprint }) => footprint) : [],
      ),
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
  /** All that the condition and the guard read of other records. */
  readonly reads: readonly Footprint[];
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
    const all = reads.flatMap(({ footprint }) => footprint);
    const others = all.filter((footprint) => footprint.entity === entity.name && touches(footprint, changed));
    return [
      ...(owner === entity && concerns ? [{ owner, transition, footprint: null, reads: all }] : []),
      ...others.map((footprint) => ({ owner, transition, footprint, reads: all })),
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

/** Records of an entity that are written at a moment; of a change, the fields that it may change. */
interface Write {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
}

/** What an effect writes of records. */
const writesBy = ({ entities }: Model, effect: Effect): readonly Write[] => {
  if (effect.kind === "notify" || effect.kind === "call") return [];
  const entity = entities.get(effect.entity);
  if (entity === undefined) return [];
  const set = "set" in effect ? [...effect.set.keys()] : [];
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name);
  const update = { entity, moment: "update", changed: new Set([...set, ...kept]) };
  switch (effect.kind) {
    case "create":
    case "delete":
      return [{ entity, moment: effect.kind, changed: null }];
    case "put":
      return [{ entity, moment: "create", changed: null }, update];
    case "update":
      return [update];
    default: {
      const moved = changedAt(entity, effect.transition) ?? [];
      return [{ entity, moment: effect.transition, changed: new Set([...moved, ...set, ...kept]) }];
    }
  }
};

/** What comes of a write at once: of its effects, of transitions that happen by themselves, of the parts of what goes. */
const following = (model: Model, { entity, moment, changed }: Write): readonly Write[] => [
  ...(entity.after.get(moment) ?? []).flatMap((effect) => writesBy(model, effect)),
  ...firingsOn(model, entity, moment, changed).map(({ owner, transition: { name } }) => ({
    entity: owner,
    moment: name,
    changed: changedAt(owner, name),
  })),
  ...(moment === "delete"
    ? partsOf(model, entity).map((part) => ({ entity: part.entity, moment, changed: null }))
    : []),
];

/** An act and all that follows from it: the act first. */
const writesOf = (model: Model, entity: Entity, moment: string): readonly [Write, ...Write[]] => {
  const act: Write = { entity, moment, changed: changedAt(entity, moment) };
  const all: [Write, ...Write[]] = [act];
  const known = new Set<string>();
  for (const write of all)
    for (const next of following(model, write)) {
      const name = [next.entity.name, next.moment, ...(next.changed ?? [])].join(" ");
      if (!known.has(name)) all.push(next);
      known.add(name);
    }
  return all;
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

/** What rules and guards judge of a write that changes what `read` reads. */
const judgedOf = (model: Model, { entity, moment, changed }: Write, read: Footprint): readonly Footprint[] => {
  const touching = changed === null ? null : new Set([...changed].filter((field) => touches(read, new Set([field]))));
  return [
    ...(moment === "delete" ? [] : rulesAt(entity, moment, touching ?? new Set())).flatMap((rule) => rule.footprint),
    ...reachesOn(model, entity).flatMap(({ owner, footprint }) =>
      touches(footprint, touching) ? [{ entity: owner.name, fields: new Set(["*"]) }] : [],
    ),
    ...guardOf(model, entity, moment),
  ];
};

/** Something that may be done, all that is written by it, and what says who may. */
interface Act {
  readonly writes: readonly [Write, ...Write[]];
  readonly allowed: readonly Footprint[];
}

const inActs = new WeakMap<Model, readonly Act[]>();

const actsIn = (model: Model): readonly Act[] => {
  const known = inActs.get(model);
  if (known !== undefined) return known;
  const made = [...model.entities.values()].flatMap((entity) =>
    momentsOf(entity).map(
      (moment): Act => ({
        writes: writesOf(model, entity, moment),
        allowed: [...guardOf(model, entity, moment), ...permissionOf(model, entity, moment)],
      }),
    ),
  );
  inActs.set(model, made);
  return made;
};

const changes = ({ entity, changed }: Write, read: Footprint): boolean =>
  entity.name === read.entity &&
  // What a record refers to is there before it and as long as it.
  (read.by !== "id" || changed !== null) &&
  touches(read, changed);

/** What a guard reads, and whether what follows from the act writes there: then it is held alone from the beginning. */
export interface Guard extends Footprint {
  readonly alone: boolean;
}

const inGuards = new WeakMap<Entity, Map<string, readonly Guard[]>>();

/**
 * What a guard and the permissions of a moment read of other records, where that must still hold when it is done: where an
 * act that changes it, or from which such a change follows, is itself judged by what this one writes or by what follows from
 * it. Who makes a job needs a crew that is not disbanded, and who disbands a crew needs it to have no jobs; who meets a wish
 * by an effect that grants it needs one that is not granted yet. What nothing crosses was right at its moment, as if it had
 * been done before whatever changed it, and takes no locks.
 */
export const guardsOn = (model: Model, entity: Entity, moment: string): readonly Guard[] => {
  const byMoment = inGuards.get(entity) ?? new Map<string, readonly Guard[]>();
  inGuards.set(entity, byMoment);
  const known = byMoment.get(moment);
  if (known !== undefined) return known;
  const reads = [...guardOf(model, entity, moment), ...permissionOf(model, entity, moment)];
  const [act, ...after] = writesOf(model, entity, moment);
  const crosses = (read: Footprint): boolean =>
    actsIn(model).some(({ writes, allowed }) => {
      const touching = writes.filter((write) => changes(write, read));
      if (touching.length === 0) return false;
      const judged = [...allowed, ...touching.flatMap((write) => judgedOf(model, write, read))];
      return judged.some((back) =>
        [act, ...after].some((own) => own.entity.name === back.entity && touches(back, own.changed)),
      );
    });
  const made = reads.filter(crosses).map((read) => ({ ...read, alone: after.some((write) => changes(write, read)) }));
  byMoment.set(moment, made);
  return made;
};

// What follows from a write

/** A write with its parts, as far as it decides what follows. */
export interface Acting {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
  /** The entities of the parts that are written with it. */
  readonly parts: readonly Entity[];
}

/** All that may be written because of an act, beside the act itself. */
const consequencesOf = (model: Model, { entity, moment, changed, parts }: Acting): readonly Write[] => {
  const first = parts.flatMap((part): readonly Write[] => [
    { entity: part, moment: "create", changed: null },
    { entity: part, moment: "update", changed: new Set(part.fields.keys()) },
    { entity: part, moment: "delete", changed: null },
  ]);
  const all = [...first, ...following(model, { entity, moment, changed })];
  const known = new Set<string>();
  for (const write of all)
    for (const next of following(model, write)) {
      const name = [next.entity.name, next.moment, ...(next.changed ?? [])].join(" ");
      if (!known.has(name)) all.push(next);
      known.add(name);
    }
  return all;
};

/**
 * True of a rule if nothing that follows from an act can change whether it holds: then it is judged before anything
 * follows. `owner`: of which entity's records it is a rule.
 */
export const settledBy = (
  model: Model,
  acting: Acting,
): ((owner: Entity, rule: Pick<ValidationRule, "reads" | "footprint">) => boolean) => {
  const writes = consequencesOf(model, acting);
  return (owner, { reads, footprint }) =>
    !writes.some(
      ({ entity, moment, changed }) =>
        (entity === owner && (changed === null ? moment === "delete" : reads.some((name) => changed.has(name)))) ||
        footprint.some((one) => one.entity === entity.name && touches(one, changed)),
    );
};

/** True if an act writes nothing beside its own record. */
export const writesNothingElse = (model: Model, acting: Acting): boolean => consequencesOf(model, acting).length === 0;
