import type { Expr } from "../expr.ts";
import { operationRow } from "../operations/operations.ts";

/**
 * True if the value depends on the row alone and needs no query, so that Postgres accepts the expression in a CHECK or
 * a generated column. `stored` tells if a field of the row has a column.
 */
export const isOfOwnRow = (expr: Expr, stored: (field: string) => boolean): boolean => {
  switch (expr.kind) {
    case "constant":
    case "this":
      return true;
    case "name":
      return expr.seedRecord !== undefined;
    case "field":
      return expr.of.kind === "this" && expr.field.inverse === undefined && stored(expr.field.name);
    case "list":
      return expr.items.every((item) => isOfOwnRow(item, stored));
    case "call":
      return (
        operationRow(expr.row).queries !== true &&
        !isFoldedText(expr) &&
        expr.args.every((arg) => isPlain(expr.row, arg) && isOfOwnRow(arg, stored))
      );
    default:
      return false;
  }
};

/** Operations on lists need a subquery, except for these on arrays and literal lists. */
const isPlain = (row: string, { type, kind }: Expr): boolean =>
  type.kind !== "list" ||
  (row === "same in [same]" && (kind === "field" || kind === "list")) ||
  ((row === "size([any])" || row === "count([any])") && kind === "field");

/**
 * True if Postgres would evaluate an operation on texts while it reads the definition of a column. At that point, it has not
 * determined the collation yet, and refuses the definition.
 */
const isFoldedText = (expr: Expr & { readonly kind: "call" }): boolean =>
  expr.args.some(({ type }) => type.kind === "text") && expr.args.every(isConstant);

const isConstant = (expr: Expr): boolean =>
  expr.kind === "constant" ||
  (expr.kind === "list" && expr.items.every(isConstant)) ||
  (expr.kind === "call" && expr.args.every(isConstant));
