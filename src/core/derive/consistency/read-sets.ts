import type { Expr } from "../../expression/expr.ts";
import {
  collectReadSet,
  eitherOnly,
  intersects,
  type ReadSet,
  type RecordRead,
} from "../../expression/inspect/read-set.ts";
import { type ComputedFields, expandComputed } from "../../expression/rewrite/expand-computed.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Transition, ValidationRule } from "../../model/entity.ts";
import { comparesWithOld, isReadBy, rulesAt } from "../../model/facts/applicable-rules.ts";
import { findKeptAt } from "../../model/facts/kept-fields.ts";
import { findParts } from "../../model/facts/parts.ts";
import { computedExpr } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Action } from "../../model/permissions.ts";
import { permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

/**
 * Name of the lock that records with an equal field value share: `Request.employee`; without a field, all records of
 * the entity.
 */
export const lockName = ({ entity, by }: RecordRead): string => `${entity}.${by ?? "*"}`;

/**
 * The reads of all rules on an entity's records, one per lock. A write that affects one of them holds its lock, so that
 * no rule is checked on data that a concurrent transaction is changing.
 */
export const findLockedReads = (model: Model, entity: Entity): readonly RecordRead[] =>
  [...(readsByLock(model).get(entity.name)?.values() ?? [])].toSorted((a, b) => (lockName(a) < lockName(b) ? -1 : 1));

type ByLock = ReadonlyMap<string, RecordRead>;
const inModel = new WeakMap<Model, ReadonlyMap<string, ByLock>>();

const readsByLock = (model: Model): ReadonlyMap<string, ByLock> => {
  const known = inModel.get(model);
  if (known !== undefined) return known;
  const result = new Map<string, Map<string, RecordRead>>();
  for (const entity of model.entities.values())
    for (const recordRead of [
      ...entity.rules.flatMap((rule) => rule.recordReads),
      ...getActions(entity).flatMap((action) => findGuardReads(model, entity, action)),
      ...automaticTransitions(model).flatMap(({ owner, reads }) =>
        owner === entity ? reads.flatMap(({ recordReads }) => recordReads) : [],
      ),
    ]) {
      const byLock = result.get(recordRead.entity) ?? new Map<string, RecordRead>();
      result.set(recordRead.entity, byLock);
      const lock = lockName(recordRead);
      byLock.set(lock, united(byLock.get(lock), recordRead));
    }
  inModel.set(model, result);
  return result;
};

const united = (one: RecordRead | undefined, other: RecordRead): RecordRead => {
  if (one === undefined) return other;
  const { only: _, ...rest } = one;
  const only = eitherOnly(one.only, other.only);
  return { ...rest, ...(only === undefined ? {} : { only }), fields: new Set([...one.fields, ...other.fields]) };
};

/** A rule to check on the records that read a written record. */
export interface AffectedRule {
  readonly owner: Entity;
  readonly rule: ValidationRule;
  readonly recordRead: RecordRead;
  /**
   * Which of the records that read the written one to check: all, all except the written one, or only the written one.
   */
  readonly on: "all" | "others" | "itself";
}

/**
 * The rules to check on records that read a record of this entity when these fields change: rules that always apply and
 * read it, and rules that read it as a part of their own record, which is then changed with it. A record can refer to
 * itself (`parent.weight` with itself as parent); then a rule without `always` reads a field of its own record.
 */
export const rulesAffectedBy = (
  model: Model,
  entity: Entity,
  changed: ReadonlySet<string> | null,
): readonly AffectedRule[] =>
  [...model.entities.values()].flatMap((owner) =>
    owner.rules.flatMap((rule) =>
      // A record that is not written itself is unchanged.
      (comparesWithOld(rule) ? [] : rule.recordReads).flatMap((recordRead): readonly AffectedRule[] => {
        if (recordRead.entity !== entity.name || !intersects(recordRead, changed)) return [];
        if (rule.mutual === true && owner === entity && recordRead.by !== "id") return [];
        const ofPart = recordRead.key === "" && entity.fields.get(recordRead.by ?? "")?.partOf === true;
        const isReaching = rule.always || (rule.during === null && ofPart);
        if (owner !== entity) return isReaching ? [{ owner, rule, recordRead, on: "all" }] : [];
        // The rule is checked on the record itself anyway, or the record is deleted.
        const isChecked = changed === null || rule.during !== null || isReadBy(entity, rule, changed);
        if (isReaching) return [{ owner, rule, recordRead, on: isChecked ? "others" : "all" }];
        return isChecked ? [] : [{ owner, rule, recordRead, on: "itself" }];
      }),
    ),
  );

/** An automatic transition with a condition, and the other records that its condition reads. */
export interface ConditionTrigger {
  readonly owner: Entity;
  readonly transition: Transition;
  /** `null` stands for the record itself. */
  readonly recordRead: RecordRead | null;
  /** All reads of the condition and the guard on other records. */
  readonly reads: readonly RecordRead[];
}

interface ByItself {
  readonly owner: Entity;
  readonly transition: Transition;
  readonly reads: readonly ReadSet[];
}

const byItself = new WeakMap<Model, readonly ByItself[]>();

/** The automatic transitions of a document in order, with the reads of their conditions and guards. */
export const automaticTransitions = (model: Model): readonly ByItself[] => {
  const known = byItself.get(model);
  if (known !== undefined) return known;
  const transitions = [...model.entities.values()].flatMap((owner) =>
    [...(owner.states?.transitions.values() ?? [])].flatMap((transition): readonly ByItself[] => {
      if (transition.once === null) return [];
      const conditions = [
        transition.once,
        ...(transition.guardAndPreconditions === null ? [] : [transition.guardAndPreconditions]),
      ];
      return [
        {
          owner,
          transition,
          reads: conditions.map((expr) => collectReadSet(expandComputed(expr, getStandingFields(model)))),
        },
      ];
    }),
  );
  byItself.set(model, transitions);
  return transitions;
};

/** The automatic transitions that a write of this entity's records can trigger. */
export const triggersAffectedBy = (
  model: Model,
  entity: Entity,
  action: string,
  changed: ReadonlySet<string> | null,
): readonly ConditionTrigger[] =>
  automaticTransitions(model).flatMap(({ owner, transition, reads }): readonly ConditionTrigger[] => {
    const own = [owner.states?.field ?? "", ...reads.flatMap(({ fields }) => [...fields])];
    const concerns = action !== "delete" && (changed === null || own.some((field) => changed.has(field)));
    const all = reads.flatMap(({ recordReads }) => recordReads);
    const others = all.filter((recordRead) => recordRead.entity === entity.name && intersects(recordRead, changed));
    return [
      ...(owner === entity && concerns ? [{ owner, transition, recordRead: null, reads: all }] : []),
      ...others.map((recordRead) => ({ owner, transition, recordRead, reads: all })),
    ];
  });

/** Expressions of computed fields whose value changes with their inputs. */
const getStandingFields =
  ({ entities }: Model): ComputedFields =>
  (entity, name) => {
    const field = entities.get(entity)?.fields.get(name);
    return field === undefined || field.storage.as === "stored" ? undefined : (computedExpr(field) ?? undefined);
  };

// Conflicts between concurrent operations

const getActions = ({ states }: Entity): readonly string[] => [
  ...(["create", "update", "delete"] satisfies readonly Action[]),
  ...(states?.transitions.keys() ?? []),
];

const findChangedFields = (entity: Entity, action: string): ReadonlySet<string> | null => {
  if (action === "create" || action === "delete") return null;
  const transition = entity.states?.transitions.get(action);
  if (transition === undefined) return new Set(entity.fields.keys());
  return new Set([entity.states?.field ?? "", ...transition.asks, ...transition.set.keys()]);
};

/** A write of an entity's records; for an update, with the fields that it can change. */
interface Write {
  readonly entity: Entity;
  readonly action: string;
  readonly changed: ReadonlySet<string> | null;
}

/** The writes of an effect. */
const writesBy = ({ entities }: Model, effect: Effect): readonly Write[] => {
  if (effect.kind === "notify" || effect.kind === "call" || effect.kind === "chat") return [];
  const entity = entities.get(effect.entity);
  if (entity === undefined) return [];
  const set = "set" in effect ? [...effect.set.keys()] : [];
  const withKept = (action: string, changed: readonly string[]): ReadonlySet<string> =>
    new Set([...changed, ...findKeptAt(entity, action, new Set(changed))]);
  const update = { entity, action: "update", changed: withKept("update", set) };
  switch (effect.kind) {
    case "create":
    case "delete":
      return [{ entity, action: effect.kind, changed: null }];
    case "put":
      return [{ entity, action: "create", changed: null }, update];
    case "update":
      return [update];
    default: {
      const moved = findChangedFields(entity, effect.transition) ?? [];
      return [{ entity, action: effect.transition, changed: withKept(effect.transition, [...moved, ...set]) }];
    }
  }
};

/** The direct consequences of a write: its effects, automatic transitions and the deletion of parts. */
const following = (model: Model, { entity, action, changed }: Write): readonly Write[] => [
  ...(entity.after.get(action) ?? []).flatMap((effect) => writesBy(model, effect)),
  ...triggersAffectedBy(model, entity, action, changed).map(({ owner, transition: { name } }) => ({
    entity: owner,
    action: name,
    changed: findChangedFields(owner, name),
  })),
  ...(action === "delete"
    ? findParts(model, entity).map((part) => ({ entity: part.entity, action, changed: null }))
    : []),
];

/** An operation and all its consequences; the operation comes first. */
const getWrites = (model: Model, entity: Entity, action: string): readonly [Write, ...Write[]] => {
  const act: Write = { entity, action, changed: findChangedFields(entity, action) };
  const all: [Write, ...Write[]] = [act];
  const known = new Set<string>();
  for (const write of all)
    for (const next of following(model, write)) {
      const name = [next.entity.name, next.action, ...(next.changed ?? [])].join(" ");
      if (!known.has(name)) all.push(next);
      known.add(name);
    }
  return all;
};

export const getGuard = (model: Model, entity: Entity, action: string): readonly RecordRead[] => {
  const guard = entity.states?.transitions.get(action)?.guardAndPreconditions ?? null;
  return guard === null ? [] : collectReadSet(expandComputed(guard, getStandingFields(model))).recordReads;
};

/** The reads of an operation's permissions on other records. */
export const getPermission = (model: Model, entity: Entity, action: string): readonly RecordRead[] => {
  const transition = entity.states?.transitions.get(action);
  const permissionRules =
    transition === undefined
      ? permissionRulesFor(entity, action as Exclude<Action, "read">)
      : transitionRulesFor(entity, transition);
  const conditions = permissionRules.flatMap(({ roleCondition, when }) =>
    [roleCondition, when].filter((item): item is Expr => item !== null),
  );
  return conditions.flatMap(
    (condition) => collectReadSet(expandComputed(condition, getStandingFields(model))).recordReads,
  );
};

/** The reads of rules and guards that check a write affecting `read`. */
const listCheckReads = (model: Model, { entity, action, changed }: Write, read: RecordRead): readonly RecordRead[] => {
  const touching =
    changed === null ? null : new Set([...changed].filter((field) => intersects(read, new Set([field]))));
  return [
    ...(action === "delete" ? [] : rulesAt(entity, action, touching ?? new Set())).flatMap((rule) => rule.recordReads),
    ...rulesAffectedBy(model, entity, touching).map(({ owner }) => ({ entity: owner.name, fields: new Set(["*"]) })),
    ...getGuard(model, entity, action),
  ];
};

/** An operation with all its writes and the reads of its permissions. */
interface Act {
  readonly writes: readonly [Write, ...Write[]];
  readonly allowed: readonly RecordRead[];
}

const inActs = new WeakMap<Model, readonly Act[]>();

const getActs = (model: Model): readonly Act[] => {
  const known = inActs.get(model);
  if (known !== undefined) return known;
  const acts = [...model.entities.values()].flatMap((entity) =>
    getActions(entity).map(
      (action): Act => ({
        writes: getWrites(model, entity, action),
        allowed: [...getGuard(model, entity, action), ...getPermission(model, entity, action)],
      }),
    ),
  );
  inActs.set(model, acts);
  return acts;
};

const changes = ({ entity, changed }: Write, read: RecordRead): boolean =>
  entity.name === read.entity &&
  // The target of a reference exists before and as long as the referring record.
  (read.by !== "id" || changed !== null) &&
  intersects(read, changed);

/** A read of a guard. `alone`: consequences of the operation write there, so its lock is exclusive from the start. */
export interface GuardRead extends RecordRead {
  readonly alone: boolean;
}

const inGuards = new WeakMap<Entity, Map<string, readonly GuardRead[]>>();

/**
 * The reads of an operation's guard and permissions on other records that must still hold at commit. These are reads
 * that another operation or its consequences can change, where that operation itself reads data that this one or its
 * consequences write. For example, creating a job requires an active crew, and disbanding a crew requires that it has
 * no jobs; fulfilling a wish by an effect requires that it is not yet fulfilled. All other operations are serializable
 * in the order of their reads and take no locks.
 */
export const findGuardReads = (model: Model, entity: Entity, action: string): readonly GuardRead[] => {
  const byAction = inGuards.get(entity) ?? new Map<string, readonly GuardRead[]>();
  inGuards.set(entity, byAction);
  const known = byAction.get(action);
  if (known !== undefined) return known;
  const reads = [...getGuard(model, entity, action), ...getPermission(model, entity, action)];
  const [act, ...after] = getWrites(model, entity, action);
  const crosses = (read: RecordRead): boolean =>
    getActs(model).some(({ writes, allowed }) => {
      const touching = writes.filter((write) => changes(write, read));
      if (touching.length === 0) return false;
      const checkReads = [...allowed, ...touching.flatMap((write) => listCheckReads(model, write, read))];
      return checkReads.some((back) =>
        [act, ...after].some((own) => own.entity.name === back.entity && intersects(back, own.changed)),
      );
    });
  const guardReads = reads
    .filter(crosses)
    .map((read) => ({ ...read, alone: after.some((write) => changes(write, read)) }));
  byAction.set(action, guardReads);
  return guardReads;
};

// Consequences of a write

/** A write with its parts, as far as its consequences depend on it. */
export interface WriteEvent {
  readonly entity: Entity;
  readonly action: string;
  readonly changed: ReadonlySet<string> | null;
  /** The entities of parts in the write. */
  readonly parts: readonly Entity[];
}

/** All possible writes caused by an operation, without the operation itself. */
const getConsequences = (model: Model, { entity, action, changed, parts }: WriteEvent): readonly Write[] => {
  const first = parts.flatMap((part): readonly Write[] => [
    { entity: part, action: "create", changed: null },
    { entity: part, action: "update", changed: new Set(part.fields.keys()) },
    { entity: part, action: "delete", changed: null },
  ]);
  const all = [...first, ...following(model, { entity, action, changed })];
  const known = new Set<string>();
  for (const write of all)
    for (const next of following(model, write)) {
      const name = [next.entity.name, next.action, ...(next.changed ?? [])].join(" ");
      if (!known.has(name)) all.push(next);
      known.add(name);
    }
  return all;
};

/**
 * True for a rule that no consequence of an operation can affect; it is checked before the consequences. `owner` is the
 * entity of the rule.
 */
export const isUnaffectedBy = (
  model: Model,
  acting: WriteEvent,
): ((owner: Entity, rule: Pick<ValidationRule, "reads" | "recordReads">) => boolean) => {
  const writes = getConsequences(model, acting);
  return (owner, { reads, recordReads }) =>
    !writes.some(
      ({ entity, action, changed }) =>
        (entity === owner && (changed === null ? action === "delete" : reads.some((name) => changed.has(name)))) ||
        recordReads.some((read) => read.entity === entity.name && intersects(read, changed)),
    );
};

/** True if an operation writes only its own record. */
export const writesNothingElse = (model: Model, acting: WriteEvent): boolean =>
  getConsequences(model, acting).length === 0;
