import Big from "big.js";
import { every, exists, not, some } from "../expression/boolean-exprs.ts";
import { type Expr, mapParts, subexpressions } from "../expression/expr.ts";
import type { Operation } from "../expression/operations/operations.ts";
import type { Duration } from "../expression/values/duration.ts";
import type { Value } from "../expression/values/value.ts";
import { isPath, structuralKey } from "../satisfiability/structural-key.ts";

/*
 * The solver takes a calculation as a whole. Implications between calculations let it compare conditions such as
 * `bookings.exists(b, b.people > 5)` and `bookings.exists(b, b.people > 3)`, or `today > due` and `today > due + 3 days`.
 */

/** `room in Room.filter(r, r.open)` becomes `room != null && room.open`. */
export const unfoldMembership = (expr: Expr): Expr => {
  const unfolded = mapParts(expr, unfoldMembership);
  if (unfolded.kind !== "call" || unfolded.row !== "same in [same]") return unfolded;
  const [value, list] = unfolded.args;
  if (value === undefined || list === undefined || !(isPath(value) || value.kind === "variable")) return unfolded;
  return isMember(value, list, unfolded);
};

const isMember = (value: Expr, list: Expr, call: Expr & { readonly kind: "call" }): Expr => {
  // A stored reference is always to a record that exists.
  if (list.kind === "all") return exists(value);
  if (list.kind !== "each" || list.row !== "filter") return { ...call, args: [value, list] };
  const isInList = isMember(value, list.list, call);
  return every([isInList, withElement(list.body, list.level, value)]) ?? isInList;
};

/** The body of a list operation outside its list, for one element. */
const withElement = (body: Expr, level: number, element: Expr): Expr => {
  if (body.kind === "variable" && body.level === level) return element;
  const outside =
    (body.kind === "variable" || body.kind === "each") && body.level > level
      ? { ...body, level: body.level - 1 }
      : body;
  return mapParts(outside, (part) => withElement(part, level, element));
};

/** A list operation, with the list that it reads and the condition of the elements that matter. */
interface ListTerm {
  readonly expr: Expr;
  readonly list: string;
  /** For `all`, the condition that each element meets; otherwise that of the elements that are counted. */
  readonly condition: readonly Expr[];
}

/** More calculations are not compared with one another. */
const MOST_TERMS = 8;

/** Implications between the calculations of conditions. They hold for all values. */
export const findImplications = (
  conditions: readonly Expr[],
  follows: (facts: readonly Expr[], condition: Expr) => boolean,
): readonly Expr[] => [...implyLists(conditions, follows), ...orderSums(conditions)];

/**
 * Implications that hold for every list: if an element that meets one condition meets another, then `all` of the first
 * implies `all` of the second, no fewer elements meet the second, and it has one if the first has one.
 */
const implyLists = (
  conditions: readonly Expr[],
  follows: (facts: readonly Expr[], condition: Expr) => boolean,
): readonly Expr[] => {
  const terms = [...new Map(conditions.flatMap(listTerms).map((term) => [structuralKey(term.expr), term])).values()];
  if (terms.length > MOST_TERMS) return [];
  return terms.flatMap((one) =>
    terms.flatMap((other) => {
      if (one === other || one.list !== other.list) return [];
      const condition = every(other.condition);
      if (condition !== undefined && !follows(one.condition, condition)) return [];
      return one.expr.type.kind === "boolean"
        ? (some([not(one.expr), other.expr]) ?? [])
        : notAbove(one.expr, other.expr);
    }),
  );
};

const listTerms = (expr: Expr): readonly ListTerm[] => {
  if (expr.kind === "each") {
    if (expr.row !== "all") return [];
    const { base, kept } = filtered(expr.list);
    const unless = every(kept);
    const condition = unless === undefined ? expr.body : (some([not(unless), expr.body]) ?? expr.body);
    return [{ expr, list: `all ${structuralKey(base)}`, condition: [condition] }];
  }
  const [list] = subexpressions(expr);
  if (expr.kind === "call" && list !== undefined && counted.has(expr.row)) {
    const { base, kept } = filtered(list);
    return [{ expr, list: `${expr.row} ${structuralKey(base)}`, condition: kept }];
  }
  return subexpressions(expr).flatMap(listTerms);
};

/** Operations that yield more, or true, if more elements meet the condition. */
const counted: ReadonlySet<Operation> = new Set(["size([any])", "count([any])", "exists([any])"]);

/** A list without its filters, and their conditions. */
const filtered = (list: Expr): { readonly base: Expr; readonly kept: readonly Expr[] } => {
  if (list.kind !== "each" || list.row !== "filter") return { base: list, kept: [] };
  const { base, kept } = filtered(list.list);
  return { base, kept: [...kept, list.body] };
};

/** True unless both are present and the first is greater. */
const notAbove = (one: Expr, other: Expr): Expr =>
  not({
    kind: "call",
    row: "ordered > ordered",
    args: [one, other],
    zone: "UTC",
    type: { kind: "boolean" },
    missing: false,
    span: one.span,
  });

/** A value to which constants are added. */
interface Sum {
  readonly expr: Expr;
  readonly base: string;
  /** The parts of the constant, which do not convert into each other. */
  readonly added: readonly number[];
}

/** The order of values that differ only by a constant: `due` is not after `due + 3 days`. */
const orderSums = (conditions: readonly Expr[]): readonly Expr[] => {
  const found = new Map(conditions.flatMap(findSums).map((sum) => [structuralKey(sum.expr), sum]));
  const sums = [...found.values()].filter((one, _, all) =>
    all.some((other) => other.base === one.base && other.added.length > 0),
  );
  if (sums.length > MOST_TERMS) return [];
  return sums.flatMap((one) =>
    sums.flatMap((other) =>
      one !== other && one.base === other.base && isAtMost(one.added, other.added)
        ? [notAbove(one.expr, other.expr)]
        : [],
    ),
  );
};

const isAtMost = (one: readonly number[], other: readonly number[]): boolean =>
  [0, 1, 2].every((part) => (one[part] ?? 0) <= (other[part] ?? 0));

const findSums = (expr: Expr): readonly Sum[] => {
  if (expr.kind === "call") {
    const sign = signs.get(expr.row);
    const [of, constant] = expr.args;
    if (sign !== undefined && of !== undefined && constant?.kind === "constant") {
      const parts = partsOf(constant.value);
      if (parts !== undefined) return [{ expr, base: structuralKey(of), added: parts.map((part) => sign * part) }];
    }
  }
  if (expr.kind === "today" || expr.kind === "now" || isPath(expr))
    return [{ expr, base: structuralKey(expr), added: [] }];
  return expr.kind === "each" ? [] : subexpressions(expr).flatMap(findSums);
};

const signs: ReadonlyMap<Operation, 1 | -1> = new Map([
  ["date + duration", 1],
  ["date - duration", -1],
  ["datetime + duration", 1],
  ["datetime - duration", -1],
  ["integer + integer", 1],
  ["integer - integer", -1],
  ["decimal + decimal", 1],
  ["decimal - decimal", -1],
  ["money + money", 1],
  ["money - money", -1],
]);

const partsOf = (value: Value): readonly number[] | undefined => {
  if (typeof value === "number") return [value];
  if (value instanceof Big) return [value.toNumber()];
  if (value === null || typeof value !== "object" || !("months" in value)) return undefined;
  const { months, days, milliseconds } = value as Duration;
  return [months, days, milliseconds];
};
