import type { Expr } from "./expr.ts";

/**
 * A condition on one record as a condition on another, from which a path leads there: `status == draft` of a request is,
 * through a comment's `request`, `request.status == draft`. Where the path may lead nowhere it says nothing for certain:
 * who asks makes sure first that it is there.
 */
export const through = (expr: Expr, path: Expr): Expr => {
  switch (expr.kind) {
    case "this":
      return { ...path, span: expr.span };
    case "field":
      return { ...expr, of: through(expr.of, path) };
    case "list":
      return { ...expr, items: expr.items.map((item) => through(item, path)) };
    case "call":
      return { ...expr, args: expr.args.map((arg) => through(arg, path)) };
    case "each":
      return { ...expr, list: through(expr.list, path), body: through(expr.body, path) };
    default:
      return expr;
  }
};
