import { type Expr, withParts } from "../expr.ts";

/** The expression with some of its parts in other words; what `by` says nothing of stays. */
export const rewrite = (expr: Expr, by: (part: Expr) => Expr | undefined): Expr =>
  by(expr) ?? withParts(expr, (part) => rewrite(part, by));

/**
 * The expression with each name that its place gives written out, so that whatever reads it (SQL, JavaScript, what it
 * depends on) needs to know of no names. A part is read outside every list, so its variables count from there again.
 */
export const inlineNames = (expr: Expr, names: ReadonlyMap<string, Expr>): Expr =>
  names.size === 0 ? expr : rewrite(expr, (part) => (part.kind === "name" ? names.get(part.name) : undefined));
