import { type Expr, mapParts } from "../expr.ts";

/** Adjusts an expression that is moved into one more list: the levels of its variables increase by one. */
export const shiftScope = (expr: Expr): Expr =>
  mapParts(expr.kind === "variable" || expr.kind === "each" ? { ...expr, level: expr.level + 1 } : expr, shiftScope);
