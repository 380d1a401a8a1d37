import Big from "big.js";
import type { Json, JsonSchema } from "../wire.ts";
import { type FieldError, type FieldKind, type FieldSpec, type Reading, refused, stored } from "./kind.ts";

/** Compares exactly: a double never stands between a person's number and its limit. */
const withinBounds = (number: Big, spec: FieldSpec): Reading | undefined => {
  if (spec.min !== null && number.lt(spec.min)) return refused("TOO_SMALL", { min: spec.min });
  if (spec.max !== null && number.gt(spec.max)) return refused("TOO_LARGE", { max: spec.max });
  return undefined;
};

/** A JSON number has been through a double: with more digits than those hold, it may not be what was sent. */
const DIGITS = 15;
const isExact = (number: number): boolean =>
  Number.isSafeInteger(number) || String(Math.abs(number)).replace(/^0\.0*|\./gu, "").length <= DIGITS;

const numberOf = (json: Json, pattern: RegExp): Big | undefined => {
  const written = typeof json === "number" && isExact(json) ? String(json) : json;
  return typeof written === "string" && pattern.test(written) ? new Big(written) : undefined;
};

const bounds = ({ min, max }: FieldSpec): JsonSchema => ({
  ...(min === null ? {} : { minimum: Number(min) }),
  ...(max === null ? {} : { maximum: Number(max) }),
});

const refuses = ({ min, max }: FieldSpec): readonly FieldError[] => [
  "WRONG_TYPE",
  ...(min === null ? [] : (["TOO_SMALL"] as const)),
  ...(max === null ? [] : (["TOO_LARGE"] as const)),
];

/** Whole numbers that JavaScript and Postgres share exactly: up to 2^53 - 1 either way. */
export const integer: FieldKind = {
  is: "a whole number",
  column: "bigint",
  type: () => ({ kind: "integer" }),
  wire: (spec) => ({
    answers: { type: "integer" },
    takes: {
      type: "integer",
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      ...bounds(spec),
    },
  }),
  refuses,
  read: (json, spec) => {
    const number = numberOf(json, /^-?\d{1,16}$/u);
    if (number === undefined || number.abs().gt(Number.MAX_SAFE_INTEGER)) return refused("WRONG_TYPE");
    return withinBounds(number, spec) ?? stored(Number(number.toString()));
  },
};

const WRITTEN = /^-?\d{1,28}(\.\d{1,10})?$/u;

/** Exact decimals; on the wire as text, so that no client rounds them. */
export const decimal: FieldKind = {
  is: "a number",
  column: "numeric(38,10)",
  type: () => ({ kind: "decimal" }),
  wire: (spec) => ({
    answers: { type: "string", pattern: WRITTEN.source },
    takes: {
      description: "Text keeps every digit; a JSON number may have 15 of them.",
      anyOf: [
        { type: "string", pattern: WRITTEN.source },
        { type: "number", ...bounds(spec) },
      ],
    },
  }),
  refuses,
  read: (json, spec) => {
    const number = numberOf(json, WRITTEN);
    if (number === undefined) return refused("WRONG_TYPE");
    return withinBounds(number, spec) ?? stored(number.toFixed());
  },
};
