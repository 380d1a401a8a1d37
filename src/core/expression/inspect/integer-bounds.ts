import type { Expr } from "../expr.ts";
import type { Bounds } from "../operations/operation-types.ts";
import { operationRow } from "../operations/operations.ts";

/** Range of a whole-number expression for all stored values; undefined if unknown. */
const findBounds = (expr: Expr): Bounds | undefined => {
  if (expr.kind === "constant") return typeof expr.value === "number" ? [expr.value, expr.value] : undefined;
  return expr.kind === "call" ? operationRow(expr.row).bounds?.(...expr.args.map(findBounds)) : undefined;
};

/** True if the result of a whole-number operation is always exact, so that its SQL needs no overflow check. */
export const cannotOverflow = (expr: Expr): boolean => findBounds(expr)?.every(Number.isSafeInteger) === true;
