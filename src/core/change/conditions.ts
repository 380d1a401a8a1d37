import type { Expr } from "../expression/expr.ts";
import type { Difference } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";

/**
 * The records that meet a condition only in the later version, and those that meet it only in the earlier one. Null
 * stands for every record.
 */
export const compareConditions = (
  { earlier, later, findDifference }: Comparison,
  before: Expr | null,
  after: Expr | null,
): { readonly wider: Difference; readonly narrower: Difference } => {
  const one = before === null ? [] : [earlier(before)];
  const other = after === null ? [] : [later(after)];
  return { wider: findDifference(other, [one]), narrower: findDifference(one, [other]) };
};
