import type { Type } from "../expression/values/type.ts";
import type { Json, JsonSchema } from "../wire/json.ts";

/** The settings of a field that its type depends on. */
export interface FieldSpec {
  readonly name: string;
  /** `Loan.status`: identifies the values of a choice. */
  readonly of: string;
  readonly values: readonly string[];
  readonly entity: string | null;
  readonly min: string | null;
  readonly max: string | null;
  /** Currency of an amount: `EUR`. */
  readonly currency: string | null;
}

/** Settings of a value without a field. */
export const specless: FieldSpec = {
  name: "",
  of: "",
  values: [],
  entity: null,
  min: null,
  max: null,
  currency: null,
};

/** A stored value: a text, number or boolean. `null` is missing. */
export type StoredScalar = string | number | boolean;
export type Stored = StoredScalar | readonly StoredScalar[] | null;

/** The result of reading input: the stored form, or a built-in error with the values for its message. */
export type ParsedValue =
  | { readonly ok: true; readonly value: Stored }
  | { readonly ok: false; readonly error: FieldError; readonly values?: Readonly<Record<string, string>> };

export type FieldError = "WRONG_TYPE" | "TOO_SHORT" | "TOO_LONG" | "TOO_SMALL" | "TOO_LARGE" | "NOT_A_CHOICE";

/** A field type: parsing and validation, column, and wire format. */
export interface FieldKind {
  /** The column type in Postgres. */
  readonly column: string;
  readonly type: (spec: FieldSpec) => Type;
  /** Reads a value from a request. Never called with null, "" or undefined, which are missing values. */
  readonly read: (json: Json, spec: FieldSpec) => ParsedValue;
  /** JSON Schemas of a present value: in responses, and in requests if stricter. */
  readonly wire: (spec: FieldSpec) => { readonly response: JsonSchema; readonly request: JsonSchema };
  /**
   * Normalises `min` or `max` from the document into the form that `read` compares with; undefined if invalid. Types
   * without this function have no bounds.
   */
  readonly bound?: (written: string, which: "min" | "max") => string | undefined;
  /** Converts a stored value to its wire format; by default it is unchanged. */
  readonly answer?: (value: unknown, spec: FieldSpec) => Json;
  readonly lists: ListUse;
  readonly fields: FieldUse;
  /** True if a text is a valid key in a page token for a column of this type. */
  readonly isKey?: (text: string) => boolean;
  /** The errors that `read` can return for a field. */
  readonly refuses: (spec: FieldSpec) => readonly FieldError[];
}

/** The use of a type in lists. */
interface ListUse {
  /** `beginning`: only a part of the value decides the order, for which there is no index. */
  readonly sorts: "value" | "beginning" | false;
  /** Filters by one of the values, by bounds, or by words. */
  readonly filters: "values" | "range" | "words" | false;
  readonly searches: boolean;
}

/** The use of a type in an entity. */
export interface FieldUse {
  /** The program writes the value when it saves the record. */
  readonly assigned: boolean;
  /** `many`. Not for types of which two values would be meaningless, or that the program writes. */
  readonly many: boolean;
  /** `personal`. A masked copy can replace the values with made-up ones. */
  readonly personal: boolean;
  /** A `default` that reads the new record is computed in forms. Other types leave it to the server. */
  readonly suggestions: boolean;
  /** A text names a record by its value: a unique field, or a label. */
  readonly names: boolean;
  /** `unique` and `no overlap` can compare the values of two records. Not for types with values too large for an index. */
  readonly comparable: boolean;
}

const sorted = { sorts: "value", searches: false } as const;
export const byValues = { ...sorted, filters: "values" } as const;
export const byRange = { ...sorted, filters: "range" } as const;
export const byWords = { ...sorted, filters: "words", searches: true } as const;

/** The use of most types that people enter. */
export const entered: FieldUse = {
  assigned: false,
  many: true,
  personal: true,
  suggestions: true,
  names: false,
  comparable: true,
};
/** The use of types whose values the program writes, and that name a record. */
export const assigned: FieldUse = {
  assigned: true,
  many: false,
  personal: false,
  suggestions: false,
  names: true,
  comparable: true,
};

export const stored = (value: Stored): ParsedValue => ({ ok: true, value });
export const reject = (error: FieldError, values?: Readonly<Record<string, string>>): ParsedValue =>
  values === undefined ? { ok: false, error } : { ok: false, error, values };

/** The errors of a type with bounds. */
export const boundErrors = ({ min, max }: FieldSpec): readonly FieldError[] => [
  "WRONG_TYPE",
  ...(min === null ? [] : (["TOO_SMALL"] as const)),
  ...(max === null ? [] : (["TOO_LARGE"] as const)),
];

/**
 * Returns the bound that a value violates, using a comparison function that is negative if the first argument is
 * smaller.
 */
export const beyond = <T>(
  value: T,
  { min, max }: FieldSpec,
  compare: (value: T, bound: string) => number,
): ParsedValue | undefined => {
  if (min !== null && compare(value, min) < 0) return reject("TOO_SMALL", { min });
  if (max !== null && compare(value, max) > 0) return reject("TOO_LARGE", { max });
  return undefined;
};

/** Compares texts whose order equals that of their values: dates, times of day. */
export const byText = (value: string, bound: string): number => (value < bound ? -1 : value > bound ? 1 : 0);

/** Bounds that JSON Schema cannot express. */
export const otherBounds = ({ min, max }: FieldSpec): JsonSchema => ({
  ...(min === null ? {} : { "x-minimum": min }),
  ...(max === null ? {} : { "x-maximum": max }),
});

/** Length in code points. */
export const countCodePoints = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};
