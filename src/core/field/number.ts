import Big from "big.js";
import type { Json, JsonSchema } from "../wire/json.ts";
import { beyond, boundErrors, byRange, entered, type FieldKind, type FieldSpec, reject, stored } from "./kind.ts";

/** Compares exactly, without conversion to a double. */
export const byNumber = (number: Big, bound: string): number => number.cmp(bound);

/** Normalises a number in the document. */
export const boundOfNumber = (written: string): string | undefined =>
  /^-?\d+(\.\d+)?$/u.test(written) ? written : undefined;

/** A JSON number with more digits may have been rounded by a double on its way. */
const DIGITS = 15;
export const isExact = (number: number): boolean =>
  Number.isSafeInteger(number) || String(Math.abs(number)).replace(/^0\.0*|\./gu, "").length <= DIGITS;

/** Parses a number given as text; a JSON number only if it cannot have lost digits. */
export const parseNumber = (json: Json, pattern: RegExp): Big | undefined => {
  const written = typeof json === "number" && isExact(json) ? String(json) : json;
  return typeof written === "string" && pattern.test(written) ? new Big(written) : undefined;
};

const bounds = ({ min, max }: FieldSpec): JsonSchema => ({
  ...(min === null ? {} : { minimum: Number(min) }),
  ...(max === null ? {} : { maximum: Number(max) }),
});

/** Integers that JavaScript and Postgres both represent exactly: up to ±(2^53 - 1). */
export const integer: FieldKind = {
  column: "bigint",
  type: () => ({ kind: "integer" }),
  wire: (spec) => ({
    response: { type: "integer" },
    request: {
      type: "integer",
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      ...bounds(spec),
    },
  }),
  refuses: boundErrors,
  bound: boundOfNumber,
  read: (json, spec) => {
    const number = parseNumber(json, /^-?\d{1,16}$/u);
    if (number === undefined || number.abs().gt(Number.MAX_SAFE_INTEGER)) return reject("WRONG_TYPE");
    return beyond(number, spec, byNumber) ?? stored(Number(number.toString()));
  },
  lists: byRange,
  fields: { ...entered, names: true },
  isKey: (text) => /^-?\d{1,16}$/u.test(text),
};

/** Removes trailing zeros that Postgres adds to decimals. */
const withoutZeros = (text: string): string => text.replace(/(\.\d*?)0+$/u, "$1").replace(/\.$/u, "");

/** Maximum number of digits after the point. */
export const MOST_DECIMALS = 10;

export const WRITTEN = new RegExp(`^-?\\d{1,28}(\\.\\d{1,${MOST_DECIMALS}})?$`, "u");

/** The type in a refusal of a number that has too many digits; undefined for anything else, which is no number. */
const describeExcess = (json: Json): { readonly type: "short decimal" | "exact decimal" } | undefined => {
  if (typeof json === "number" && !isExact(json)) return { type: "exact decimal" };
  return typeof json === "number" || (typeof json === "string" && /^-?\d+(?:\.\d+)?$/u.test(json))
    ? { type: "short decimal" }
    : undefined;
};

/** Exact decimals, sent as text so that no client rounds them. */
export const decimal: FieldKind = {
  column: "numeric(38,10)",
  type: () => ({ kind: "decimal" }),
  wire: (spec) => ({
    response: { type: "string", pattern: WRITTEN.source },
    request: {
      description: "A text keeps every digit; a JSON number can have 15 digits.",
      anyOf: [
        { type: "string", pattern: WRITTEN.source },
        { type: "number", ...bounds(spec) },
      ],
    },
  }),
  refuses: boundErrors,
  bound: boundOfNumber,
  read: (json, spec) => {
    const number = parseNumber(json, WRITTEN);
    if (number === undefined) return reject("WRONG_TYPE", describeExcess(json));
    return beyond(number, spec, byNumber) ?? stored(number.toFixed());
  },
  answer: (value) => withoutZeros(String(value)),
  lists: byRange,
  fields: entered,
  isKey: (text) => /^-?\d{1,28}(\.\d+)?$/u.test(text),
};
