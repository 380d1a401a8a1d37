import type { Expr } from "../expression/expr.ts";
import type { Entity } from "../model/entity.ts";
import { withFields } from "./structural-key.ts";

/**
 * Simplifies conditions for a record in a given state. Results are memoized, so equal input gives the identical
 * expression.
 */
export const inState = (conditions: readonly Expr[], entity: Entity, state: string): readonly Expr[] => {
  const { states } = entity;
  if (states === null) return conditions;
  const key = `${entity.name} ${state}`;
  return conditions.map((condition) => {
    const before = known.get(condition);
    const simplified =
      before?.get(key) ?? withFields(condition, new Map([[states.field, getState(entity, state, condition)]]));
    if (before === undefined) known.set(condition, new Map([[key, simplified]]));
    else before.set(key, simplified);
    return simplified;
  });
};

const known = new WeakMap<Expr, Map<string, Expr>>();

const getState = ({ states, fields }: Entity, value: string, { span }: Expr): Expr => ({
  kind: "constant",
  value,
  type: fields.get(states?.field ?? "")?.ruleType ?? { kind: "text" },
  missing: false,
  span,
});
