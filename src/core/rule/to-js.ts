import type Big from "big.js";
import { type Expr, isComputedNumber, partsOf } from "./expr.ts";
import type { Kept } from "./kept.ts";
import { eachOf, leaving, type Place, type Row, rowOf } from "./meaning.ts";
import { placeOf } from "./place.ts";
import type { Type } from "./type.ts";
import { type JsEnv, type JsRecord, nobody, type Value } from "./value.ts";

/** `elements` are those of the lists that are gone through around. */
type Evaluate = (env: JsEnv, elements: Value[]) => Value;

/**
 * The expression as a function. It is compiled once, into closures, and evaluating it walks no tree and makes no
 * decision about types. `Value` says how each type is represented. Nothing is made of text at runtime: a browser's
 * content security policy forbids it, and ours does.
 *
 * `toJs(rule)({ this: { days: 3 }, now, today, rows: () => [] })` of `days > 2` is `true`.
 */
export const toJs = (expr: Expr): ((env: JsEnv) => Value) => {
  const evaluate = compiled(expr);
  if (isComputedNumber(expr))
    return (env) => {
      const value = evaluate(env, []);
      return value === null ? null : leaving.js(value as Big);
    };
  return goesThrough(expr) ? (env) => evaluate(env, []) : (env) => evaluate(env, none);
};

/** Whether it goes through a list, and needs a place for its elements. */
const goesThrough = (expr: Expr): boolean => expr.kind === "each" || partsOf(expr).some(goesThrough);
const none: Value[] = [];

const compiled = (expr: Expr): Evaluate => {
  switch (expr.kind) {
    case "constant": {
      const { value } = expr;
      return () => value;
    }
    case "this":
      return (env) => env.this ?? null;
    case "old":
      return (env) => env.old ?? null;
    case "user":
      return (env) => env.user ?? nobody;
    case "now":
      return (env) => env.now;
    case "today":
      return (env) => env.today;
    case "name": {
      const { name, kept } = expr;
      if (kept) return (env) => keptIn(env, kept, expr.type);
      const none = emptyOf(expr.type);
      const read = reader(name);
      return (env) => (env.names && read(env.names)) ?? none;
    }
    case "variable": {
      const { level } = expr;
      return (_, elements) => elements[level] ?? null;
    }
    case "all": {
      const { name } = expr.entity;
      return (env) => env.rows(name);
    }
    case "list":
      return list(expr.items);
    case "field":
      return field(expr);
    case "call":
      return called(expr);
    case "each": {
      const list = compiled(expr.list);
      const body = compiled(expr.body);
      const { js } = eachOf(expr.row);
      const { level } = expr;
      return (env, elements) =>
        js(list(env, elements) as readonly Value[], (element) => {
          elements[level] = element;
          return body(env, elements);
        });
    }
  }
};

/** A record that the document keeps, with all that is stored of it where the records are at hand. */
const keptIn = (env: JsEnv, kept: Kept, type: Type): Value =>
  env.rows(type.kind === "record" ? type.entity : "").find((row) => row.id === kept.id) ?? kept;

/** What stands for a missing value of a type: a list is empty instead, a condition false. */
const emptyOf = (type: Type): Value => (type.kind === "list" ? [] : type.kind === "boolean" ? false : null);

const list = (items: readonly Expr[]): Evaluate => {
  if (items.every((item) => item.kind === "constant")) {
    const constants = items.flatMap((item) => (item.value === null ? [] : [item.value]));
    return () => constants;
  }
  const evaluate = items.map(compiled);
  return (env, elements) => {
    const values: Value[] = [];
    for (const item of evaluate) {
      const value = item(env, elements);
      if (value !== null) values.push(value);
    }
    return values;
  };
};

const field = ({ of, field: { name, inverse, type } }: Expr & { kind: "field" }): Evaluate => {
  const none = emptyOf(type);
  const read = reader(name);
  if (inverse) {
    const record = compiled(of);
    const { entity, by } = inverse;
    return (env, elements) => {
      const owner = record(env, elements) as JsRecord | null;
      if (owner === null) return none;
      return read(owner) ?? env.rows(entity).filter((row) => refersTo(row[by], owner));
    };
  }
  if (of.kind === "this" && isPlainName(name)) return (env) => env.this?.[name] ?? none;
  if (of.kind === "this") return (env) => (env.this && read(env.this)) ?? none;
  const record = compiled(of);
  return (env, elements) => {
    const owner = record(env, elements) as JsRecord | null;
    return (owner && read(owner)) ?? none;
  };
};

/** Whether a reference, or one of several, is a record. */
const refersTo = (reference: Value | undefined, { id }: JsRecord): boolean =>
  Array.isArray(reference)
    ? reference.some((one: Value) => (one as JsRecord).id === id)
    : (reference as JsRecord | null | undefined)?.id === id;

/** Every object has a `constructor`, and a few names more, that no author gave it. */
const isPlainName = (name: string): boolean => !(name in Object.prototype);

const reader = (name: string): ((from: JsRecord) => Value | undefined) =>
  isPlainName(name) ? (from) => from[name] : (from) => (Object.hasOwn(from, name) ? from[name] : null);

/** The function of a row, given its operands; what it makes of the missing is decided here, once. */
const called = (expr: Expr & { kind: "call" }): Evaluate => {
  const row = rowOf(expr.row);
  const place = placeOf(expr);
  const compared = row.asTheyStand && place.kind[row.asTheyStand.for] === true ? row.asTheyStand.js : undefined;
  if (compared) return comparing(compared as Comparison, expr.args, row.missing === "refuses");
  const operands = expr.args.map(compiled);
  if (!("settles" in row)) return applied(row, operands, place);
  const { settles } = row;
  const [a, b] = operands as [Evaluate, Evaluate];
  return (env, elements) => (a(env, elements) === settles ? settles : b(env, elements));
};

type Comparison = (a: Value, b: Value) => boolean;

/** Values that JavaScript compares as they stand. The commonest operands, a field and a constant, need no call of their own. */
const comparing = (js: Comparison, [first, second]: readonly Expr[], refuses: boolean): Evaluate => {
  const a = compiled(first as Expr);
  const own =
    first?.kind === "field" && first.of.kind === "this" && !first.field.inverse ? first.field.name : undefined;
  if (
    second?.kind === "constant" ||
    (second?.kind === "list" && second.items.every((item) => item.kind === "constant"))
  ) {
    const constant = second.kind === "constant" ? second.value : list(second.items)({} as JsEnv, none);
    if (constant === null && refuses) return () => false;
    if (own !== undefined && isPlainName(own) && first?.type.kind !== "boolean")
      return (env) => {
        const x = env.this?.[own] ?? null;
        return x === null && refuses ? false : js(x, constant);
      };
    return (env, elements) => {
      const x = a(env, elements);
      return x === null && refuses ? false : js(x, constant);
    };
  }
  const b = compiled(second as Expr);
  if (!refuses) return (env, elements) => js(a(env, elements), b(env, elements));
  return (env, elements) => {
    const x = a(env, elements);
    if (x === null) return false;
    const y = b(env, elements);
    return y === null ? false : js(x, y);
  };
};

const applied = (
  row: Exclude<Row, { readonly settles: boolean }>,
  operands: readonly Evaluate[],
  place: Place,
): Evaluate => {
  const js = row.js as (...operands: (Value | Place)[]) => Value;
  const [a, b, c] = operands;
  const { missing } = row;
  const otherwise = missing === "refuses" ? false : missing === "empties" ? none : null;
  if (missing === "met") {
    if (a && b && c) return (env, elements) => js(a(env, elements), b(env, elements), c(env, elements), place);
    if (a && b) return (env, elements) => js(a(env, elements), b(env, elements), place);
    if (a) return (env, elements) => js(a(env, elements), place);
  }
  if (a && b && operands.length === 2)
    return (env, elements) => {
      const x = a(env, elements);
      if (x === null) return otherwise;
      const y = b(env, elements);
      return y === null ? otherwise : js(x, y, place);
    };
  if (a && operands.length === 1)
    return (env, elements) => {
      const x = a(env, elements);
      return x === null ? otherwise : js(x, place);
    };
  return (env, elements) => {
    const values = operands.map((operand) => operand(env, elements));
    return missing !== "met" && values.includes(null) ? otherwise : js(...values, place);
  };
};
