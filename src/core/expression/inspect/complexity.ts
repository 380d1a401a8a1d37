import { type Expr, partsOf } from "../expr.ts";
import { rowOf } from "../operations/operations.ts";

/**
 * Expressions that weigh more are refused. Some operators write an operand twice, and twice twice is four times; and the
 * places of a product add up, which Postgres keeps to 16,383.
 */
export const heaviest = 1_000;

/** About how many pieces of SQL an expression makes. `ofField`: what a field adds that is computed where it is read. */
export const weightOf = (expr: Expr, ofField: (entity: string, field: string) => number = () => 0): number => {
  const own = expr.kind === "field" ? 1 + ofField(expr.entity.name, expr.field.name) : 1;
  return own + sum(partsOf(expr).map((part) => weightOf(part, ofField))) * repeatsOf(expr);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const repeatsOf = (expr: Expr): number => (expr.kind === "call" ? (rowOf(expr.row).repeats ?? 1) : 1);
