import type { Expr } from "../expr.ts";

/**
 * Whether an expression says the same as long as its own row does, and can be said of that row alone, without a query:
 * Postgres then takes it into a CHECK and computes a column by it. `stored` says which fields of the row have a column.
 */
export const isOfOwnRow = (expr: Expr, stored: (field: string) => boolean): boolean => {
  switch (expr.kind) {
    case "constant":
    case "this":
      return true;
    case "name":
      return expr.kept !== undefined;
    case "field":
      return expr.of.kind === "this" && expr.field.inverse === undefined && stored(expr.field.name);
    case "list":
      return expr.items.every((item) => isOfOwnRow(item, stored));
    case "call":
      return expr.args.every((arg) => isPlain(expr.row, arg) && isOfOwnRow(arg, stored));
    default:
      return false;
  }
};

/** What asks a list is a query of its own, but for these, which ask an array or what is written out as a whole. */
const isPlain = (row: string, { type, kind }: Expr): boolean =>
  type.kind !== "list" ||
  (row === "same in [same]" && (kind === "field" || kind === "list")) ||
  ((row === "size([any])" || row === "count([any])") && kind === "field");
