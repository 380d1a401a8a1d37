import type { Orders } from "../operations/operation-types.ts";
import { type JsEnv, type JsRecord, nobody, type Value } from "../values/value.ts";
import type { ReadField } from "./field-readers.ts";

/** A compiled expression. `elements` are the current elements of the enclosing lists. */
export type Evaluate = (record: JsRecord, env: JsEnv, elements: Value[]) => Value;

type Comparable = number | string;

/**
 * The most common conditions, each as one function that reads its operands directly. The meaning of a comparison comes
 * from the operation table as data (`Orders`); these functions only supply the operands. JavaScript engines specialise
 * code by its location, so numbers and texts have separate functions with equal code.
 *
 * A field is a plain name of the current record; an absent field is missing. A test corrupts each function and expects
 * the comparison of JavaScript with SQL to detect it.
 */
export const evaluators = {
  "number field, constant":
    (field: ReadField, constant: number, { below, same, above }: Orders): Evaluate =>
    (record) => {
      const value = field(record) as number | null | undefined;
      if (value === null || value === undefined) return false;
      return value < constant ? below : value === constant ? same : above;
    },
  "text field, constant":
    (field: ReadField, constant: string, { below, same, above }: Orders): Evaluate =>
    (record) => {
      const value = field(record) as string | null | undefined;
      if (value === null || value === undefined) return false;
      return value < constant ? below : value === constant ? same : above;
    },
  "number field, field":
    (field: ReadField, other: ReadField, { below, same, above }: Orders): Evaluate =>
    (record) => {
      const a = field(record) as number | null | undefined;
      if (a === null || a === undefined) return false;
      const b = other(record) as number | null | undefined;
      if (b === null || b === undefined) return false;
      return a < b ? below : a === b ? same : above;
    },
  "text field, field":
    (field: ReadField, other: ReadField, { below, same, above }: Orders): Evaluate =>
    (record) => {
      const a = field(record) as string | null | undefined;
      if (a === null || a === undefined) return false;
      const b = other(record) as string | null | undefined;
      if (b === null || b === undefined) return false;
      return a < b ? below : a === b ? same : above;
    },
  "number field, path":
    (field: ReadField, reference: ReadField, other: ReadField, { below, same, above }: Orders): Evaluate =>
    (record) => {
      const a = field(record) as number | null | undefined;
      if (a === null || a === undefined) return false;
      const referred = reference(record) as JsRecord | null | undefined;
      if (referred === null || referred === undefined) return false;
      const b = other(referred) as number | null | undefined;
      if (b === null || b === undefined) return false;
      return a < b ? below : a === b ? same : above;
    },
  numbers:
    (first: Evaluate, second: Evaluate, { below, same, above }: Orders): Evaluate =>
    (record, env, elements) => {
      const a = first(record, env, elements) as number | null;
      if (a === null) return false;
      const b = second(record, env, elements) as number | null;
      if (b === null) return false;
      return a < b ? below : a === b ? same : above;
    },
  texts:
    (first: Evaluate, second: Evaluate, { below, same, above }: Orders): Evaluate =>
    (record, env, elements) => {
      const a = first(record, env, elements) as string | null;
      if (a === null) return false;
      const b = second(record, env, elements) as string | null;
      if (b === null) return false;
      return a < b ? below : a === b ? same : above;
    },

  // Equality and inequality. The constant is never missing; a missing field is unequal to it.
  "field is a number":
    (field: ReadField, constant: number, { same, above }: Orders): Evaluate =>
    (record) =>
      field(record) === constant ? same : above,
  "field is a text":
    (field: ReadField, constant: string, { same, above }: Orders): Evaluate =>
    (record) =>
      field(record) === constant ? same : above,
  "field is missing":
    (field: ReadField, { same, above }: Orders): Evaluate =>
    (record) =>
      (field(record) ?? null) === null ? same : above,
  "is the same":
    (first: Evaluate, second: Evaluate, { same, above }: Orders): Evaluate =>
    (record, env, elements) =>
      first(record, env, elements) === second(record, env, elements) ? same : above,
  "path is user":
    (reference: ReadField, other: ReadField, { same, above }: Orders): Evaluate =>
    (record, env) => {
      const referred = reference(record) as JsRecord | null | undefined;
      if (referred === null || referred === undefined) return above;
      const found = other(referred) as JsRecord | null | undefined;
      return found !== null && found !== undefined && found.id === (env.user ?? nobody).id ? same : above;
    },
  "field is user":
    (field: ReadField, { same, above }: Orders): Evaluate =>
    (record, env) => {
      const found = field(record) as JsRecord | null | undefined;
      return found !== null && found !== undefined && found.id === (env.user ?? nobody).id ? same : above;
    },

  // Membership in constants, none of which is missing.
  "field in two":
    (field: ReadField, one: Comparable, other: Comparable): Evaluate =>
    (record) => {
      const value = field(record);
      return value === one || value === other;
    },
  "field in several":
    (field: ReadField, constants: readonly Comparable[]): Evaluate =>
    (record) => {
      const value = field(record);
      for (let i = 0; i < constants.length; i++) if (value === constants[i]) return true;
      return false;
    },

  // A first condition, and the rest if the first does not decide the result.
  "number field, constant, then":
    (field: ReadField, constant: number, { below, same, above }: Orders, settles: boolean, then: Evaluate): Evaluate =>
    (record, env, elements) => {
      const value = field(record) as number | null | undefined;
      const isPresent = value !== null && value !== undefined;
      const holds = isPresent && (value < constant ? below : value === constant ? same : above);
      return holds === settles ? settles : then(record, env, elements);
    },
  "field is a text, then":
    (field: ReadField, constant: string, { same, above }: Orders, settles: boolean, then: Evaluate): Evaluate =>
    (record, env, elements) =>
      (field(record) === constant ? same : above) === settles ? settles : then(record, env, elements),
  "field is missing, then":
    (field: ReadField, { same, above }: Orders, settles: boolean, then: Evaluate): Evaluate =>
    (record, env, elements) =>
      ((field(record) ?? null) === null ? same : above) === settles ? settles : then(record, env, elements),
  "field in two, then":
    (field: ReadField, one: Comparable, other: Comparable, settles: boolean, then: Evaluate): Evaluate =>
    (record, env, elements) => {
      const value = field(record);
      return (value === one || value === other) === settles ? settles : then(record, env, elements);
    },
  "number field between":
    (field: ReadField, low: number, isLow: Orders, high: number, isHigh: Orders): Evaluate =>
    (record) => {
      const value = field(record) as number | null | undefined;
      if (value === null || value === undefined) return false;
      const holds = value < low ? isLow.below : value === low ? isLow.same : isLow.above;
      return holds && (value < high ? isHigh.below : value === high ? isHigh.same : isHigh.above);
    },

  // Conditions in order; the first with this value decides the result.
  "two conditions":
    (settles: boolean, a: Evaluate, b: Evaluate): Evaluate =>
    (record, env, elements) =>
      a(record, env, elements) === settles ? settles : b(record, env, elements),
  "three conditions":
    (settles: boolean, a: Evaluate, b: Evaluate, c: Evaluate): Evaluate =>
    (record, env, elements) =>
      a(record, env, elements) === settles || b(record, env, elements) === settles ? settles : c(record, env, elements),
  "several conditions":
    (settles: boolean, all: readonly Evaluate[]): Evaluate =>
    (record, env, elements) => {
      for (let i = 0; i < all.length; i++) if ((all[i] as Evaluate)(record, env, elements) === settles) return settles;
      return !settles;
    },
};
