import { type Expr, partsOf } from "./expr.ts";
import { rowOf } from "./meaning.ts";

/**
 * Expressions that weigh more are refused. Some operators write an operand twice, and twice twice is four times; and the
 * places of a product add up, which Postgres keeps to 16,383.
 */
export const heaviest = 1_000;

/** About how many pieces of SQL an expression makes. */
export const weightOf = (expr: Expr): number => 1 + sum(partsOf(expr).map(weightOf)) * repeatsOf(expr);

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const repeatsOf = (expr: Expr): number => (expr.kind === "call" ? (rowOf(expr.row).repeats ?? 1) : 1);
