import Big from "big.js";
import type { Expr } from "../expr.ts";
import type { Operation } from "../operations/operations.ts";
import { isDate, normalizeDatetime, normalizeTime } from "../values/calendar.ts";
import type { Type } from "../values/type.ts";

/** True if a value of one type is implicitly convertible to the other, such as a whole number to a decimal. */
const widens = (from: Type, to: Type): boolean => {
  if (from.kind === "unknown" || to.kind === "unknown") return true;
  if (from.kind === "null") return to.kind !== "boolean" && to.kind !== "list";
  if (from.kind === "integer" && to.kind === "decimal") return true;
  if (from.kind === "choice" && to.kind === "choice") return from.values.every((value) => to.values.includes(value));
  if (from.kind === "record" && to.kind === "record") return from.entity === to.entity;
  if (from.kind === "money" && to.kind === "money") return from.currency === to.currency;
  if (from.kind === "list" && to.kind === "list") return isSame(from.of, to.of);
  return from.kind === to.kind;
};

const isSame = (a: Type, b: Type): boolean => widens(a, b) && widens(b, a);

/** Converts an expression to a type, with explicit conversion nodes; undefined if it is not convertible. */
export const coerce = (expr: Expr, to: Type, zone: string): Expr | undefined => {
  const { type } = expr;
  if (to.kind === "unknown" || type.kind === "unknown") return expr;
  if (expr.kind === "constant") return constantAs(expr, to);
  if (expr.kind === "list" && to.kind === "list") {
    const items = expr.items.map((item) => coerce(item, to.of, zone));
    return items.every((item) => item !== undefined) ? { ...expr, items, type: to } : undefined;
  }
  if (!widens(type, to)) return undefined;
  return type.kind === "integer" && to.kind === "decimal" ? createConversion("decimal(integer)", expr, to, zone) : expr;
};

/** Types a constant by its context if possible: `'2026-03-29'` as a date, `100` as an amount of money. */
const constantAs = (expr: Expr & { kind: "constant" }, to: Type): Expr | undefined => {
  const { value, type } = expr;
  if (type.kind === "null") return widens(type, to) ? { ...expr, type: to } : undefined;
  if ((to.kind === "decimal" || to.kind === "money") && typeof value === "number")
    return { ...expr, value: new Big(value), type: to };
  if (to.kind === "money" && type.kind === "decimal") return { ...expr, type: to };
  if (type.kind !== "text" || typeof value !== "string") return widens(type, to) ? expr : undefined;
  if (to.kind === "text" || (to.kind === "choice" && to.values.includes(value))) return { ...expr, type: to };
  if (to.kind === "date" && isDate(value)) return { ...expr, type: to };
  const time = to.kind === "time" ? normalizeTime(value) : undefined;
  if (time !== undefined) return { ...expr, value: time, type: to };
  const datetime = to.kind === "datetime" ? normalizeDatetime(value) : undefined;
  return datetime === undefined ? undefined : { ...expr, value: datetime, type: to };
};

/** Converts an operand of a function. A datetime is also accepted as a date. */
export const coerceOperand = (expr: Expr, to: Type, zone: string): Expr | undefined =>
  coerce(expr, to, zone) ??
  (expr.type.kind === "datetime" && to.kind === "date"
    ? createConversion("date_of(datetime)", expr, to, zone)
    : undefined);

const createConversion = (row: Operation, arg: Expr, type: Type, zone: string): Expr => ({
  kind: "call",
  row,
  args: [arg],
  zone,
  type,
  missing: arg.missing,
  span: arg.span,
});

/** The common type of a type and one more expression; undefined if there is none. */
export const commonType = (type: Type, expr: Expr, zone: string): Type | undefined => {
  if (type.kind === "unknown" || type.kind === "null") return expr.type.kind === "null" ? type : expr.type;
  if (coerce(expr, type, zone)) return type;
  return widens(type, expr.type) ? expr.type : undefined;
};
