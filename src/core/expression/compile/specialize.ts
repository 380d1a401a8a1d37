import type { Expr } from "../expr.ts";
import type { Orders } from "../operations/operation-types.ts";
import { type Operation, operationRow } from "../operations/operations.ts";
import type { Value } from "../values/value.ts";
import { readerOf } from "./field-readers.ts";
import { operationContext } from "./operation-context.ts";
import { type Evaluate, evaluators } from "./specialized-evaluators.ts";

/* Selects specialised functions of `specialized-evaluators.ts` for common expressions. */

type Compile = (expr: Expr) => Evaluate;
type Call = Expr & { readonly kind: "call" };

/** The specialised function of a comparison; undefined if there is none. */
export const specializeComparison = (expr: Call, compiled: Compile): Evaluate | undefined => {
  const comparison = findComparison(expr);
  if (comparison === undefined) return undefined;
  const { a, b, by, holds, field, constant } = comparison;
  if (holds === "among") return field === undefined ? undefined : among(field, b);
  if (constant === null)
    return field === undefined ? undefined : evaluators["field is missing"](readerOf(field), holds);
  if (a.type.kind === "record") return isUser(a, b, holds);
  if (by === "same") {
    if (field !== undefined && typeof constant === "number")
      return evaluators["field is a number"](readerOf(field), constant, holds);
    if (field !== undefined && typeof constant === "string")
      return evaluators["field is a text"](readerOf(field), constant, holds);
    return evaluators["is the same"](compiled(a), compiled(b), holds);
  }
  if (field !== undefined && typeof constant === "number")
    return evaluators["number field, constant"](readerOf(field), constant, holds);
  if (field !== undefined && typeof constant === "string")
    return evaluators["text field, constant"](readerOf(field), constant, holds);
  const isNumber = a.type.kind === "integer";
  const other = findFieldName(b);
  if (field !== undefined && other !== undefined)
    return evaluators[isNumber ? "number field, field" : "text field, field"](readerOf(field), readerOf(other), holds);
  const path = findPath(b);
  if (isNumber && field !== undefined && path !== undefined)
    return evaluators["number field, path"](readerOf(field), readerOf(path[0]), readerOf(path[1]), holds);
  return evaluators[isNumber ? "numbers" : "texts"](compiled(a), compiled(b), holds);
};

/** Evaluates conditions in order; the first with the value `settles` is the result. */
export const compileLogical = (expr: Call, settles: boolean, compiled: Compile): Evaluate => {
  const all = flatten(expr, expr.row);
  const [first, second] = all;
  if (first === undefined || second === undefined) throw new Error(`no conditions: ${expr.row}`);
  const range = all.length === 2 && !settles ? compileBetween(first, second) : undefined;
  if (range !== undefined) return range;
  const rest = () => (all.length === 2 ? compiled(second) : compileConditions(all.slice(1), settles, compiled));
  return compileAfterFirst(first, settles, rest) ?? compileConditions(all, settles, compiled);
};

const compileConditions = (all: readonly Expr[], settles: boolean, compiled: Compile): Evaluate => {
  const [a, b, c] = all.map(compiled);
  if (a && b && c && all.length === 3) return evaluators["three conditions"](settles, a, b, c);
  if (a && b && all.length === 2) return evaluators["two conditions"](settles, a, b);
  return evaluators["several conditions"](settles, all.map(compiled));
};

/** Flattens nested uses of one operator: `(a && b) && c` has three conditions. */
const flatten = (expr: Expr, row: Operation): readonly Expr[] =>
  expr.kind === "call" && expr.row === row ? expr.args.flatMap((arg) => flatten(arg, row)) : [expr];

/** Combines a common first condition with the rest in one function; undefined if the first is not a common one. */
const compileAfterFirst = (first: Expr, settles: boolean, rest: () => Evaluate): Evaluate | undefined => {
  const comparison = first.kind === "call" ? findComparison(first) : undefined;
  if (comparison === undefined || comparison.field === undefined) return undefined;
  const { by, holds, field, constant, b } = comparison;
  if (holds === "among") {
    const [one, other, more] = findConstants(b) ?? [];
    return one === undefined || other === undefined || more !== undefined
      ? undefined
      : evaluators["field in two, then"](readerOf(field), one, other, settles, rest());
  }
  if (constant === null) return evaluators["field is missing, then"](readerOf(field), holds, settles, rest());
  if (by === "same" && typeof constant === "string")
    return evaluators["field is a text, then"](readerOf(field), constant, holds, settles, rest());
  return by === "ordered" && typeof constant === "number"
    ? evaluators["number field, constant, then"](readerOf(field), constant, holds, settles, rest())
    : undefined;
};

/** `2 < days && days <= 30` */
const compileBetween = (first: Expr, second: Expr): Evaluate | undefined => {
  const [low, high] = [first, second].map((expr) => (expr.kind === "call" ? findComparison(expr) : undefined));
  if (low?.field === undefined || low.field !== high?.field || low.by !== "ordered" || high.by !== "ordered")
    return undefined;
  if (low.holds === "among" || high.holds === "among") return undefined;
  return typeof low.constant === "number" && typeof high.constant === "number"
    ? evaluators["number field between"](readerOf(low.field), low.constant, low.holds, high.constant, high.holds)
    : undefined;
};

/** A comparison that JavaScript's operators or the functions of its operands can evaluate. */
interface Comparison {
  readonly a: Expr;
  readonly b: Expr;
  readonly by: "same" | "ordered";
  readonly holds: Orders | "among";
  /** The first operand, if it is a field of the current record. */
  readonly field: string | undefined;
  /** The second operand, if it is a constant; `null` for a missing value. */
  readonly constant: Value | undefined;
}

const findComparison = (expr: Call): Comparison | undefined => {
  const { compares } = operationRow(expr.row);
  const [a, b] = expr.args;
  if (compares === undefined || a === undefined || b === undefined) return undefined;
  const { by, holds } = compares;
  const { kind } = operationContext(expr);
  const isNothing = by === "same" && findConstant(b) === null;
  if (!isNothing && kind[by] !== true && (a.type.kind !== "record" || holds === "among")) return undefined;
  // Rewrites `3 < days` as `days > 3`.
  const isReversed = holds !== "among" && findConstant(a) !== undefined && findConstant(b) === undefined;
  if (isReversed) return { a: b, b: a, by, holds: mirror(holds), field: findFieldName(b), constant: findConstant(a) };
  // An ordered comparison with a missing value is false; the table's row handles it.
  if (by === "ordered" && findConstant(b) === null) return undefined;
  return { a, b, by, holds, field: findFieldName(a), constant: findConstant(b) };
};

const mirror = ({ below, same, above }: Orders): Orders => ({ below: above, same, above: below });

const isUser = (a: Expr, b: Expr, holds: Orders): Evaluate | undefined => {
  const person = a.kind === "user" ? b : b.kind === "user" ? a : undefined;
  if (person === undefined) return undefined;
  const [field, path] = [findFieldName(person), findPath(person)];
  if (field !== undefined) return evaluators["field is user"](readerOf(field), holds);
  return path && evaluators["path is user"](readerOf(path[0]), readerOf(path[1]), holds);
};

/** Maximum number of constants with a specialised function. */
const SEVERAL = 8;

const among = (field: string, list: Expr): Evaluate | undefined => {
  const constants = findConstants(list);
  if (constants === undefined || constants.length > SEVERAL) return undefined;
  const [one, other] = constants;
  return one !== undefined && other !== undefined && constants.length === 2
    ? evaluators["field in two"](readerOf(field), one, other)
    : evaluators["field in several"](readerOf(field), constants);
};

/** The texts or numbers of a literal list; undefined for any other list. */
const findConstants = (list: Expr): readonly (string | number)[] | undefined => {
  if (list.kind !== "list") return undefined;
  const constants = list.items.map(findConstant).filter((item) => typeof item === "string" || typeof item === "number");
  return constants.length < list.items.length ? undefined : constants;
};

/** The value of a constant, which can be `null`; undefined for any other expression. */
const findConstant = (expr: Expr): Value | undefined => {
  if (expr.kind !== "constant") return undefined;
  return typeof expr.value === "string" ? internalize(expr.value) : expr.value;
};

/**
 * The text as the name of a property. Engines keep one copy of each name and of each short text of JSON, so a field is
 * compared with it by address. A text cut out of a document is a copy, which would be compared by its characters.
 */
const internalize = (text: string): string => Object.keys({ [text]: 0 })[0] ?? text;

/** Rejects names that every JavaScript object inherits, such as `constructor`. */
export const isPlainName = (name: string): boolean => !(name in Object.prototype);

/** The name of a field of the current record whose absent value means missing. */
const findFieldName = (expr: Expr): string | undefined =>
  expr.kind === "field" && expr.of.kind === "this" ? findName(expr) : undefined;

/** A field of a record that the current record refers to. */
const findPath = (expr: Expr): readonly [string, string] | undefined => {
  const reference = expr.kind === "field" ? findFieldName(expr.of) : undefined;
  const name = expr.kind === "field" ? findName(expr) : undefined;
  return reference === undefined || name === undefined ? undefined : [reference, name];
};

const findName = ({ field, type }: Expr & { kind: "field" }): string | undefined =>
  field.inverse === undefined && type.kind !== "boolean" && type.kind !== "list" && isPlainName(field.name)
    ? field.name
    : undefined;
