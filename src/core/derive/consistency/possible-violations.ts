import { alwaysTrue, every, exists, not, some, splitConjuncts } from "../../expression/boolean-exprs.ts";
import { type Expr, mapParts } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { rebaseOnReference } from "../../expression/rewrite/rebase-on-reference.ts";
import { isAssigned } from "../../field/kinds.ts";
import type { Entity, Transition, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import type { PartList } from "../../model/facts/parts.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import { createDecider, type Decider } from "../../satisfiability/satisfiability.ts";
import { withFields } from "../../satisfiability/structural-key.ts";
import { type PermissionRule, permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

/*
 * Narrows the checks of a write to those that can fail. For example, a draft request never violates a rule on granted
 * requests, and moving a granted request to `booked` violates no rule that it already met.
 */

/** Facts about a written record, independent of the caller and the request. */
export interface KnownRecord {
  readonly model: Model;
  readonly entity: Entity;
  /** Known values of fields after the write. */
  readonly values: ReadonlyMap<string, Expr>;
  /** Conditions known to hold both before and after the write. */
  readonly facts: readonly Expr[];
  /** The state after the write, if known. */
  readonly state: string | null;
  /** The possible states before the write; empty on creation. */
  readonly was: readonly string[];
  readonly isCreated: boolean;
  /** The permission rules under which the write can be allowed. */
  readonly permissionRules: readonly PermissionRule[];
}

/** Facts about a created record. `input`: the fields that the request body can set; all others have known defaults. */
export const factsAfterCreate = (model: Model, entity: Entity, input: ReadonlySet<string>): KnownRecord => ({
  model,
  entity,
  values: new Map(
    [...entity.fields.values()].flatMap((field): readonly (readonly [string, Expr])[] => {
      const value = input.has(field.name) ? undefined : getInitialValue(field);
      return value === undefined ? [] : [[field.name, value]];
    }),
  ),
  facts: [],
  state: entity.states?.initial ?? null,
  was: [],
  isCreated: true,
  permissionRules: permissionRulesFor(entity, "create"),
});

export const factsAfterUpdate = (model: Model, entity: Entity): KnownRecord => ({
  model,
  entity,
  values: new Map(),
  facts: [],
  state: null,
  was: [],
  isCreated: false,
  permissionRules: permissionRulesFor(entity, "update"),
});

export const factsAfterTransition = (model: Model, entity: Entity, transition: Transition): KnownRecord => {
  const permissionRules = transitionRulesFor(entity, transition);
  const changed = new Set([...transition.asks, ...transition.set.keys(), entity.states?.field ?? ""]);
  const open = some(permissionRules.map(getCondition));
  const before = [
    ...(transition.guardAndPreconditions === null ? [] : [transition.guardAndPreconditions]),
    ...(open === undefined ? [] : [open]),
  ];
  return {
    model,
    entity,
    values: new Map([...transition.set].filter(([, value]) => isOfNoRecord(value))),
    facts: before.flatMap(splitConjuncts).filter((fact) => {
      const { fields, recordReads, old } = collectReadSet(fact);
      const stays = (name: string) => !changed.has(name) && entity.fields.get(name)?.storage.as === "column";
      return !old && recordReads.length === 0 && [...fields].every(stays);
    }),
    // A transition back can lead to several states, so nothing is known about the new state.
    state: transition.to.length === 1 ? (transition.to[0] ?? null) : null,
    was: transition.from,
    isCreated: false,
    permissionRules,
  };
};

/** True if the rule can be violated. */
export const mayBreak = (known: KnownRecord, { rule, when }: ValidationRule): boolean =>
  canBe(known, ...(when === null ? [] : [when]), not(rule));

/** True if a reference can violate its `among` list. */
export const mayViolateAmong = (known: KnownRecord, { many, among }: Field): boolean => {
  if (among === null) return false;
  const [argument] = among.holds.kind === "call" ? among.holds.args : [];
  if (argument === undefined || many) return canBe(known, not(among.holds));
  const value = withFields(argument, known.values);
  const holds = filtered(withFields(among.holds, known.values));
  // One of these permission rules allowed the write. On creation its condition holds for the new values, otherwise for
  // the old ones.
  return known.permissionRules.some((permissionRule) =>
    canBe(
      known,
      ...(known.isCreated ? [getCondition(permissionRule)] : []),
      exists(value),
      not(simplifyForHolder(known.model, permissionRule.role, holds)),
    ),
  );
};

/** True if a written record can collide with one that it did not collide with before. */
export const mayCollide = (known: KnownRecord, rule: UniquenessRule, changed: ReadonlySet<string>): boolean => {
  const { entity, facts, was } = known;
  const state = entity.states?.field ?? "";
  if (rule.where === null) return was.length === 0 || rule.reads.some((name) => name !== state && changed.has(name));
  if (!canBe(known, rule.where)) return false;
  if (was.length === 0 || rule.reads.some((name) => name !== state && changed.has(name))) return true;
  const [after = rule.where] = onWrittenRecord(known, [rule.where]);
  // Fields other than the state are unchanged.
  const before = was.flatMap((item) => inState(rule.where === null ? [] : [rule.where], entity, item));
  return before.some((counted) => !getDeciding(known.model).follows([...facts, after], counted));
};

/** True if a caller with permission for a transition can fail its guard. */
export const mayFailGuard = ({ model, entity, permissionRules, was }: KnownRecord, guard: Expr): boolean =>
  permissionRules.some((permissionRule) =>
    was.some((state) =>
      getDeciding(model).canHold(...inState([getCondition(permissionRule), not(guard)], entity, state)),
    ),
  );

/**
 * True if a caller who can write a record with its parts can lack permission for the action on one of the parts.
 * Conditions on the part's parent are evaluated on the record.
 */
export const canBeHiddenFrom = (
  { model, entity: parent, values, state, permissionRules }: KnownRecord,
  { entity, field, list }: PartList,
  action: "create" | "update" | "delete",
): boolean => {
  const conditionOf = (permissionRule: PermissionRule): Expr | undefined => {
    const ofWhole = rebaseOnReference(getCondition(permissionRule), field.name);
    if (ofWhole === undefined) return undefined;
    const on = withFields(ofWhole, values);
    return state === null ? on : inState([on], parent, state)[0];
  };
  const isEverybodys = ({ role }: PermissionRule): boolean => {
    const members = model.roles.get(role)?.members;
    return members === "anyone" || members === "signed in";
  };
  return permissionRules
    .filter(({ fields }) => fields === null || fields.has(list.name))
    .some(
      (doing) =>
        !permissionRulesFor(entity, action).some((permissionRule) => {
          const condition = conditionOf(permissionRule);
          const holds =
            permissionRule.roleCondition !== null || permissionRule.role === doing.role || isEverybodys(permissionRule);
          return condition !== undefined && holds && getDeciding(model).follows([getCondition(doing)], condition);
        }),
    );
};

const canBe = (known: KnownRecord, ...conditions: readonly Expr[]): boolean =>
  getDeciding(known.model).canHold(...known.facts, ...onWrittenRecord(known, conditions));

/** Conditions on the record after the write. */
const onWrittenRecord = ({ entity, values, state }: KnownRecord, conditions: readonly Expr[]): readonly Expr[] => {
  const valued = conditions.map((condition) => withFields(condition, values));
  return state === null ? valued : inState(valued, entity, state);
};

/** Cache by model, since each call of a document asks the same questions. */
const decided = new WeakMap<Model, Decider>();
const getDeciding = (model: Model): Decider => {
  const deciding = decided.get(model) ?? createDecider(model.entities);
  decided.set(model, deciding);
  return deciding;
};

/** The value of a field of a created record if the input has none; undefined if it varies. */
const getInitialValue = ({
  storage,
  many,
  type,
  set,
  default: usual,
  optional,
  ruleType,
  clause,
}: Field): Expr | undefined => {
  if (set !== null) return isOfNoRecord(set) ? set : undefined;
  if (storage.as !== "column" || many || type === "state" || isAssigned(type)) return undefined;
  if (usual !== null) return isOfNoRecord(usual) ? usual : undefined;
  const constant = { kind: "constant", type: ruleType, span: clause.span } as const;
  if (type === "boolean") return { ...constant, value: false, missing: false };
  return optional ? { ...constant, value: null, missing: true } : undefined;
};

/** True if the expression does not depend on a record. */
const isOfNoRecord = (expr: Expr): boolean => {
  const { fields, recordReads, paths } = collectReadSet(expr);
  return fields.size === 0 && paths.size === 0 && recordReads.length === 0;
};

const getCondition = ({ roleCondition, when }: PermissionRule): Expr =>
  every([roleCondition, when].filter((condition) => condition !== null)) ?? alwaysTrue;

/** Rewrites `user in User.filter(u, 'agent' in u.roles)` as the filter's condition on that user. */
const filtered = (condition: Expr): Expr => {
  if (condition.kind !== "call" || condition.row !== "same in [same]") return condition;
  const [value, list] = condition.args;
  if (value === undefined || list?.kind !== "each" || list.row !== "filter" || list.list.kind !== "all")
    return condition;
  const inPlace = (expr: Expr): Expr =>
    expr.kind === "variable" && expr.level === list.level ? value : mapParts(expr, inPlace);
  return inPlace(list.body);
};

/** Simplifies a condition for a user who holds the granted role. */
const simplifyForHolder = (model: Model, role: string, condition: Expr): Expr => {
  if (model.roles.get(role)?.members !== "granted") return condition;
  const known = (expr: Expr): Expr => {
    if (expr.kind === "call" && expr.row === "same in [same]") {
      const [name, roles] = expr.args;
      const isOwn = roles?.kind === "field" && roles.of.kind === "user" && roles.field.name === "roles";
      if (isOwn && name?.kind === "constant" && name.value === role) return alwaysTrue;
    }
    return mapParts(expr, known);
  };
  return known(condition);
};
