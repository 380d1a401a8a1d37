import { type Expr, subexpressions } from "../expr.ts";

/** The lists of other records that an expression selects by conditions: `Loan.filter(l, l.thing == thing)` for its count. */
export const findRecordFilters = (expr: Expr): readonly Expr[] => {
  if (expr.kind !== "each") return subexpressions(expr).flatMap(findRecordFilters);
  const { row, type, list } = expr;
  // The body reads elements of the list, so what it selects differs from one to the next.
  return row === "filter" && type.kind === "list" && type.of.kind === "record" ? [expr] : findRecordFilters(list);
};
