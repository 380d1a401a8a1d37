import type { Type } from "../rule/type.ts";
import type { Json, JsonSchema } from "../wire.ts";

/** What a field of a type needs to know of itself. */
export interface FieldSpec {
  readonly name: string;
  /** `Loan.status`: names the set of a choice's values. */
  readonly of: string;
  readonly values: readonly string[];
  readonly entity: string | null;
  readonly min: string | null;
  readonly max: string | null;
}

/** A value as the database takes it: text for everything but numbers and booleans. `null` is missing. */
export type Stored = string | number | boolean | null;

/** What became of a value that a person sent: its stored form, or the built-in error with what its message names. */
export type Reading =
  | { readonly ok: true; readonly value: Stored }
  | { readonly ok: false; readonly error: FieldError; readonly values?: Readonly<Record<string, string>> };

export type FieldError = "WRONG_TYPE" | "TOO_LONG" | "TOO_SMALL" | "TOO_LARGE" | "NOT_A_CHOICE";

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
  /** The errors that `read` may find in a field of this type. */
  readonly refuses: (spec: FieldSpec) => readonly FieldError[];
}

export const stored = (value: Stored): Reading => ({ ok: true, value });
export const refused = (error: FieldError, values?: Readonly<Record<string, string>>): Reading =>
  values === undefined ? { ok: false, error } : { ok: false, error, values };

/** Characters as people count them: code points. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};
