import Big from "big.js";
import type { Expr } from "../expr.ts";
import { operationRow } from "../operations/operations.ts";
import type { Duration } from "../values/duration.ts";

/** Key of a path or name; equal keys have equal values throughout an expression. */
export const pathKey = (expr: Expr): string | undefined => {
  switch (expr.kind) {
    case "this":
    case "old":
    case "user":
      return expr.kind;
    case "name":
      return `name ${expr.name}`;
    case "variable":
      return `variable ${expr.level}`;
    case "field": {
      const of = pathKey(expr.of);
      return of === undefined ? undefined : `${of}.${expr.field.name}`;
    }
    default:
      return undefined;
  }
};

/**
 * Paths that exist if the expression does: the path itself, its prefixes, and operands whose absence an operator passes
 * on.
 */
const impliedPaths = (expr: Expr): readonly string[] => {
  if (expr.kind === "call") return operationRow(expr.row).missing === "spreads" ? expr.args.flatMap(impliedPaths) : [];
  const key = pathKey(expr);
  return key === undefined ? [] : [key, ...(expr.kind === "field" ? impliedPaths(expr.of) : [])];
};

/** Key of a computed list or number: its text. */
const findText = (expr: Expr): string | undefined => {
  const all = (parts: readonly Expr[], before: string): string | undefined => {
    const texts = parts.map(findText);
    return texts.includes(undefined) ? undefined : `${before}(${texts.join(", ")})`;
  };
  switch (expr.kind) {
    case "constant":
      return JSON.stringify(expr.value);
    case "all":
      return `all ${expr.entity.name}`;
    case "list":
      return all(expr.items, "list");
    case "each":
      return all([expr.list, expr.body], `${expr.row} ${expr.level}`);
    case "call":
      return all(expr.args, expr.row);
    default:
      return pathKey(expr);
  }
};

/** The list whose length an expression computes: `lines.size()`, `Line.count(l, l.open)`. */
const findCountedList = (expr: Expr): Expr | undefined =>
  expr.kind === "call" && (expr.row === "size([any])" || expr.row === "count([any])") ? expr.args[0] : undefined;

/** Removes the conversion of a whole number to a decimal. */
const withoutWidening = (expr: Expr): Expr =>
  expr.kind === "call" && expr.row === "decimal(integer)" ? (expr.args[0] ?? expr) : expr;

/** Key for the fact that a number is not zero or, equivalently for a count, that its list is not empty. */
const nonZeroKey = (expr: Expr): string | undefined => {
  const list = findCountedList(withoutWidening(expr));
  return list === undefined ? findText(withoutWidening(expr)) : findText(list);
};

const asNumber = (expr: Expr): number | undefined => {
  if (expr.kind !== "constant" || expr.limit !== undefined) return undefined;
  return typeof expr.value === "number" ? expr.value : expr.value instanceof Big ? expr.value.toNumber() : undefined;
};

const comparisons: { readonly [row: string]: (a: number, b: number) => boolean } = {
  "same == same": (a, b) => a === b,
  "same != same": (a, b) => a !== b,
  "ordered < ordered": (a, b) => a < b,
  "ordered <= ordered": (a, b) => a <= b,
  "ordered > ordered": (a, b) => a > b,
  "ordered >= ordered": (a, b) => a >= b,
};

/**
 * Facts about numbers that are not zero and lists that are not empty, given the outcome `holds` of a condition such as
 * `size(lines) > 0`.
 */
const nonEmptyFacts = (expr: Expr & { kind: "call" }, holds: boolean): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  const fact = (key: string | undefined) => (key === undefined ? [] : [`${key} not empty`]);
  if (expr.row === "exists([any])") return holds ? fact(findText(a)) : [];
  const compares = comparisons[expr.row];
  if (compares === undefined || b === undefined) return [];
  const [left, right] = [asNumber(a), asNumber(b)];
  if (right !== undefined && compares(0, right) !== holds) return fact(nonZeroKey(a));
  return left !== undefined && compares(left, 0) !== holds ? fact(nonZeroKey(b)) : [];
};

/** True if a list is never empty: a literal list of values, or one that an earlier condition checks. */
export const isNeverEmpty = (list: Expr, facts: ReadonlySet<string>): boolean => {
  if (list.kind === "list") return list.items.some((item) => !item.missing);
  if (facts.has(`${findText(list)} not empty`)) return true;
  return list.kind === "each" && list.row === "map" && !list.body.missing && isNeverEmpty(list.list, facts);
};

/** True if a number or a duration is never zero. */
export const isNeverZero = (expr: Expr, facts: ReadonlySet<string>): boolean => {
  const number = asNumber(withoutWidening(expr));
  if (number !== undefined) return number !== 0;
  const constant = withoutWidening(expr);
  if (constant.kind === "constant" && constant.limit === undefined && constant.type.kind === "duration")
    return Object.values(constant.value as Duration).some((part) => part !== 0);
  const list = findCountedList(withoutWidening(expr));
  if (list !== undefined) return isNeverEmpty(list, facts);
  return facts.has(`${nonZeroKey(expr)} not empty`);
};

/** Facts that hold if a condition is true: existing paths, non-empty lists, non-zero numbers. */
export const nonNullWhenTrue = (expr: Expr): readonly string[] =>
  expr.kind === "call" ? [...factsWhenTrue(expr), ...nonEmptyFacts(expr, true)] : [];

const factsWhenTrue = (expr: Expr & { kind: "call" }): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any != null":
      return impliedPaths(a);
    case "boolean && boolean":
      return expr.args.flatMap(nonNullWhenTrue);
    case "!boolean":
      return nonNullWhenFalse(a);
    case "same == same":
      return b ? [...(b.missing ? [] : impliedPaths(a)), ...(a.missing ? [] : impliedPaths(b))] : [];
    default:
      return operationRow(expr.row).missing === "refuses" ? expr.args.flatMap(impliedPaths) : [];
  }
};

/** Facts that hold if a condition is false: existing paths, non-empty lists, non-zero numbers. */
export const nonNullWhenFalse = (expr: Expr): readonly string[] =>
  expr.kind === "call" ? [...factsWhenFalse(expr), ...nonEmptyFacts(expr, false)] : [];

const factsWhenFalse = (expr: Expr & { kind: "call" }): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any == null":
      return impliedPaths(a);
    case "boolean || boolean":
      return expr.args.flatMap(nonNullWhenFalse);
    case "!boolean":
      return nonNullWhenTrue(a);
    case "same != same":
      return b ? [...(b.missing ? [] : impliedPaths(a)), ...(a.missing ? [] : impliedPaths(b))] : [];
    default:
      return [];
  }
};
