import Big from "big.js";
import { type Sql, sql } from "../../sql.ts";
import { isDate, normalizeTime } from "../values/calendar.ts";
import { limitInteger, limitIntegerSql, roundHalfUpSql } from "./numeric-ops.ts";

/*
 * Conversions of the operation table between texts and other types. A text is read only in the form that a request uses;
 * any other text gives a missing value. All SQL is immutable, so that generated columns can use it, and never raises an
 * error: `substring` gives NULL for a text that does not match.
 */

export const integerFrom = (text: string): number | null =>
  /^-?[0-9]{1,16}$/u.test(text) ? limitInteger(Number(text)) : null;
export const integerFromSql = (text: Sql): Sql =>
  limitIntegerSql(sql`substring(${text} from '^-?[0-9]{1,16}$')::numeric`);

export const decimalFrom = (text: string): Big | null =>
  /^-?[0-9]{1,28}(?:\.[0-9]{1,10})?$/u.test(text) ? new Big(text) : null;
export const decimalFromSql = (text: Sql): Sql =>
  sql`substring(${text} from '^-?[0-9]{1,28}(?:[.][0-9]{1,10})?$')::numeric`;

export const dateFrom = (text: string): string | null => (isDate(text) ? text : null);

/** Days that exist. Postgres raises an error for any other, so the pattern knows the months and the leap years. */
const DAY = sql`'^(?:(?!0000)[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)$'`;
export const dateFromSql = (text: Sql): Sql =>
  sql`make_date(left(substring(${text} from ${DAY}), 4)::integer, substr(substring(${text} from ${DAY}), 6, 2)::integer, right(substring(${text} from ${DAY}), 2)::integer)`;

export const timeFrom = (text: string): string | null => normalizeTime(text) ?? null;
const CLOCK = sql`'^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$'`;
export const timeFromSql = (text: Sql): Sql =>
  sql`make_time(left(substring(${text} from ${CLOCK}), 2)::integer, substr(substring(${text} from ${CLOCK}), 4, 2)::integer, ('0' || substr(substring(${text} from ${CLOCK}), 7, 2))::double precision)`;

/** Digits without trailing zeros; zero has no sign. */
export const decimalText = (value: Big): string => (value.c[0] === 0 ? "0" : value.toFixed());

export const decimalTextSql = (value: Sql): Sql => sql`trim_scale(${value})::text`;

/** Digits with a fixed number of places; zero has no sign. */
export const fixedText = (value: Big, places: number): string => {
  const rounded = value.round(places, 1);
  return (rounded.c[0] === 0 ? rounded.abs() : rounded).toFixed(places);
};
export const fixedTextSql = (value: Sql, places: Sql): Sql =>
  sql`${roundHalfUpSql(value, sql`${places}::integer`)}::text`;

const digits = (part: Sql, length: Sql): Sql => sql`lpad(${part}::text, ${length}, '0')`;
export const dateTextSql = (date: Sql): Sql =>
  sql`(${digits(sql`extract(year FROM ${date})`, sql`4`)} || '-' || ${digits(sql`extract(month FROM ${date})`, sql`2`)} || '-' || ${digits(sql`extract(day FROM ${date})`, sql`2`)})`;

const trim = (text: string): string | null => text.replace(/^ +| +$/gu, "") || null;
export const textBefore = (text: string, mark: string): string | null => {
  const at = text.indexOf(mark);
  return at < 0 ? null : trim(text.slice(0, at));
};
export const textBeforeSql = (text: Sql, mark: Sql): Sql =>
  sql`nullif(btrim(left(${text}, nullif(strpos(${text}, ${mark}), 0) - 1), ' '), '')`;
export const textAfter = (text: string, mark: string): string | null => {
  const at = text.indexOf(mark);
  return at < 0 ? null : trim(text.slice(at + mark.length));
};
export const textAfterSql = (text: Sql, mark: Sql): Sql =>
  sql`nullif(btrim(substr(${text}, nullif(strpos(${text}, ${mark}), 0) + length(${mark})), ' '), '')`;

/** Letters with small forms in Unicode 17, which PostgreSQL 18 does not know. */
const NEWER = /[^\u{a7ce}\u{a7d2}\u{a7d4}\u{16ea0}-\u{16eb8}]+/gu;

/** Small letters. A final sigma is written as any other one, so that the result of a letter does not depend on the next. */
export const lowerText = (text: string): string =>
  text.replace(NEWER, (part) => part.toLowerCase()).replaceAll("ς", "σ");
export const lowerTextSql = (text: Sql): Sql =>
  sql`translate(lower((${text}) COLLATE "pg_unicode_fast"), 'ς', 'σ') COLLATE "C"`;

export const replaceText = (text: string, part: string, by: string): string => text.replaceAll(part, () => by);
