import type { Expr } from "../expr.ts";
import type { Bounds } from "../operations/operation-types.ts";
import { rowOf } from "../operations/operations.ts";

/** Between which whole numbers an expression's value lies, whatever is stored; undefined where nothing is known of it. */
const boundsOf = (expr: Expr): Bounds | undefined => {
  if (expr.kind === "constant") return typeof expr.value === "number" ? [expr.value, expr.value] : undefined;
  return expr.kind === "call" ? rowOf(expr.row).bounds?.(...expr.args.map(boundsOf)) : undefined;
};

/** Whether an operation on whole numbers stays among those that are exact: then nothing guards it in SQL. */
export const cannotOverflow = (expr: Expr): boolean => boundsOf(expr)?.every(Number.isSafeInteger) === true;
