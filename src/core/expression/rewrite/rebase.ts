import { type Expr, mapParts } from "../expr.ts";

/**
 * Turns a condition on one record into a condition on another that refers to it by a path: `status == draft` of a
 * request becomes `request.status == draft` of a comment. If the path can be missing, the caller must check that it
 * exists.
 */
export const rebaseOnPath = (expr: Expr, path: Expr): Expr =>
  expr.kind === "this" ? { ...path, span: expr.span } : mapParts(expr, (part) => rebaseOnPath(part, path));
