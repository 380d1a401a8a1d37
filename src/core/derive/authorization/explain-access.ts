import { conjunctsOf } from "../../explain/role-holders.ts";
import type { Knows } from "../../explain/who-may.ts";
import type { Expr } from "../../expression/expr.ts";
import { readSetOf } from "../../expression/inspect/read-set.ts";
import { rulesAt } from "../../model/applicable-rules.ts";
import {
  type Action,
  actions,
  type Entity,
  isAction,
  type Model,
  type Transition,
  type ValidationRule,
} from "../../model/model.ts";
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
  transitionGrantsFor,
  transitionRulesFor,
} from "./grants.ts";

/** What is asked about: an action on an entity's records, or one of its transitions. */
export type EntityOperation =
  | { readonly kind: "action"; readonly action: Action }
  | { readonly kind: "transition"; readonly transition: Transition };

/** `Request.update`, `Request.submit`: undefined where the entity has no such thing. */
export const parseOperation = (entity: Entity, name: string): EntityOperation | undefined => {
  if (isAction(name)) return { kind: "action", action: name };
  const transition = entity.states?.transitions.get(name);
  return transition === undefined ? undefined : { kind: "transition", transition };
};

/** Whether the document does not say who: then it is for somebody to decide, and a default holds until they do. */
export const isUndecided = (entity: Entity, operation: EntityOperation): boolean => {
  if (operation.kind === "transition") return operation.transition.by === null;
  if (entity.rows !== null && operation.action !== "read") return false;
  return entity.permissions === null || entity.permissions.silent.has(operation.action);
};

/** One clause that allows it, or could have, with what it needs of the record. One open way is enough. */
export interface GrantTrace extends PermissionRule {
  /** Whether the role is held, as far as that is known before any record is read; what the record decides is a need. */
  readonly mayApply: boolean;
  readonly conditions: readonly ConditionTrace[];
}

/** A condition on the record, as small as the document's own conjunctions let it be. */
export interface ConditionTrace {
  /** The clause that says it: the role's own where that is held under a condition. */
  readonly clause: string;
  readonly condition: Expr;
  /** Whether the person who is told may know whether it holds: they read everything that it reads, on some record at least. */
  readonly isDisclosed: boolean;
  /** The fields of the record itself that they read on some records and not on others: there the record decides. */
  readonly sights: readonly string[];
  /** The role whose own condition it is; null for what a clause asks besides. */
  readonly role: string | null;
  /** Whether they may know what it reads by its names; if not, they are told that there is something, and no more. */
  readonly isNamed: boolean;
}

/** What has to hold for everybody, whichever way is open: the guard, and the rules. */
export interface RequirementTrace extends ConditionTrace {
  /** Judged only where this holds. */
  readonly when: Expr | null;
  /** Whether the record tells before it is done: what the transition itself changes or asks for is not known yet. */
  readonly isDecidable: boolean;
  /** Null for the guard. */
  readonly rule: ValidationRule | null;
}

export interface AccessTrace {
  readonly grants: readonly GrantTrace[];
  /** The states from which a transition leads, and whether the reader may know the record's; null for an action. */
  readonly from: (Pick<ConditionTrace, "isDisclosed" | "sights"> & { readonly states: readonly string[] }) | null;
  readonly requirements: readonly RequirementTrace[];
}

/**
 * The clauses that decide whether `person` may do it, in the document's order, each with what it conditions. `reader` is who is
 * told of it.
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
    condition === null ? [] : conjunctsOf(condition).map((one) => needOf(clause, one, role));
  const wayOf = (permissionRule: PermissionRule): GrantTrace => ({
    ...permissionRule,
    mayApply: mayApply(model, permissionRule, person),
    conditions: [
      ...needsOf(
        entity.roles.get(permissionRule.role)?.clause.id ?? permissionRule.clause,
        permissionRule.held,
        permissionRule.role,
      ),
      ...needsOf(permissionRule.clause, permissionRule.when),
    ],
  });
  if (operation.kind === "action")
    return { grants: permissionRulesFor(entity, operation.action).map(wayOf), from: null, requirements: [] };
  const { transition } = operation;
  const guard = needsOf(transition.clause.id, transition.when).map(
    (need): RequirementTrace => ({ ...need, rule: null, when: null, isDecidable: true }),
  );
  const state = entity.states?.field ?? "";
  const changed = new Set([state, ...transition.set.keys(), ...transition.asks]);
  const rules = rulesAt(entity, transition.name, changed).map((rule): RequirementTrace => {
    const clause = rule.clause.id;
    const [need, when] = [needOf(clause, rule.rule), rule.when === null ? undefined : needOf(clause, rule.when)];
    return {
      rule,
      role: null,
      condition: rule.rule,
      when: rule.when,
      isDisclosed: need.isDisclosed && when?.isDisclosed !== false,
      sights: [...need.sights, ...(when?.sights ?? [])],
      isNamed: need.isNamed && when?.isNamed !== false,
      clause,
      isDecidable:
        !rule.reads.some((field) => changed.has(field)) &&
        !rule.recordReads.some((source) => source.entity === entity.name),
    };
  });
  return {
    grants: transitionRulesFor(entity, transition).map(wayOf),
    from: {
      states: transition.from,
      isDisclosed: readableFieldsFor(model, entity.name, reader).has(state),
      sights: isShownOnAll(model, entity, reader, state) ? [] : [state],
    },
    requirements: [...guard, ...rules],
  };
};

/**
 * Whether somebody who reads the record may know whether a condition holds on it: each field that it reads is one that
 * they read, there and on every other record that it looks at.
 */
export const disclosureOfCondition = (
  model: Model,
  entity: Entity,
  reader: Principal,
  condition: Expr,
): Pick<ConditionTrace, "isDisclosed" | "sights"> => {
  const reads = readSetOf(condition);
  const readable = readableFieldsFor(model, entity.name, reader);
  const isTold = [...reads.fields].every((field) => readable.has(field) || !entity.fields.has(field));
  const others = reads.recordReads.every((source) => {
    const other = model.entities.get(source.entity);
    return (
      other !== undefined &&
      isUnconditional(grantsFor(model, other, "read", reader)) &&
      [...source.fields].every((field) => isShownOnAll(model, other, reader, field))
    );
  });
  return {
    isDisclosed: isTold && others,
    sights: [...reads.fields].filter((field) => !isShownOnAll(model, entity, reader, field)),
  };
};

/** The same, on a record of which the reader sees these fields. */
export const traceOnRecord = (trace: AccessTrace, sees: (field: string) => boolean): AccessTrace => {
  const seen = <T extends Pick<ConditionTrace, "isDisclosed" | "sights">>(one: T): T => ({
    ...one,
    isDisclosed: one.isDisclosed && one.sights.every(sees),
  });
  return {
    grants: trace.grants.map((way) => ({ ...way, needs: way.conditions.map(seen) })),
    from: trace.from === null ? null : seen(trace.from),
    requirements: trace.requirements.map(seen),
  };
};

/** Whether somebody knows each field that a condition reads by its name. */
export const canNameFields = (model: Model, entity: Entity, reader: Principal, condition: Expr): boolean => {
  if (isAdministrator(reader)) return true;
  const reads = readSetOf(condition);
  const knows = (of: Entity | undefined, fields: ReadonlySet<string>): boolean => {
    if (of === undefined) return false;
    const known = knowableFields(model, of, reader);
    return [...fields].every((field) => known.has(field) || !of.fields.has(field));
  };
  return (
    knows(entity, reads.fields) &&
    reads.recordReads.every((source) => knows(model.entities.get(source.entity), source.fields))
  );
};

/** Whether a field is shown wherever the record is. */
const isShownOnAll = (model: Model, entity: Entity, reader: Principal, field: string): boolean => {
  const grants = grantsFor(model, entity, "read", reader);
  if (!entity.fields.has(field)) return true;
  if (!grantedFields(entity, grants).has(field)) return false;
  const showing = grants.filter((grant) => grant.fields === null || grant.fields.has(field));
  return showing.length === grants.length || isUnconditional(showing);
};

/**
 * Whether somebody may ask about it: to others, not even that there is such a thing is told. Who can do nothing with an
 * entity's records knows nothing of it; a transition is known to who reads the state or holds a role that makes it.
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
 * What somebody who is refused may know of a clause beside its role: its conditions, where they hold the role as far as that is
 * known before any record is read and know what is read by its name, and in which states it is open, where they read these.
 */
export const knowsOf =
  (model: Model, entity: Entity, reader: Principal): Knows =>
  (opening) => {
    const isOwn = opening.held !== null || holdsRole(model, opening.role, reader) || isAdministrator(reader);
    const conditions = [opening.held, opening.when].filter((one) => one !== null);
    return {
      condition: isOwn && conditions.every((one) => canNameFields(model, entity, reader, one)),
      state: isOwn && readableFieldsFor(model, entity.name, reader).has(entity.states?.field ?? ""),
    };
  };
