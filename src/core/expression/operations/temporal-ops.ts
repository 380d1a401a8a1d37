import { type Sql, sql } from "../../sql.ts";
import { type Duration, isDurationInRange } from "../values/duration.ts";
import { limitSql } from "./numeric-ops.ts";

/* Date, time and duration operations of the operation table in Postgres. */

/** Maximum number of days in a list: ten years. */
export const MOST_DAYS = 3_653;

export const limitDuration = (duration: Duration): Duration | null => (isDurationInRange(duration) ? duration : null);
export const toElapsed = (milliseconds: number): Duration | null => limitDuration({ months: 0, days: 0, milliseconds });
/** A double holds milliseconds exactly for every valid duration. */
export const elapsedSql = (a: Sql, b: Sql): Sql =>
  sql`(${limitSql(sql`extract(epoch FROM ${a} - ${b}) * 1000`, sql`-7905600000001`, sql`7905600000001`)}::double precision * '1 millisecond'::interval)`;

/** Computed part by part, since `extract(epoch …)` counts a year as 365.25 days. */
export const millisecondsSql = (value: Sql): Sql =>
  sql`(((extract(year FROM ${value}) * 12 + extract(month FROM ${value})) * 30 + extract(day FROM ${value})) * 86400000 + extract(hour FROM ${value}) * 3600000 + extract(minute FROM ${value}) * 60000 + extract(milliseconds FROM ${value}))`;

export const dateSql = (value: Sql): Sql => limitSql(value, sql`'0001-12-31 BC'::date`, sql`'10000-01-01'::date`);
export const instantSql = (value: Sql): Sql =>
  limitSql(value, sql`'0001-12-31 23:59:59.999+00 BC'::timestamptz`, sql`'10000-01-01 00:00+00'::timestamptz`);
