import type { Expr } from "./expr.ts";

/**
 * The expression with each name that its place gives written out, so that whatever reads it (SQL, JavaScript, what it
 * depends on) needs to know of no names. A part is read outside every list, so its variables count from there again.
 */
export const inlined = (expr: Expr, names: ReadonlyMap<string, Expr>): Expr => {
  if (names.size === 0) return expr;
  const within = (one: Expr): Expr => inlined(one, names);
  switch (expr.kind) {
    case "name":
      return names.get(expr.name) ?? expr;
    case "field":
      return { ...expr, of: within(expr.of) };
    case "list":
      return { ...expr, items: expr.items.map(within) };
    case "call":
      return { ...expr, args: expr.args.map(within) };
    case "each":
      return { ...expr, list: within(expr.list), body: within(expr.body) };
    default:
      return expr;
  }
};
