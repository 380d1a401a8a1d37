import { type Expr, withParts } from "../expr.ts";

/** An expression as it stands inside one list more: its own variables, and the lists that they go through, are one level deeper. */
export const shiftScope = (expr: Expr): Expr =>
  withParts(expr.kind === "variable" || expr.kind === "each" ? { ...expr, level: expr.level + 1 } : expr, shiftScope);
