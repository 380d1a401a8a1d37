import type { KnowableParts } from "../../explain/who-may.ts";
import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition, ValidationRule } from "../../model/entity.ts";
import { rulesOfTransition } from "../../model/facts/applicable-rules.ts";
import type { Model } from "../../model/model.ts";
import { type Action, actions, isAction } from "../../model/permissions.ts";
import {
  grantedFields,
  grantsFor,
  holdsRole,
  isAdministrator,
  isUnconditional,
  knowableFields,
  mayApply,
  type PermissionRule,
  type Principal,
  permissionRulesFor,
  readableFieldsFor,
  showsOnAll,
  transitionGrantsFor,
  transitionRulesFor,
} from "./grants.ts";

/** The subject of a question: an action on an entity's records, or one of its transitions. */
export type EntityOperation =
  | { readonly kind: "action"; readonly action: Action }
  | { readonly kind: "transition"; readonly transition: Transition };

/**
 * Parses the part of `Request.update` or `Request.submit` after the dot; undefined if the entity has no such operation.
 */
export const parseOperation = (entity: Entity, name: string): EntityOperation | undefined => {
  if (isAction(name)) return { kind: "action", action: name };
  const transition = entity.states?.transitions.get(name);
  return transition === undefined ? undefined : { kind: "transition", transition };
};

/**
 * True if the document does not grant the operation to anyone, so that a default is in force and it is an open point.
 */
export const isUndecided = (entity: Entity, operation: EntityOperation): boolean => {
  if (operation.kind === "transition") return operation.transition.by === null;
  if (entity.rows !== null && operation.action !== "read") return false;
  return entity.permissions === null || entity.permissions.silent.has(operation.action);
};

/** A clause that grants the operation, or could, with its conditions on the record. One granted clause is enough. */
export interface GrantTrace extends PermissionRule {
  /**
   * True if the caller holds the role, as far as known without a record; conditions on the record are checked
   * separately.
   */
  readonly mayApply: boolean;
  readonly conditions: readonly ConditionTrace[];
}

/** A condition on the record; conjunctions are split into their operands. */
export interface ConditionTrace {
  /** The clause of the condition; for a role held under a condition, the clause of the role. */
  readonly clause: string;
  readonly condition: Expr;
  /**
   * True if the reader can know the outcome: all data that the condition reads is readable, at least on some records.
   */
  readonly isDisclosed: boolean;
  /** Own fields that are readable on some records only; the record decides if the outcome is disclosed. */
  readonly sometimesReadable: readonly string[];
  /** The role that the condition defines; null for other conditions of the clause. */
  readonly role: string | null;
  /**
   * True if the reader can know the names of the fields read. Otherwise the reader learns only that a condition exists.
   */
  readonly isNamed: boolean;
}

/** A requirement for everybody, whichever grant applies: a precondition, the guard, or a rule. */
export interface RequirementTrace extends ConditionTrace {
  /** The requirement applies only under this condition. */
  readonly when: Expr | null;
  /**
   * True if the record alone decides it before the write. A requirement on values that the transition changes or asks
   * for is not decidable.
   */
  readonly isDecidable: boolean;
  /** The rule whose message explains it; null for the guard. */
  readonly rule: Pick<ValidationRule, "error" | "message"> | null;
}

export interface AccessTrace {
  readonly grants: readonly GrantTrace[];
  /**
   * The states from which a transition is possible, and if the reader can know the record's state; null for an action.
   */
  readonly from:
    | (Pick<ConditionTrace, "isDisclosed" | "sometimesReadable"> & { readonly states: readonly string[] })
    | null;
  readonly requirements: readonly RequirementTrace[];
}

/**
 * The clauses that decide if `person` can perform the operation, in document order, with their conditions. `reader` is
 * the person who sees the explanation.
 */
export const traceAccess = (
  model: Model,
  entity: Entity,
  operation: EntityOperation,
  person: Principal,
  reader: Principal,
): AccessTrace => {
  const needOf = (clause: string, condition: Expr, role: string | null = null): ConditionTrace => ({
    clause,
    role,
    condition,
    ...disclosureOfCondition(model, entity, reader, condition),
    isNamed: canNameFields(model, entity, reader, condition),
  });
  const needsOf = (clause: string, condition: Expr | null, role: string | null = null): readonly ConditionTrace[] =>
    condition === null ? [] : splitConjuncts(condition).map((conjunct) => needOf(clause, conjunct, role));
  const wayOf = (permissionRule: PermissionRule): GrantTrace => ({
    ...permissionRule,
    mayApply: mayApply(model, permissionRule, person),
    conditions: [
      ...needsOf(
        entity.roles.get(permissionRule.role)?.clause.id ?? permissionRule.clause,
        permissionRule.roleCondition,
        permissionRule.role,
      ),
      ...needsOf(permissionRule.clause, permissionRule.when),
    ],
  });
  if (operation.kind === "action")
    return { grants: permissionRulesFor(entity, operation.action).map(wayOf), from: null, requirements: [] };
  const { transition } = operation;
  const onRecordBefore = { when: null, isDecidable: true } as const;
  const preconditions = transition.preconditions.flatMap((rule) =>
    needsOf(rule.clause.id, rule.holds).map((need): RequirementTrace => ({ ...need, rule, ...onRecordBefore })),
  );
  const guard = needsOf(transition.clause.id, transition.guard).map(
    (need): RequirementTrace => ({ ...need, rule: null, ...onRecordBefore }),
  );
  const state = entity.states?.field ?? "";
  const rules = rulesOfTransition(entity, transition).map(({ rule, isDecidable }): RequirementTrace => {
    const clause = rule.clause.id;
    const [need, when] = [needOf(clause, rule.rule), rule.when === null ? undefined : needOf(clause, rule.when)];
    return {
      rule,
      role: null,
      condition: rule.rule,
      when: rule.when,
      isDisclosed: need.isDisclosed && when?.isDisclosed !== false,
      sometimesReadable: [...need.sometimesReadable, ...(when?.sometimesReadable ?? [])],
      isNamed: need.isNamed && when?.isNamed !== false,
      clause,
      isDecidable,
    };
  });
  return {
    grants: transitionRulesFor(entity, transition).map(wayOf),
    from: {
      states: transition.from,
      isDisclosed: readableFieldsFor(model, entity.name, reader).has(state),
      sometimesReadable: isShownOnAll(model, entity, reader, state) ? [] : [state],
    },
    requirements: [...preconditions, ...guard, ...rules],
  };
};

/**
 * True if a reader of the record may know the outcome of a condition: the reader has permission on each field that it
 * reads, on the record and on all others.
 */
export const disclosureOfCondition = (
  model: Model,
  entity: Entity,
  reader: Principal,
  condition: Expr,
): Pick<ConditionTrace, "isDisclosed" | "sometimesReadable"> => {
  const reads = collectReadSet(condition);
  const readable = readableFieldsFor(model, entity.name, reader);
  const isDisclosed = [...reads.fields].every((field) => readable.has(field) || !entity.fields.has(field));
  const others = reads.recordReads.every((source) => {
    const other = model.entities.get(source.entity);
    return (
      other !== undefined &&
      isUnconditional(grantsFor(model, other, "read", reader)) &&
      [...source.fields].every((field) => isShownOnAll(model, other, reader, field))
    );
  });
  return {
    isDisclosed: isDisclosed && others,
    sometimesReadable: [...reads.fields].filter((field) => !isShownOnAll(model, entity, reader, field)),
  };
};

/** Narrows the trace to a record of which the reader sees these fields. */
export const traceOnRecord = (trace: AccessTrace, sees: (field: string) => boolean): AccessTrace => {
  const seen = <T extends Pick<ConditionTrace, "isDisclosed" | "sometimesReadable">>(item: T): T => ({
    ...item,
    isDisclosed: item.isDisclosed && item.sometimesReadable.every(sees),
  });
  return {
    grants: trace.grants.map((grant) => ({ ...grant, conditions: grant.conditions.map(seen) })),
    from: trace.from === null ? null : seen(trace.from),
    requirements: trace.requirements.map(seen),
  };
};

/** True if the reader can know the name of each field in the condition. */
export const canNameFields = (model: Model, entity: Entity, reader: Principal, condition: Expr): boolean =>
  areAmong(model, entity, condition, reader, (of) => knowableFields(model, of, reader));

/** True if the reader can read each field in the condition, at least on some records. */
export const canReadFields = (model: Model, entity: Entity, reader: Principal, condition: Expr): boolean =>
  areAmong(model, entity, condition, reader, ({ name }) => readableFieldsFor(model, name, reader));

/** True if the fields that the condition reads, of the record and of others, are among those of their entity. */
const areAmong = (
  model: Model,
  entity: Entity,
  condition: Expr,
  reader: Principal,
  listFields: (of: Entity) => ReadonlySet<string>,
): boolean => {
  if (isAdministrator(reader)) return true;
  const reads = collectReadSet(condition);
  const has = (of: Entity | undefined, fields: ReadonlySet<string>): boolean => {
    if (of === undefined) return false;
    const known = listFields(of);
    return [...fields].every((field) => known.has(field) || !of.fields.has(field));
  };
  return (
    has(entity, reads.fields) &&
    reads.recordReads.every((source) => has(model.entities.get(source.entity), source.fields))
  );
};

/** True if the reader sees the field on every readable record. */
const isShownOnAll = (model: Model, entity: Entity, reader: Principal, field: string): boolean => {
  const grants = grantsFor(model, entity, "read", reader);
  if (!entity.fields.has(field)) return true;
  return grantedFields(entity, grants).has(field) && showsOnAll(grants, field);
};

/** False if the condition reads other records of the target, too: it could select by those that are missing. */
const readsOnlyElements = (list: Expr, target: Entity): boolean => {
  const readsOthers = (expr: Expr): boolean =>
    expr.kind === "all" ||
    (expr.kind === "field" && expr.target?.name === target.name) ||
    subexpressions(expr).some(readsOthers);
  return list.kind === "each" && list.list.kind === "all" && !readsOthers(list.body);
};

/**
 * The fields of `target` that the reader must see on a record for it to be selected by the list, as by filters of a list.
 * Undefined if the reader cannot select them: a hidden value would be taken for a missing one, and select other records. So
 * the reader must see all else that the condition reads, whichever records these are.
 */
export const findFieldsToSelect = (
  model: Model,
  entity: Entity,
  reader: Principal,
  list: Expr,
  target: Entity,
): ReadonlySet<string> | undefined => {
  const reads = collectReadSet(list);
  const isOnlyRead = readsOnlyElements(list, target);
  const readable = grantedFields(target, grantsFor(model, target, "read", reader));
  const isTested = (other: Entity, field: string) => other === target && isOnlyRead && readable.has(field);
  const canSelect =
    [...reads.fields].every((field) => isShownOnAll(model, entity, reader, field)) &&
    reads.recordReads.every((source) => {
      const other = model.entities.get(source.entity);
      return (
        other !== undefined &&
        (other === target || isUnconditional(grantsFor(model, other, "read", reader))) &&
        // Everybody reads only their own roles.
        !(other.name === "User" && source.fields.has("roles")) &&
        [...source.fields].every((field) => isShownOnAll(model, other, reader, field) || isTested(other, field))
      );
    });
  const read = reads.recordReads.flatMap((source) => (source.entity === target.name ? [...source.fields] : []));
  return canSelect ? new Set(read.filter((field) => !isShownOnAll(model, target, reader, field))) : undefined;
};

/**
 * True if the person can ask about the operation; for others, its existence is not disclosed. A person without any
 * permission on an entity's records knows nothing of it. A transition is known to persons who read the state or hold a
 * role that can make it.
 */
export const canAskAbout = (model: Model, entity: Entity, operation: EntityOperation, person: Principal): boolean => {
  if (isAdministrator(person)) return true;
  if (actions.every((action) => grantsFor(model, entity, action, person).length === 0)) return false;
  return (
    operation.kind === "action" ||
    transitionGrantsFor(model, entity, operation.transition, person).length > 0 ||
    readableFieldsFor(model, entity.name, person).has(entity.states?.field ?? "")
  );
};

/**
 * Decides what a refused person can know of a clause besides its role: its conditions, if the person holds the role as
 * far as known without a record and may know the names of the fields read; and its states, if the person reads the
 * state field.
 */
export const clauseKnowledge =
  (model: Model, entity: Entity, reader: Principal): KnowableParts =>
  (grant) => {
    const isOwn = grant.roleCondition !== null || holdsRole(model, grant.role, reader) || isAdministrator(reader);
    const conditions = [grant.roleCondition, grant.when].filter((item) => item !== null);
    return {
      condition: isOwn && conditions.every((condition) => canNameFields(model, entity, reader, condition)),
      state: isOwn && readableFieldsFor(model, entity.name, reader).has(entity.states?.field ?? ""),
    };
  };
