import type Big from "big.js";
import type { Duration } from "./duration.ts";

/**
 * A value of an expression in JavaScript. The only empty value is `null`, which means missing.
 *
 * | type | JavaScript |
 * |---|---|
 * | boolean | `true`, `false`; never missing |
 * | integer | a number between −(2^53−1) and 2^53−1; a result outside overflows and is missing |
 * | decimal, money | `Big`, below 10^28; for money the amount only, since the type has the currency |
 * | text, choice | a string, never `""` |
 * | date | `"2026-03-29"`, in the years 0001 to 9999 |
 * | time | `"08:30:00"` |
 * | datetime | `"2026-03-29T00:59:59.999Z"`: UTC with milliseconds |
 * | duration | `{ months, days, milliseconds }` |
 * | record | an object with its `id` and its fields by name; a reference holds the record it refers to |
 * | list | an array without missing elements; never missing |
 * | file, json | the value of the field; expressions only test if it exists |
 */
export type Value = null | boolean | number | string | Big | Duration | JsRecord | readonly Value[];

/** A record in JavaScript. An absent field counts as missing. */
export interface JsRecord {
  readonly [field: string]: Value | undefined;
}

/** The `user` of an anonymous request. Its id occurs in no field. */
export const nobody: JsRecord = Object.freeze({ id: "00000000-0000-0000-0000-000000000000" });

/** Stands for the current record where there is none. */
export const noRecord: JsRecord = Object.freeze({});

/** The environment of an evaluation besides its record; shared by all records of a request. */
export interface JsEnv {
  /** The record before the write; null or absent on creation. */
  readonly old?: JsRecord | null;
  /** The acting user; `nobody` if absent. */
  readonly user?: JsRecord;
  /** Values of the names that the scope defines. */
  readonly names?: Readonly<Record<string, Value>>;
  /** Date and time of the request, taken once; `today` is the date in the document's zone. */
  readonly now: string;
  readonly today: string;
  /** All records of an entity, ordered by id. */
  readonly rows: (entity: string) => readonly JsRecord[];
}
