import { type Expr, mapParts } from "../expr.ts";

/** Replaces the parts for which `by` returns an expression. */
export const rewrite = (expr: Expr, by: (part: Expr) => Expr | undefined): Expr =>
  by(expr) ?? mapParts(expr, (part) => rewrite(part, by));

/**
 * Replaces each name from the context by its expression, so that later stages (SQL, JavaScript, read sets) need no
 * names. Such an expression is typed outside all lists, so the levels of its variables start at 0.
 */
export const inlineNames = (expr: Expr, names: ReadonlyMap<string, Expr>): Expr =>
  names.size === 0 ? expr : rewrite(expr, (part) => (part.kind === "name" ? names.get(part.name) : undefined));
