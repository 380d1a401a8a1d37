import type { Expr } from "./expr.ts";

/** An expression as it stands inside one list more: its own variables, and the lists that they go through, are one level deeper. */
export const inside = (expr: Expr): Expr => {
  switch (expr.kind) {
    case "variable":
      return { ...expr, level: expr.level + 1 };
    case "field":
      return { ...expr, of: inside(expr.of) };
    case "list":
      return { ...expr, items: expr.items.map(inside) };
    case "call":
      return { ...expr, args: expr.args.map(inside) };
    case "each":
      return { ...expr, level: expr.level + 1, list: inside(expr.list), body: inside(expr.body) };
    default:
      return expr;
  }
};
