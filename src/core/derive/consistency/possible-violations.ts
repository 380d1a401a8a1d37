import { always, every, isThere, not, some } from "../../expression/boolean-exprs.ts";
import { type Expr, withParts } from "../../expression/expr.ts";
import { readSetOf } from "../../expression/inspect/read-set.ts";
import { rebaseOnReference } from "../../expression/rewrite/rebase-on-reference.ts";
import type { Entity, Field, Model, Transition, UniquenessRule, ValidationRule } from "../../model/model.ts";
import type { PartList } from "../../model/parts.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import { type Deciding, decidingOver } from "../../satisfiability/satisfiability.ts";
import { conjunctsOf, withFields } from "../../satisfiability/structural-key.ts";
import { type PermissionRule, permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

/*
 * Of what a write is judged by, what it can be refused for at all. A request that is drafted meets no rule about requests
 * that are granted, and who moves one that was granted to where it is booked meets none that it met before.
 */

/** What is known of a record that is written, whoever writes it and whatever they send. */
export interface Known {
  readonly model: Model;
  readonly entity: Entity;
  /** What its fields surely are afterwards. */
  readonly values: ReadonlyMap<string, Expr>;
  /** What holds of it, as it was and as it will be. */
  readonly facts: readonly Expr[];
  /** The state that it is in afterwards, where that is known. */
  readonly state: string | null;
  /** The states that it may have been in; none for one that is made. */
  readonly was: readonly string[];
  readonly isMade: boolean;
  /** By which clauses somebody may do it. */
  readonly allowances: readonly PermissionRule[];
}

/** `given`: the fields that the body may name. Of the others it is known what stands there where nobody gives anything. */
export const knownOfMade = (model: Model, entity: Entity, given: ReadonlySet<string>): Known => ({
  model,
  entity,
  values: new Map(
    [...entity.fields.values()].flatMap((field): readonly (readonly [string, Expr])[] => {
      const value = given.has(field.name) ? undefined : untouched(field);
      return value === undefined ? [] : [[field.name, value]];
    }),
  ),
  facts: [],
  state: entity.states?.initial ?? null,
  was: [],
  isMade: true,
  allowances: permissionRulesFor(entity, "create"),
});

export const knownOfChanged = (model: Model, entity: Entity): Known => ({
  model,
  entity,
  values: new Map(),
  facts: [],
  state: null,
  was: [],
  isMade: false,
  allowances: permissionRulesFor(entity, "update"),
});

export const knownOfMoved = (model: Model, entity: Entity, transition: Transition): Known => {
  const permissionRules = transitionRulesFor(entity, transition);
  const changed = new Set([...transition.asks, ...transition.set.keys(), entity.states?.field ?? ""]);
  const open = some(permissionRules.map(conditionOf));
  const before = [...(transition.when === null ? [] : [transition.when]), ...(open === undefined ? [] : [open])];
  return {
    model,
    entity,
    values: new Map([...transition.set].filter(([, value]) => isOfNoRecord(value))),
    facts: before.flatMap(conjunctsOf).filter((fact) => {
      const { fields, recordReads, old } = readSetOf(fact);
      const stays = (name: string) => !changed.has(name) && entity.fields.get(name)?.held.as === "column";
      return !old && recordReads.length === 0 && [...fields].every(stays);
    }),
    state: transition.to,
    was: transition.from,
    isMade: false,
    allowances: permissionRules,
  };
};

/** Whether a rule that is judged can turn out not to hold. */
export const mayBreak = (known: Known, { rule, when }: ValidationRule): boolean =>
  canBe(known, ...(when === null ? [] : [when]), not(rule));

/** Whether what stands in a reference can be none of those that it is limited to. */
export const mayBeNoneOf = (known: Known, { many, among }: Field): boolean => {
  if (among === null) return false;
  const [given] = among.holds.kind === "call" ? among.holds.args : [];
  if (given === undefined || many) return canBe(known, not(among.holds));
  const value = withFields(given, known.values);
  const holds = filtered(withFields(among.holds, known.values));
  // Whoever may do it came by one of these clauses. Who makes a record came by what it says then, others by what it said.
  return known.allowances.some((permissionRule) =>
    canBe(
      known,
      ...(known.isMade ? [conditionOf(permissionRule)] : []),
      isThere(value),
      not(holding(known.model, permissionRule.role, holds)),
    ),
  );
};

/** Whether a record that is written can meet another that it did not meet before. */
export const mayCollide = (known: Known, rule: UniquenessRule, changed: ReadonlySet<string>): boolean => {
  const { entity, facts, was } = known;
  const state = entity.states?.field ?? "";
  if (rule.where === null) return was.length === 0 || rule.reads.some((name) => name !== state && changed.has(name));
  if (!canBe(known, rule.where)) return false;
  if (was.length === 0 || rule.reads.some((name) => name !== state && changed.has(name))) return true;
  const [after = rule.where] = inThe(known, [rule.where]);
  // What it reads beside the state stays as it is.
  const before = was.flatMap((one) => inState(rule.where === null ? [] : [rule.where], entity, one));
  return before.some((counted) => !decidingIn(known.model).follows([...facts, after], counted));
};

/** Whether somebody who may make a transition can find that its own condition does not hold. */
export const mayBeGuarded = ({ model, entity, allowances: permissionRules, was }: Known, guard: Expr): boolean =>
  permissionRules.some((permissionRule) =>
    was.some((state) =>
      decidingIn(model).canHold(...inState([conditionOf(permissionRule), not(guard)], entity, state)),
    ),
  );

/**
 * Whether somebody who may write a record with its parts can find that they may not do this with one of them. What is
 * permitted of a part on what its record says is asked of the record.
 */
export const mayBeShutTo = (
  { model, entity: whole, values, state, allowances: permissionRules }: Known,
  { entity, field, list }: PartList,
  action: "create" | "update" | "delete",
): boolean => {
  const asked = (permissionRule: PermissionRule): Expr | undefined => {
    const ofWhole = rebaseOnReference(conditionOf(permissionRule), field.name);
    if (ofWhole === undefined) return undefined;
    const on = withFields(ofWhole, values);
    return state === null ? on : inState([on], whole, state)[0];
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
          const condition = asked(permissionRule);
          const holds =
            permissionRule.held !== null || permissionRule.role === doing.role || isEverybodys(permissionRule);
          return condition !== undefined && holds && decidingIn(model).follows([conditionOf(doing)], condition);
        }),
    );
};

const canBe = (known: Known, ...conditions: readonly Expr[]): boolean =>
  decidingIn(known.model).canHold(...known.facts, ...inThe(known, conditions));

/** Conditions as they are on the record afterwards. */
const inThe = ({ entity, values, state }: Known, conditions: readonly Expr[]): readonly Expr[] => {
  const valued = conditions.map((condition) => withFields(condition, values));
  return state === null ? valued : inState(valued, entity, state);
};

/** What is asked of a document is asked again of each of its calls. */
const decided = new WeakMap<Model, Deciding>();
const decidingIn = (model: Model): Deciding => {
  const deciding = decided.get(model) ?? decidingOver(model.entities);
  decided.set(model, deciding);
  return deciding;
};

/** What a field holds of a record that is made without it; undefined where that is not the same for all. */
const untouched = ({ held, many, type, set, default: usual, optional, ruleType, clause }: Field): Expr | undefined => {
  if (set !== null) return isOfNoRecord(set) ? set : undefined;
  if (held.as !== "column" || many || drawn.has(type)) return undefined;
  if (usual !== null) return isOfNoRecord(usual) ? usual : undefined;
  const constant = { kind: "constant", type: ruleType, span: clause.span } as const;
  if (type === "boolean") return { ...constant, value: false, missing: false };
  return optional ? { ...constant, value: null, missing: true } : undefined;
};

const drawn: ReadonlySet<string> = new Set(["state", "sequence", "slug", "position"]);

/** Whether it is the same of whatever record it is asked. */
const isOfNoRecord = (expr: Expr): boolean => {
  const { fields, recordReads, paths } = readSetOf(expr);
  return fields.size === 0 && paths.size === 0 && recordReads.length === 0;
};

const conditionOf = ({ held, when }: PermissionRule): Expr =>
  every([held, when].filter((condition) => condition !== null)) ?? always;

/** `user in User.filter(u, 'agent' in u.roles)` says of the one what the filter says of each. */
const filtered = (condition: Expr): Expr => {
  if (condition.kind !== "call" || condition.row !== "same in [same]") return condition;
  const [one, list] = condition.args;
  if (one === undefined || list?.kind !== "each" || list.row !== "filter" || list.list.kind !== "all") return condition;
  const inPlace = (expr: Expr): Expr =>
    expr.kind === "variable" && expr.level === list.level ? one : withParts(expr, inPlace);
  return inPlace(list.body);
};

/** A condition for somebody of whom it is known that they were granted a role. */
const holding = (model: Model, role: string, condition: Expr): Expr => {
  if (model.roles.get(role)?.members !== "granted") return condition;
  const known = (expr: Expr): Expr => {
    if (expr.kind === "call" && expr.row === "same in [same]") {
      const [name, roles] = expr.args;
      const isOwn = roles?.kind === "field" && roles.of.kind === "user" && roles.field.name === "roles";
      if (isOwn && name?.kind === "constant" && name.value === role) return always;
    }
    return withParts(expr, known);
  };
  return known(condition);
};
