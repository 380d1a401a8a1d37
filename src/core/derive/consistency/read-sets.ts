import type { Expr } from "../../expression/expr.ts";
import { eitherOnly, intersects, type ReadSet, type RecordRead, readSetOf } from "../../expression/inspect/read-set.ts";
import { type ComputedFields, expandComputed } from "../../expression/rewrite/expand-computed.ts";
import { isReadBy, rulesAt } from "../../model/applicable-rules.ts";
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
import { permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

/** Records that share the value of a field, and so one lock: `Request.employee`; without a field all of an entity. */
export const lockName = ({ entity, by }: RecordRead): string => `${entity}.${by ?? "*"}`;

/**
 * What any rule of the document reads of an entity's records, one for each lock. A write that touches one of these holds
 * its lock, so that a rule never judges what somebody else is about to change.
 */
export const lockedReadsOf = (model: Model, entity: Entity): readonly RecordRead[] =>
  [...(readsByLock(model).get(entity.name)?.values() ?? [])].toSorted((a, b) => (lockName(a) < lockName(b) ? -1 : 1));

type ByLock = ReadonlyMap<string, RecordRead>;
const inModel = new WeakMap<Model, ReadonlyMap<string, ByLock>>();

const readsByLock = (model: Model): ReadonlyMap<string, ByLock> => {
  const known = inModel.get(model);
  if (known !== undefined) return known;
  const made = new Map<string, Map<string, RecordRead>>();
  for (const entity of model.entities.values())
    for (const recordRead of [
      ...entity.rules.flatMap((rule) => rule.recordReads),
      ...momentsOf(entity).flatMap((moment) => guardReadsOf(model, entity, moment)),
      ...automaticTransitions(model).flatMap(({ owner, reads }) =>
        owner === entity ? reads.flatMap(({ recordReads }) => recordReads) : [],
      ),
    ]) {
      const byLock = made.get(recordRead.entity) ?? new Map<string, RecordRead>();
      made.set(recordRead.entity, byLock);
      const lock = lockName(recordRead);
      byLock.set(lock, united(byLock.get(lock), recordRead));
    }
  inModel.set(model, made);
  return made;
};

const united = (one: RecordRead | undefined, other: RecordRead): RecordRead => {
  if (one === undefined) return other;
  const { only: _, ...rest } = one;
  const only = eitherOnly(one.only, other.only);
  return { ...rest, ...(only === undefined ? {} : { only }), fields: new Set([...one.fields, ...other.fields]) };
};

/** A rule that has to be judged on the records that lead to one that it reads when that one is written. */
export interface AffectedRule {
  readonly owner: Entity;
  readonly rule: ValidationRule;
  readonly recordRead: RecordRead;
  /** Of the records that lead to the one that is written: all, all but itself, or only itself. */
  readonly on: "all" | "others" | "itself";
}

/**
 * The rules that have to be judged on what leads to a record of this entity when these fields of it change: those that hold
 * always and read it, and those that read it as a part of their own record, which is then changed with it. A record may lead
 * to itself (`parent.weight` where it is its own parent): then a rule without `always` reads the field of its own record.
 */
export const rulesAffectedBy = (
  model: Model,
  entity: Entity,
  changed: ReadonlySet<string> | null,
): readonly AffectedRule[] =>
  [...model.entities.values()].flatMap((owner) =>
    owner.rules.flatMap((rule) =>
      rule.recordReads.flatMap((recordRead): readonly AffectedRule[] => {
        if (recordRead.entity !== entity.name || !intersects(recordRead, changed)) return [];
        if (rule.mutual === true && owner === entity && recordRead.by !== "id") return [];
        const ofPart = recordRead.key === "" && entity.fields.get(recordRead.by ?? "")?.partOf === true;
        const isReaching = rule.always || (rule.during === null && ofPart);
        if (owner !== entity) return isReaching ? [{ owner, rule, recordRead, on: "all" }] : [];
        // Judged on itself in any case, among the rules of its own moment, or gone.
        const isJudged = changed === null || rule.during !== null || isReadBy(entity, rule, changed);
        if (isReaching) return [{ owner, rule, recordRead, on: isJudged ? "others" : "all" }];
        return isJudged ? [] : [{ owner, rule, recordRead, on: "itself" }];
      }),
    ),
  );

/** A transition that happens by itself on a condition, and the records of another that its condition reads. */
export interface ConditionTrigger {
  readonly owner: Entity;
  readonly transition: Transition;
  /** `null`: the record itself. */
  readonly recordRead: RecordRead | null;
  /** All that the condition and the guard read of other records. */
  readonly reads: readonly RecordRead[];
}

interface ByItself {
  readonly owner: Entity;
  readonly transition: Transition;
  readonly reads: readonly ReadSet[];
}

const byItself = new WeakMap<Model, readonly ByItself[]>();

/** The transitions of a document that happen on a condition, in its order, with what the condition and the guard read. */
export const automaticTransitions = (model: Model): readonly ByItself[] => {
  const known = byItself.get(model);
  if (known !== undefined) return known;
  const made = [...model.entities.values()].flatMap((owner) =>
    [...(owner.states?.transitions.values() ?? [])].flatMap((transition): readonly ByItself[] => {
      if (transition.once === null) return [];
      const conditions = [transition.once, ...(transition.when === null ? [] : [transition.when])];
      return [
        { owner, transition, reads: conditions.map((expr) => readSetOf(expandComputed(expr, standingIn(model)))) },
      ];
    }),
  );
  byItself.set(model, made);
  return made;
};

/** The transitions on which a write of this entity's records may bear. */
export const triggersAffectedBy = (
  model: Model,
  entity: Entity,
  moment: string,
  changed: ReadonlySet<string> | null,
): readonly ConditionTrigger[] =>
  automaticTransitions(model).flatMap(({ owner, transition, reads }): readonly ConditionTrigger[] => {
    const own = [owner.states?.field ?? "", ...reads.flatMap(({ fields }) => [...fields])];
    const concerns = moment !== "delete" && (changed === null || own.some((field) => changed.has(field)));
    const all = reads.flatMap(({ recordReads }) => recordReads);
    const others = all.filter((recordRead) => recordRead.entity === entity.name && intersects(recordRead, changed));
    return [
      ...(owner === entity && concerns ? [{ owner, transition, recordRead: null, reads: all }] : []),
      ...others.map((recordRead) => ({ owner, transition, recordRead, reads: all })),
    ];
  });

/** What a computed field is made of, where it changes with what it reads. */
const standingIn =
  ({ entities }: Model): ComputedFields =>
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
  ...triggersAffectedBy(model, entity, moment, changed).map(({ owner, transition: { name } }) => ({
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

const guardOf = (model: Model, entity: Entity, moment: string): readonly RecordRead[] => {
  const guard = entity.states?.transitions.get(moment)?.when ?? null;
  return guard === null ? [] : readSetOf(expandComputed(guard, standingIn(model))).recordReads;
};

/** What the permissions of a moment read of other records. */
const permissionOf = (model: Model, entity: Entity, moment: string): readonly RecordRead[] => {
  const transition = entity.states?.transitions.get(moment);
  const permissionRules =
    transition === undefined
      ? permissionRulesFor(entity, moment as Exclude<Action, "read">)
      : transitionRulesFor(entity, transition);
  const conditions = permissionRules.flatMap(({ held, when }) =>
    [held, when].filter((one): one is Expr => one !== null),
  );
  return conditions.flatMap((condition) => readSetOf(expandComputed(condition, standingIn(model))).recordReads);
};

/** What rules and guards judge of a write that changes what `read` reads. */
const judgedOf = (model: Model, { entity, moment, changed }: Write, read: RecordRead): readonly RecordRead[] => {
  const touching =
    changed === null ? null : new Set([...changed].filter((field) => intersects(read, new Set([field]))));
  return [
    ...(moment === "delete" ? [] : rulesAt(entity, moment, touching ?? new Set())).flatMap((rule) => rule.recordReads),
    ...rulesAffectedBy(model, entity, touching).map(({ owner }) => ({ entity: owner.name, fields: new Set(["*"]) })),
    ...guardOf(model, entity, moment),
  ];
};

/** Something that may be done, all that is written by it, and what says who may. */
interface Act {
  readonly writes: readonly [Write, ...Write[]];
  readonly allowed: readonly RecordRead[];
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

const changes = ({ entity, changed }: Write, read: RecordRead): boolean =>
  entity.name === read.entity &&
  // What a record refers to is there before it and as long as it.
  (read.by !== "id" || changed !== null) &&
  intersects(read, changed);

/** What a guard reads, and whether what follows from the act writes there: then it is held alone from the beginning. */
export interface GuardRead extends RecordRead {
  readonly alone: boolean;
}

const inGuards = new WeakMap<Entity, Map<string, readonly GuardRead[]>>();

/**
 * What a guard and the permissions of a moment read of other records, where that must still hold when it is done: where an
 * act that changes it, or from which such a change follows, is itself judged by what this one writes or by what follows from
 * it. Who makes a job needs a crew that is not disbanded, and who disbands a crew needs it to have no jobs; who meets a wish
 * by an effect that grants it needs one that is not granted yet. What nothing crosses was right at its moment, as if it had
 * been done before whatever changed it, and takes no locks.
 */
export const guardReadsOf = (model: Model, entity: Entity, moment: string): readonly GuardRead[] => {
  const byMoment = inGuards.get(entity) ?? new Map<string, readonly GuardRead[]>();
  inGuards.set(entity, byMoment);
  const known = byMoment.get(moment);
  if (known !== undefined) return known;
  const reads = [...guardOf(model, entity, moment), ...permissionOf(model, entity, moment)];
  const [act, ...after] = writesOf(model, entity, moment);
  const crosses = (read: RecordRead): boolean =>
    actsIn(model).some(({ writes, allowed }) => {
      const touching = writes.filter((write) => changes(write, read));
      if (touching.length === 0) return false;
      const judged = [...allowed, ...touching.flatMap((write) => judgedOf(model, write, read))];
      return judged.some((back) =>
        [act, ...after].some((own) => own.entity.name === back.entity && intersects(back, own.changed)),
      );
    });
  const made = reads.filter(crosses).map((read) => ({ ...read, alone: after.some((write) => changes(write, read)) }));
  byMoment.set(moment, made);
  return made;
};

// What follows from a write

/** A write with its parts, as far as it decides what follows. */
export interface WriteEvent {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
  /** The entities of the parts that are written with it. */
  readonly parts: readonly Entity[];
}

/** All that may be written because of an act, beside the act itself. */
const consequencesOf = (model: Model, { entity, moment, changed, parts }: WriteEvent): readonly Write[] => {
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
export const isUnaffectedBy = (
  model: Model,
  acting: WriteEvent,
): ((owner: Entity, rule: Pick<ValidationRule, "reads" | "recordReads">) => boolean) => {
  const writes = consequencesOf(model, acting);
  return (owner, { reads, recordReads }) =>
    !writes.some(
      ({ entity, moment, changed }) =>
        (entity === owner && (changed === null ? moment === "delete" : reads.some((name) => changed.has(name)))) ||
        recordReads.some((one) => one.entity === entity.name && intersects(one, changed)),
    );
};

/** True if an act writes nothing beside its own record. */
export const writesNothingElse = (model: Model, acting: WriteEvent): boolean =>
  consequencesOf(model, acting).length === 0;
