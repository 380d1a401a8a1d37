import type Big from "big.js";
import { type Expr, isComputedNumber, subexpressions } from "../expr.ts";
import { iteratorRow } from "../operations/iterators.ts";
import { normalize } from "../operations/numeric-ops.ts";
import type { OperationContext, OperationRow } from "../operations/operation-types.ts";
import { operationRow } from "../operations/operations.ts";
import type { SeedRecord } from "../values/seed-record.ts";
import type { Type } from "../values/type.ts";
import { type JsEnv, type JsRecord, nobody, noRecord, type Value } from "../values/value.ts";
import { type ReadField, readerOf } from "./field-readers.ts";
import { operationContext } from "./operation-context.ts";
import { compileLogical, isPlainName, specializeComparison } from "./specialize.ts";
import type { Evaluate } from "./specialized-evaluators.ts";

/** Evaluates an expression on a record (`noRecord` where there is none) in an environment that all records share. */
export type Evaluator = (record: JsRecord, env: JsEnv) => Value;

/**
 * Compiles the expression to closures once; evaluation neither walks the tree nor decides on types. `Value` describes
 * the representation of each type. No code is generated from text, because our content security policy forbids it in
 * browsers.
 *
 * `toJs(rule)({ days: 3 }, { now, today, rows: () => [] })` of `days > 2` is `true`.
 */
export const toJs = (expr: Expr): Evaluator => {
  const evaluate = compileNode(expr);
  if (isComputedNumber(expr))
    return (record, env) => {
      const value = evaluate(record, env, []);
      return value === null ? null : normalize.js(value as Big);
    };
  // Without list operations, the evaluator ignores `elements` and can be returned as it is.
  return hasListOperation(expr) ? (record, env) => evaluate(record, env, []) : (evaluate as Evaluator);
};

/** True if the expression contains a list operation and needs `elements`. */
const hasListOperation = (expr: Expr): boolean => expr.kind === "each" || subexpressions(expr).some(hasListOperation);
const none: Value[] = [];

/** True if the expression does not depend on any input; it is evaluated at compile time. */
const isConstant = (expr: Expr): boolean =>
  expr.kind === "constant" ||
  ((expr.kind === "call" || expr.kind === "list") && subexpressions(expr).every(isConstant));

const nowhere: JsEnv = { now: "", today: "", rows: () => [] };

const compileNode = (expr: Expr): Evaluate => {
  switch (expr.kind) {
    case "constant": {
      const { value } = expr;
      return () => value;
    }
    case "this":
      return (record) => (record === noRecord ? null : record);
    case "old":
      return (_, env) => env.old ?? null;
    case "user":
      return (_, env) => env.user ?? nobody;
    case "now":
      return (_, env) => env.now;
    case "today":
      return (_, env) => env.today;
    case "name": {
      const { name, seedRecord } = expr;
      if (seedRecord) return (_, env) => findSeedRecord(env, seedRecord, expr.type);
      const none = getEmptyValue(expr.type);
      // Names of a context are too many for places of their own: the terms of a condition are some.
      const read = isPlainName(name) ? (from: JsRecord) => from[name] : readOwn(name);
      return (_, env) => (env.names && read(env.names)) ?? none;
    }
    case "variable": {
      const { level } = expr;
      return (_, __, elements) => elements[level] ?? null;
    }
    case "all": {
      const { name } = expr.entity;
      return (_, env) => env.rows(name);
    }
    case "list":
      return compileList(expr.items);
    case "field":
      return field(expr);
    case "call": {
      const evaluate = compileCall(expr);
      if (!isConstant(expr)) return evaluate;
      const value = evaluate(noRecord, nowhere, none);
      return () => value;
    }
    case "each": {
      const list = compileNode(expr.list);
      const body = compileNode(expr.body);
      const { js } = iteratorRow(expr.row);
      const { level } = expr;
      return (record, env, elements) =>
        js(list(record, env, elements) as readonly Value[], (element) => {
          elements[level] = element;
          return body(record, env, elements);
        });
    }
  }
};

/** The seed record with its stored fields, if the environment has them. */
const findSeedRecord = (env: JsEnv, seedRecord: SeedRecord, type: Type): Value =>
  env.rows(type.kind === "record" ? type.entity : "").find((row) => row.id === seedRecord.id) ?? seedRecord;

/** The empty value of a type: an empty list, false, or null. */
const getEmptyValue = (type: Type): Value => (type.kind === "list" ? [] : type.kind === "boolean" ? false : null);

const compileList = (items: readonly Expr[]): Evaluate => {
  if (items.every((item) => item.kind === "constant")) {
    const constants = items.flatMap((item) => (item.value === null ? [] : [item.value]));
    return () => constants;
  }
  const evaluate = items.map(compileNode);
  return (record, env, elements) => {
    const values: Value[] = [];
    for (const item of evaluate) {
      const value = item(record, env, elements);
      if (value !== null) values.push(value);
    }
    return values;
  };
};

const field = ({ of, field: { name, inverse, type } }: Expr & { kind: "field" }): Evaluate => {
  const none = getEmptyValue(type);
  const read = createReader(name);
  if (inverse) {
    const ownerOf = compileNode(of);
    const { entity, by } = inverse;
    return (record, env, elements) => {
      const owner = ownerOf(record, env, elements) as JsRecord | null;
      if (owner === null) return none;
      return read(owner) ?? env.rows(entity).filter((row) => refersTo(row[by], owner));
    };
  }
  if (of.kind === "this") return (record) => read(record) ?? none;
  const ownerOf = compileNode(of);
  return (record, env, elements) => {
    const owner = ownerOf(record, env, elements) as JsRecord | null;
    return (owner && read(owner)) ?? none;
  };
};

/** True if a reference, or one of several, refers to the record. */
const refersTo = (reference: Value | undefined, { id }: JsRecord): boolean =>
  Array.isArray(reference)
    ? reference.some((value: Value) => (value as JsRecord).id === id)
    : (reference as JsRecord | null | undefined)?.id === id;

const createReader = (name: string): ReadField => (isPlainName(name) ? readerOf(name) : readOwn(name));

const readOwn =
  (name: string): ReadField =>
  (from) =>
    Object.hasOwn(from, name) ? from[name] : null;

/** Compiles a call. The handling of missing operands is decided here, at compile time. */
const compileCall = (expr: Expr & { kind: "call" }): Evaluate => {
  const row = operationRow(expr.row);
  if ("settles" in row) return compileLogical(expr, row.settles, compileNode);
  return specializeComparison(expr, compileNode) ?? applyRow(row, expr.args.map(compileNode), operationContext(expr));
};

const applyRow = (
  row: Exclude<OperationRow, { readonly settles: boolean }>,
  operands: readonly Evaluate[],
  place: OperationContext,
): Evaluate => {
  const js = row.js as (...operands: (Value | OperationContext)[]) => Value;
  const [a, b, c] = operands;
  const { missing } = row;
  const otherwise = missing === "refuses" ? false : missing === "empties" ? none : null;
  if (missing === "met") {
    if (a && b && c)
      return (record, env, elements) =>
        js(a(record, env, elements), b(record, env, elements), c(record, env, elements), place);
    if (a && b) return (record, env, elements) => js(a(record, env, elements), b(record, env, elements), place);
    if (a) return (record, env, elements) => js(a(record, env, elements), place);
  }
  if (a && b && operands.length === 2)
    return (record, env, elements) => {
      const x = a(record, env, elements);
      if (x === null) return otherwise;
      const y = b(record, env, elements);
      return y === null ? otherwise : js(x, y, place);
    };
  if (a && operands.length === 1)
    return (record, env, elements) => {
      const x = a(record, env, elements);
      return x === null ? otherwise : js(x, place);
    };
  return (record, env, elements) => {
    const values = operands.map((operand) => operand(record, env, elements));
    return missing !== "met" && values.includes(null) ? otherwise : js(...values, place);
  };
};
