import type { Entity } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { withFields } from "./structure.ts";

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
