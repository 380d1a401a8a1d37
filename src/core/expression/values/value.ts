import type Big from "big.js";
import type { Duration } from "./duration.ts";

/**
 * A value of an expression in JavaScript. Missing is `null`, and is the only empty value.
 *
 * | type | JavaScript |
 * |---|---|
 * | boolean | `true`, `false`; never missing |
 * | integer | a number between −(2^53−1) and 2^53−1; what lies beyond is an overflow, and missing |
 * | decimal, money | `Big`, below 10^28; of money the amount alone, for its currency is in its type |
 * | text, choice | a string, never `""` |
 * | date | `"2026-03-29"`, in the years 0001 to 9999 |
 * | time | `"08:30:00"` |
 * | datetime | `"2026-03-29T00:59:59.999Z"`: UTC with milliseconds |
 * | duration | `{ months, days, milliseconds }` |
 * | record | an object with its `id` and its fields by name; a reference holds the record it refers to |
 * | list | an array that holds nothing missing; never missing itself |
 * | file, json | whatever the field holds: expressions only ask whether it is there |
 */
export type Value = null | boolean | number | string | Big | Duration | JsRecord | readonly Value[];

/** A record in JavaScript. A field that is absent is missing. */
export interface JsRecord {
  readonly [field: string]: Value | undefined;
}

/** The `user` when nobody is signed in: a person that no field can hold. */
export const nobody: JsRecord = Object.freeze({ id: "00000000-0000-0000-0000-000000000000" });

/** In the place of the record at hand where there is none. */
export const noRecord: JsRecord = Object.freeze({});

/** What an expression is evaluated against beside its record: the same for all records of a request. */
export interface JsEnv {
  /** The record before the write; missing when it is being made. */
  readonly old?: JsRecord | null;
  /** Who acts; `nobody` when that is left out. */
  readonly user?: JsRecord;
  /** The names that the place gives, under the names that the scope gave them. */
  readonly names?: Readonly<Record<string, Value>>;
  /** A datetime and a date, taken once per request: the date in the document's zone. */
  readonly now: string;
  readonly today: string;
  /** All records of an entity, in the order of their ids. */
  readonly rows: (entity: string) => readonly JsRecord[];
}
