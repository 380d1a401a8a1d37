import type { Entity } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { canHold } from "./decide.ts";
import type { Entities } from "./ranges.ts";
import { every, withFields } from "./structure.ts";

/** Whether conditions can hold together; of none, they do. */
export const canHoldTogether = (conditions: readonly Expr[], entities: Entities): boolean => {
  const all = every(conditions);
  return all === undefined || canHold(all, entities);
};

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
