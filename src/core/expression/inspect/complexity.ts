import { type Expr, subexpressions } from "../expr.ts";
import { operationRow } from "../operations/operations.ts";

/**
 * Maximum weight of an expression. Some operators repeat an operand in SQL, and nesting multiplies the repetitions.
 * Products also add up decimal places, of which Postgres allows 16,383.
 */
export const heaviest = 1_000;

/**
 * Approximate number of SQL fragments of an expression. `ofField` is the additional weight of a virtual computed field.
 */
export const sqlWeight = (expr: Expr, ofField: (entity: string, field: string) => number = weightless): number => {
  const own = expr.kind === "field" ? 1 + ofField(expr.entity.name, expr.field.name) : 1;
  let parts = 0;
  for (const part of subexpressions(expr)) parts += sqlWeight(part, ofField);
  return own + parts * countRepeats(expr);
};

const weightless = (): number => 0;

const countRepeats = (expr: Expr): number => (expr.kind === "call" ? (operationRow(expr.row).repeats ?? 1) : 1);
