import { type Expr, withParts } from "../expr.ts";

/**
 * A condition on one record as a condition on another, from which a path leads there: `status == draft` of a request is,
 * through a comment's `request`, `request.status == draft`. Where the path may lead nowhere it says nothing for certain:
 * who asks makes sure first that it is there.
 */
export const rebaseOnPath = (expr: Expr, path: Expr): Expr =>
  expr.kind === "this" ? { ...path, span: expr.span } : withParts(expr, (part) => rebaseOnPath(part, path));
