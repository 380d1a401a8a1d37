import type Big from "big.js";
import { type Expr, isComputedNumber } from "./expr.ts";
import { eachOf, leaving, type Place, type Row, rowOf } from "./meaning.ts";
import { placeOf } from "./place.ts";
import type { Type } from "./type.ts";
import { type JsEnv, type JsRecord, nobody, type Value } from "./value.ts";

/** What is at hand while an expression is evaluated: the environment, and the elements of the lists gone through. */
interface Frame {
  readonly env: JsEnv;
  readonly elements: Value[];
}

type Evaluate = (frame: Frame) => Value;

/**
 * The expression as a function. It is compiled once, into closures, and evaluating it walks no tree and makes no
 * decision about types. `Value` says how each type is represented.
 *
 * `toJs(rule)({ this: { days: 3 }, now, today, rows: () => [] })` of `days > 2` is `true`.
 */
export const toJs = (expr: Expr): ((env: JsEnv) => Value) => {
  const evaluate = compiled(expr);
  if (!isComputedNumber(expr)) return (env) => evaluate({ env, elements: [] });
  return (env) => {
    const value = evaluate({ env, elements: [] });
    return value === null ? null : leaving.js(value as Big);
  };
};

const compiled = (expr: Expr): Evaluate => {
  switch (expr.kind) {
    case "constant": {
      const { value } = expr;
      return () => value;
    }
    case "this":
      return ({ env }) => env.this ?? null;
    case "old":
      return ({ env }) => env.old ?? null;
    case "user":
      return ({ env }) => env.user ?? nobody;
    case "now":
      return ({ env }) => env.now;
    case "today":
      return ({ env }) => env.today;
    case "name": {
      const { name } = expr;
      const none = emptyOf(expr.type);
      const read = reader(name);
      return ({ env }) => (env.names && read(env.names)) ?? none;
    }
    case "variable": {
      const { level } = expr;
      return ({ elements }) => elements[level] ?? null;
    }
    case "all": {
      const { name } = expr.entity;
      return ({ env }) => env.rows(name);
    }
    case "list":
      return list(expr.items);
    case "field":
      return field(expr);
    case "call":
      return applied(rowOf(expr.row), expr.args.map(compiled), placeOf(expr));
    case "each": {
      const list = compiled(expr.list);
      const body = compiled(expr.body);
      const { js } = eachOf(expr.row);
      const { level } = expr;
      return (frame) =>
        js(list(frame) as readonly Value[], (element) => {
          frame.elements[level] = element;
          return body(frame);
        });
    }
  }
};

/** What stands for a missing value of a type: a list is empty instead, a condition false. */
const emptyOf = (type: Type): Value => (type.kind === "list" ? [] : type.kind === "boolean" ? false : null);

const list = (items: readonly Expr[]): Evaluate => {
  const evaluate = items.map(compiled);
  const given = (frame: Frame) => evaluate.map((item) => item(frame)).filter((value) => value !== null);
  if (!items.every((item) => item.kind === "constant")) return given;
  const constants = items.flatMap((item) => (item.value === null ? [] : [item.value]));
  return () => constants;
};

const field = ({ of, field: { name, inverse, type } }: Expr & { kind: "field" }): Evaluate => {
  const none = emptyOf(type);
  const read = reader(name);
  if (inverse) {
    const record = compiled(of);
    const { entity, by } = inverse;
    return (frame) => {
      const owner = record(frame) as JsRecord | null;
      if (owner === null) return none;
      return read(owner) ?? frame.env.rows(entity).filter((row) => (row[by] as JsRecord | null)?.id === owner.id);
    };
  }
  if (of.kind === "this") return ({ env }) => (env.this && read(env.this)) ?? none;
  const record = compiled(of);
  return (frame) => {
    const owner = record(frame) as JsRecord | null;
    return (owner && read(owner)) ?? none;
  };
};

/** Reads a field. Every object has a `constructor`, and a few names more, that no author gave it. */
const reader = (name: string): ((from: JsRecord) => Value | undefined) =>
  name in Object.prototype ? (from) => (Object.hasOwn(from, name) ? from[name] : null) : (from) => from[name];

/** The function of a row, given its operands; what it makes of the missing is decided here, once. */
const applied = (row: Row, operands: readonly Evaluate[], place: Place): Evaluate => {
  const js = row.js as (...operands: (Value | Place)[]) => Value;
  const [a, b] = operands;
  const { missing } = row;
  const otherwise = missing === "refuses" ? false : null;
  if (a && missing !== "met" && operands.length === 1)
    return (frame) => {
      const x = a(frame);
      return x === null ? otherwise : js(x, place);
    };
  if (a && b && missing !== "met" && operands.length === 2)
    return (frame) => {
      const x = a(frame);
      if (x === null) return otherwise;
      const y = b(frame);
      return y === null ? otherwise : js(x, y, place);
    };
  if (a && b && missing === "met" && operands.length === 2) {
    const { settles } = row;
    return (frame) => {
      const x = a(frame);
      return x === settles ? x : js(x, b(frame), place);
    };
  }
  return (frame) => {
    const values = operands.map((operand) => operand(frame));
    return missing !== "met" && values.includes(null) ? otherwise : js(...values, place);
  };
};
