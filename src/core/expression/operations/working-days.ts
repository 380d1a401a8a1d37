import { constant, type Sql, sql } from "../../sql.ts";
import { fromDayNumber, isoWeekday, toDayNumber } from "../values/calendar.ts";
import { limitSql } from "./numeric-ops.ts";
import { type SqlList, select, withConditions } from "./sql-forms.ts";
import { dateSql, MOST_DAYS } from "./temporal-ops.ts";

/* Working days, in JavaScript and in Postgres: Monday to Friday, without the dates of a list. */

const isWeekday = (day: number): boolean => isoWeekday(day) < 6;

/** Weekdays from 1 January 0001, which is a Monday, to the day. */
const weekdaysUntil = (day: number): number => {
  const since = day - toDayNumber("0001-01-01");
  return Math.floor(since / 7) * 5 + Math.min((((since % 7) + 7) % 7) + 1, 5);
};

export const countWorkingDays = (first: string, last: string, free: readonly string[]): number => {
  const [from, to] = [toDayNumber(first), toDayNumber(last)];
  if (to < from) return 0;
  const off = new Set(free.map(toDayNumber).filter((day) => day >= from && day <= to && isWeekday(day)));
  return weekdaysUntil(to) - weekdaysUntil(from - 1) - off.size;
};

export const addWorkingDays = (date: string, count: number, free: readonly string[]): string | null => {
  if (Math.abs(count) > MOST_DAYS) return null;
  const off = new Set(free.map(toDayNumber));
  const step = Math.sign(count);
  let day = toDayNumber(date);
  for (let remaining = Math.abs(count); remaining > 0; ) {
    day += step;
    if (isWeekday(day) && !off.has(day)) remaining--;
  }
  return fromDayNumber(day);
};

const FIRST_MONDAY = sql`'0001-01-01'::date`;

const weekdaysUntilSql = (day: Sql): Sql =>
  sql`((${day} - ${FIRST_MONDAY}) / 7 * 5 + least((${day} - ${FIRST_MONDAY}) % 7 + 1, 5))`;

/** Not a subquery, so that a generated column can have it. */
export const workingDaysSql = (a: Sql, b: Sql): Sql =>
  sql`(CASE WHEN ${b} >= ${a} THEN ${weekdaysUntilSql(b)} - ${weekdaysUntilSql(sql`(${a} - 1)`)} WHEN ${b} < ${a} THEN 0 END)::bigint`;

/** Evaluates a query on the operands, so that each is written once. */
const within = (what: Sql, operands: Sql): Sql => sql`(SELECT ${what} FROM (SELECT ${operands}) AS "~")`;

export const workingDaysWithoutSql = (a: Sql, b: Sql, free: SqlList): Sql => {
  const [first, last] = [sql`"~"."first"`, sql`"~"."last"`];
  const { element } = free;
  const off = select(
    sql`count(DISTINCT ${element})`,
    withConditions(free, [sql`${element} BETWEEN ${first} AND ${last}`, sql`extract(isodow FROM ${element}) < 6`]),
  );
  return within(sql`${workingDaysSql(first, last)} - ${off}`, sql`${a} AS "first", ${b} AS "last"`);
};

/** More days than these are missing. */
const limitCount = (count: Sql): Sql => limitSql(count, constant(-MOST_DAYS - 1), constant(MOST_DAYS + 1));

/**
 * Weekdays are numbered without gaps, five a week. A weekend has the number of the Friday before it if days are added,
 * and of the Monday after it if they are subtracted.
 */
export const addWorkingDaysSql = (a: Sql, b: Sql): Sql => {
  const since = sql`(${a} - ${FIRST_MONDAY})`;
  const number = sql`(${since} / 7 * 5 + least(${since} % 7, CASE WHEN ${b} > 0 THEN 4 ELSE 5 END) + ${limitCount(b)})`;
  const moved = sql`(${FIRST_MONDAY} + (${number} / 5 * 7 + ${number} % 5)::integer)`;
  return sql`(CASE WHEN ${b} = 0 THEN ${a} ELSE ${dateSql(moved)} END)`;
};

export const addWorkingDaysWithoutSql = (a: Sql, b: Sql, free: SqlList): Sql => {
  const [first, count, off] = [sql`"~"."first"`, sql`"~"."count"`, sql`"~"."free"`];
  const day = sql`(${first} + "n" * sign(${count})::integer)`;
  // Each free date moves the end by at most one working day.
  const most = sql`((abs(${count}) + cardinality(${off})) * 7 / 5 + 7)::integer`;
  const moved = sql`(SELECT ${day} FROM generate_series(1, ${most}) AS "n" WHERE extract(isodow FROM ${day}) < 6 AND ${day} <> ALL (${off}) ORDER BY "n" LIMIT 1 OFFSET abs(${count}) - 1)`;
  return within(
    sql`CASE WHEN ${count} = 0 THEN ${first} WHEN ${count} <> 0 THEN ${dateSql(moved)} END`,
    sql`${a} AS "first", ${limitCount(b)} AS "count", ARRAY${select(sql`${free.element}`, free)} AS "free"`,
  );
};
