import type { Entity, Model } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { type Truth, truthOf } from "./decide.ts";
import { every, withFields } from "./structure.ts";

/** What was decided already: the same condition stands in several permissions. */
const decided = new WeakMap<Expr, Truth>();

/** When a condition of a model holds. */
export const truthIn = ({ entities }: Pick<Model, "entities">, condition: Expr): Truth => {
  const known = decided.get(condition);
  if (known !== undefined) return known;
  const truth = truthOf(condition, entities);
  decided.set(condition, truth);
  return truth;
};

/** When conditions hold together; of none, they always do. */
export const truthOfAll = (model: Pick<Model, "entities">, conditions: readonly Expr[]): Truth => {
  const all = every(conditions);
  return all === undefined ? "always" : truthIn(model, all);
};

/** Whether conditions can hold together. */
export const canHoldTogether = (model: Pick<Model, "entities">, conditions: readonly Expr[]): boolean =>
  truthOfAll(model, conditions) !== "never";

/** Conditions as they are on a record in a state. */
export const inState = (conditions: readonly Expr[], entity: Entity, state: string): readonly Expr[] => {
  const { states } = entity;
  if (states === null) return conditions;
  return conditions.map((condition) =>
    withFields(condition, new Map([[states.field, stateOf(entity, state, condition)]])),
  );
};

const stateOf = ({ states, fields }: Entity, value: string, { span }: Expr): Expr => ({
  kind: "constant",
  value,
  type: fields.get(states?.field ?? "")?.ruleType ?? { kind: "text" },
  missing: false,
  span,
});
