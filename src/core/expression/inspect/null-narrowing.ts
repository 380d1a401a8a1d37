import Big from "big.js";
import type { Expr } from "../expr.ts";
import { rowOf } from "../operations/operations.ts";

/** What stands for the same value wherever it stands in one expression: a path or a name. */
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

/** The paths that must be there where an expression is: itself, what it leads through, what an operator spreads. */
const neededBy = (expr: Expr): readonly string[] => {
  if (expr.kind === "call") return rowOf(expr.row).missing === "spreads" ? expr.args.flatMap(neededBy) : [];
  const key = pathKey(expr);
  return key === undefined ? [] : [key, ...(expr.kind === "field" ? neededBy(expr.of) : [])];
};

/** The same of lists and numbers that are calculated: their text. */
const textOf = (expr: Expr): string | undefined => {
  const all = (parts: readonly Expr[], before: string): string | undefined => {
    const texts = parts.map(textOf);
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

/** How many a list holds: `lines.size()`, `Line.count(l, l.open)`. */
const countedList = (expr: Expr): Expr | undefined =>
  expr.kind === "call" && (expr.row === "size([any])" || expr.row === "count([any])") ? expr.args[0] : undefined;

/** A whole number as it is, where it stands for a decimal. */
const unwidened = (expr: Expr): Expr =>
  expr.kind === "call" && expr.row === "decimal(integer)" ? (expr.args[0] ?? expr) : expr;

/** That a number is not zero, or that a list holds something: which is the same of how many it holds. */
const notZero = (expr: Expr): string | undefined => {
  const list = countedList(unwidened(expr));
  return list === undefined ? textOf(unwidened(expr)) : textOf(list);
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

/** What cannot be zero, and which lists cannot be empty, when a condition comes to `holds`: `size(lines) > 0`. */
const filledBy = (expr: Expr & { kind: "call" }, holds: boolean): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  const said = (key: string | undefined) => (key === undefined ? [] : [`${key} not empty`]);
  if (expr.row === "exists([any])") return holds ? said(textOf(a)) : [];
  const compares = comparisons[expr.row];
  if (compares === undefined || b === undefined) return [];
  const [left, right] = [asNumber(a), asNumber(b)];
  if (right !== undefined && compares(0, right) !== holds) return said(notZero(a));
  return left !== undefined && compares(left, 0) !== holds ? said(notZero(b)) : [];
};

/** True if a list holds something wherever it is evaluated: a list of values, or one that was asked before. */
export const isNeverEmpty = (list: Expr, given: ReadonlySet<string>): boolean => {
  if (list.kind === "list") return list.items.some((item) => !item.missing);
  if (given.has(`${textOf(list)} not empty`)) return true;
  return list.kind === "each" && list.row === "map" && !list.body.missing && isNeverEmpty(list.list, given);
};

/** True if a number is not zero wherever it is evaluated. */
export const isNeverZero = (expr: Expr, given: ReadonlySet<string>): boolean => {
  const number = asNumber(unwidened(expr));
  if (number !== undefined) return number !== 0;
  const list = countedList(unwidened(expr));
  if (list !== undefined) return isNeverEmpty(list, given);
  return given.has(`${notZero(expr)} not empty`);
};

/** What is there when a condition is true. */
export const nonNullWhenTrue = (expr: Expr): readonly string[] =>
  expr.kind === "call" ? [...thereWhenTrue(expr), ...filledBy(expr, true)] : [];

const thereWhenTrue = (expr: Expr & { kind: "call" }): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any != null":
      return neededBy(a);
    case "boolean && boolean":
      return expr.args.flatMap(nonNullWhenTrue);
    case "!boolean":
      return nonNullWhenFalse(a);
    case "same == same":
      return b ? [...(b.missing ? [] : neededBy(a)), ...(a.missing ? [] : neededBy(b))] : [];
    default:
      return rowOf(expr.row).missing === "refuses" ? expr.args.flatMap(neededBy) : [];
  }
};

/** What is there when a condition is false. */
export const nonNullWhenFalse = (expr: Expr): readonly string[] =>
  expr.kind === "call" ? [...thereWhenFalse(expr), ...filledBy(expr, false)] : [];

const thereWhenFalse = (expr: Expr & { kind: "call" }): readonly string[] => {
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any == null":
      return neededBy(a);
    case "boolean || boolean":
      return expr.args.flatMap(nonNullWhenFalse);
    case "!boolean":
      return nonNullWhenTrue(a);
    case "same != same":
      return b ? [...(b.missing ? [] : neededBy(a)), ...(a.missing ? [] : neededBy(b))] : [];
    default:
      return [];
  }
};
