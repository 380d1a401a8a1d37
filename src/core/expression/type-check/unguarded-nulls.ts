import { type Finding, finding } from "../../findings.ts";
import type { Expr } from "../expr.ts";
import { missesOtherwise } from "../inspect/exactly-one.ts";
import { toFieldPath } from "../inspect/field-path.ts";
import { operationRow } from "../operations/operations.ts";

/**
 * Comparisons that make a rule fail because an optional value is missing: `score >= 3` does; `score == null || score >=
 * 3` and `!(score < 3)` do not. `given`: fields that have a value whenever the rule is checked.
 */
export const findUnguardedNulls = (expr: Expr, given: readonly string[], refuses = true): readonly Finding[] => {
  if (expr.kind === "each") return expr.row === "all" ? findUnguardedNulls(expr.body, given, refuses) : [];
  if (expr.kind !== "call") return [];
  const { row, args } = expr;
  if (row === "!boolean") return args.flatMap((arg) => findUnguardedNulls(arg, given, !refuses));
  if (row === "boolean ? boolean : boolean")
    return args.slice(1).flatMap((arg) => findUnguardedNulls(arg, given, refuses));
  if (row === "boolean && boolean" || row === "boolean || boolean")
    return args.flatMap((arg) => findUnguardedNulls(arg, given, refuses));
  const [a, b] = args;
  // A value that was missing before and now is not has changed: `x == old.x` refuses that on purpose.
  const isChange = [a, b].some((side) => side !== undefined && isOld(side));
  const isFalse =
    operationRow(row).missing === "refuses" || (row === "same == same" && a?.missing !== b?.missing && !isChange);
  if (!refuses || !isFalse) return [];
  // Skips values that are missing only because `.one` does not find exactly one record; such a rule is refused for that
  // reason.
  return args.filter((arg) => missesOtherwise(arg) && !isGiven(arg, given)).map(createWarning);
};

/** True for a field with a value, and for a required field of the record that it names: `order.kind`, if `order` is asked for. */
const isGiven = (expr: Expr, given: readonly string[]): boolean =>
  given.includes(toFieldPath(expr) ?? "") ||
  (expr.kind === "field" && !expr.field.optional && expr.field.computed === undefined && isGiven(expr.of, given));

const isOld = (expr: Expr): boolean => expr.kind === "old" || (expr.kind === "field" && isOld(expr.of));

const oldPath = (expr: Expr): string | undefined => {
  if (expr.kind === "old") return "old";
  const before = expr.kind === "field" ? oldPath(expr.of) : undefined;
  return before === undefined || expr.kind !== "field" ? undefined : `${before}.${expr.field.name}`;
};

/** The path that can be missing in an operand: `price` in `open + price`. */
const missingPath = (operand: Expr): string | undefined => {
  const path = toFieldPath(operand) ?? oldPath(operand);
  if (path !== undefined || operand.kind !== "call" || operationRow(operand.row).missing !== "spreads") return path;
  const paths = operand.args.flatMap((arg) => (missesOtherwise(arg) ? [missingPath(arg)] : []));
  return paths.length === 1 ? paths[0] : undefined;
};

const createWarning = (operand: Expr): Finding => {
  const path = missingPath(operand);
  return finding(
    "OPTIONAL_UNGUARDED",
    operand.span,
    `If ${path ?? "this value"} is missing, this rule refuses the record.`,
    `Add \`when: ${path ?? "…"} != null\`, or make the field required.`,
  );
};
