import type { Expr } from "../expr.ts";

/** The path of a field from the current record, such as `line.request`; undefined for any other expression. */
export const toFieldPath = (expr: Expr): string | undefined => {
  if (expr.kind !== "field") return undefined;
  if (expr.of.kind === "this") return expr.field.name;
  const before = toFieldPath(expr.of);
  return before === undefined ? undefined : `${before}.${expr.field.name}`;
};
