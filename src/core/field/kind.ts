import type { Type } from "../expression/values/type.ts";
import type { Json, JsonSchema } from "../wire/json.ts";

/** What a field of a type needs to know of itself. */
export interface FieldSpec {
  readonly name: string;
  /** `Loan.status`: names the set of a choice's values. */
  readonly of: string;
  readonly values: readonly string[];
  readonly entity: string | null;
  readonly min: string | null;
  readonly max: string | null;
  /** The currency of an amount of money: `EUR`. */
  readonly currency: string | null;
}

/** A type by itself, where no field says more of it. */
export const specless: FieldSpec = {
  name: "",
  of: "",
  values: [],
  entity: null,
  min: null,
  max: null,
  currency: null,
};

/** A value as the database takes it: text for everything but numbers and booleans. `null` is missing. */
export type Scalar = string | number | boolean;
export type Stored = Scalar | readonly Scalar[] | null;

/** What became of a value that a person sent: its stored form, or the built-in error with what its message names. */
export type Reading =
  | { readonly ok: true; readonly value: Stored }
  | { readonly ok: false; readonly error: FieldError; readonly values?: Readonly<Record<string, string>> };

export type FieldError = "WRONG_TYPE" | "TOO_SHORT" | "TOO_LONG" | "TOO_SMALL" | "TOO_LARGE" | "NOT_A_CHOICE";

/** A field type: how it is parsed and checked, kept in a column, seen by rules, and written on the wire. */
export interface FieldKind {
  /** For people: "a date". Completes "must be …". */
  readonly is: string;
  /** The column's type in Postgres. */
  readonly column: string;
  readonly type: (spec: FieldSpec) => Type;
  /** Reads what a person sent; never called with null, "" or undefined, which are missing. */
  readonly read: (json: Json, spec: FieldSpec) => Reading;
  /** What stands on the wire where there is a value: what is answered, and what `read` takes where that is narrower. */
  readonly wire: (spec: FieldSpec) => { readonly answers: JsonSchema; readonly takes: JsonSchema };
  /** `min` or `max` as the document writes it, in the form that `read` compares with; undefined where it is none. Types without it have no bounds. */
  readonly bound?: (written: string, which: "min" | "max") => string | undefined;
  /** A value as the database gives it, as it is answered; where this says nothing, as it stands. */
  readonly answer?: (value: unknown, spec: FieldSpec) => Json;
  /** What lists can do with it: put it in order, narrow to some of its values, look for words in it. */
  readonly lists: { readonly sorts: boolean; readonly filters: boolean; readonly searches: boolean };
  /** Whether a text in a page token is one that we write there for a column of this type. */
  readonly isKey?: (text: string) => boolean;
  /** The errors that `read` may find in a field of this type. */
  readonly refuses: (spec: FieldSpec) => readonly FieldError[];
}

/** What lists do with most types, and with those whose values are words. */
export const ordered = { sorts: true, filters: true, searches: false } as const;
export const worded = { sorts: true, filters: true, searches: true } as const;

export const stored = (value: Stored): Reading => ({ ok: true, value });
export const refused = (error: FieldError, values?: Readonly<Record<string, string>>): Reading =>
  values === undefined ? { ok: false, error } : { ok: false, error, values };

/** The errors of what has bounds. */
export const bounded = ({ min, max }: FieldSpec): readonly FieldError[] => [
  "WRONG_TYPE",
  ...(min === null ? [] : (["TOO_SMALL"] as const)),
  ...(max === null ? [] : (["TOO_LARGE"] as const)),
];

/** Which of its bounds a value breaks, by a comparison that gives below 0 where the first comes before the second. */
export const beyond = <T>(
  value: T,
  { min, max }: FieldSpec,
  compare: (value: T, bound: string) => number,
): Reading | undefined => {
  if (min !== null && compare(value, min) < 0) return refused("TOO_SMALL", { min });
  if (max !== null && compare(value, max) > 0) return refused("TOO_LARGE", { max });
  return undefined;
};

/** Text whose order is that of what it says: dates, times of day. */
export const byText = (value: string, bound: string): number => (value < bound ? -1 : value > bound ? 1 : 0);

/** A bound that JSON Schema has no word for. */
export const otherBounds = ({ min, max }: FieldSpec): JsonSchema => ({
  ...(min === null ? {} : { "x-minimum": min }),
  ...(max === null ? {} : { "x-maximum": max }),
});

/** Characters as people count them: code points. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};
