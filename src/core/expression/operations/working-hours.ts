import Big from "big.js";
import { constant, join, type Sql, sql } from "../../sql.ts";
import { memoizeByKey } from "../../util/memoize.ts";
import { dayAt, instantAt, instantToText, isoWeekday, toDayNumber, type Zone } from "../values/calendar.ts";
import type { Value } from "../values/value.ts";
import { limitSql, quotient, quotientSql } from "./numeric-ops.ts";
import type { OperationContext } from "./operation-types.ts";
import { type SqlList, select, withConditions } from "./sql-forms.ts";
import { instantSql, MOST_DAYS } from "./temporal-ops.ts";

/*
 * Working hours, in JavaScript and in Postgres: the time within the hours of a week such as
 * `Mon-Thu 08:00-12:00, 13:00-17:00, Fri 08:00-14:00`, in the document's time zone, without the dates of a list.
 */

/** An interval of working time on one weekday, in minutes from midnight. */
interface WorkInterval {
  /** 1 is Monday. */
  readonly weekday: number;
  readonly from: number;
  readonly to: number;
}

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** Describes the mistake in a text of working hours in a sentence; undefined for valid ones. */
export const workingHoursProblem = (hours: Value): string | undefined => {
  const read = readHours(String(hours));
  return typeof read === "string" ? read : undefined;
};

/** The intervals of a week in order, or a sentence that describes the mistake. */
const readHours = (text: string): readonly WorkInterval[] | string => {
  const intervals: WorkInterval[] = [];
  let days: readonly number[] | undefined;
  for (const part of text.split(",").map((item) => item.trim())) {
    const [, named, from, to] =
      /^((?:[a-z]{3}(?:[-–][a-z]{3})? )*)(\d{1,2}:\d\d)[-–](\d{1,2}:\d\d)$/iu.exec(part) ?? [];
    if (named === undefined || from === undefined || to === undefined)
      return `“${part}” are not working hours. Write them as in “Mon-Fri 09:00-17:00”.`;
    if (named !== "") days = readDays(named);
    if (days === undefined) return `“${part}” needs its days. Write them as in “Mon-Fri 09:00-17:00”.`;
    if (days.includes(0)) return `“${named.trim()}” are not days. Write Mon, Tue, Wed, Thu, Fri, Sat and Sun.`;
    const [start, end] = [readMinutes(from), readMinutes(to)];
    if (start === undefined || end === undefined)
      return `“${from}-${to}” is not a range of times between 00:00 and 24:00.`;
    if (end <= start)
      return `“${from}-${to}” ends before it begins. Hours after midnight belong to the next day: “22:00-24:00”, and “00:00-06:00”.`;
    intervals.push(...days.map((weekday) => ({ weekday, from: start, to: end })));
  }
  const sorted = intervals.sort((a, b) => a.weekday - b.weekday || a.from - b.from);
  const overlap = sorted.find(
    (interval, i) => interval.weekday === sorted[i + 1]?.weekday && interval.to > (sorted[i + 1]?.from ?? 0),
  );
  return overlap === undefined ? sorted : `The hours of ${capital(weekdays[overlap.weekday - 1] ?? "")} overlap.`;
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `Mon-Wed Fri` as 1, 2, 3 and 5; 0 for an unknown day. A range can pass Sunday: `Sun-Thu`. */
const readDays = (named: string): readonly number[] =>
  named
    .trim()
    .split(" ")
    .flatMap((range) => {
      const [first = 0, last = first] = range.split(/[-–]/u).map((day) => weekdays.indexOf(day.toLowerCase()) + 1);
      if (first === 0 || last === 0) return [0];
      return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, i) => ((first - 1 + i) % 7) + 1);
    });

/** `08:30` as 510; undefined for a time that does not exist. */
const readMinutes = (time: string): number | undefined => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const all = hours * 60 + minutes;
  return minutes < 60 && all <= 24 * 60 ? all : undefined;
};

const getWeek = memoizeByKey((hours): readonly WorkInterval[] => {
  const read = readHours(hours);
  return typeof read === "string" ? [] : read;
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** More hours than these are missing. */
const MOST_HOURS = MOST_DAYS * 24;

// --- JavaScript

/** The start and the end of each interval of a day, as instants in milliseconds. A clock change can swap them. */
const intervalsOn = (
  day: number,
  week: readonly WorkInterval[],
  zone: Zone,
): readonly (readonly [start: number, end: number])[] =>
  week.flatMap(({ weekday, from, to }) =>
    weekday === isoWeekday(day) ? [[instantAt(day, from, zone), instantAt(day, to, zone)]] : [],
  );

export const countWorkingHours = (
  first: string,
  last: string,
  free: readonly string[],
  hours: Value,
  zone: Zone,
): Big | null => {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  if (to - from > MOST_DAYS * DAY) return null;
  const [week, off] = [getWeek(String(hours)), new Set(free.map(toDayNumber))];
  let time = 0;
  for (let day = dayAt(from, zone), end = dayAt(to, zone); day <= end; day++) {
    if (off.has(day)) continue;
    for (const [start, stop] of intervalsOn(day, week, zone))
      time += Math.max(Math.min(stop, to) - Math.max(start, from), 0);
  }
  return quotient(new Big(time), new Big(HOUR));
};

export const addWorkingHours = (
  datetime: string,
  count: Big,
  free: readonly string[],
  hours: Value,
  zone: Zone,
): string | null => {
  if (count.abs().gte(MOST_HOURS)) return null;
  const from = Date.parse(datetime);
  const [week, off] = [getWeek(String(hours)), new Set(free.map(toDayNumber))];
  const sign = count.lt(0) ? -1 : 1;
  let remaining = count.abs().times(HOUR).round(0, 1).toNumber();
  if (remaining === 0) return datetime;
  const first = dayAt(from, zone);
  for (let n = 0; n <= MOST_DAYS; n++) {
    const day = first + n * sign;
    if (off.has(day)) continue;
    const intervals = intervalsOn(day, week, zone);
    for (const [start, end] of sign < 0 ? intervals.toReversed() : intervals) {
      // The distances of both ends from the start of counting, in the direction of counting.
      const [a, b] = [(start - from) * sign, (end - from) * sign];
      const [near, far] = sign < 0 ? [Math.max(b, 0), a] : [Math.max(a, 0), b];
      if (far <= near) continue;
      if (far - near >= remaining) return instantToText(from + sign * (near + remaining));
      remaining -= far - near;
    }
  }
  return null;
};

// --- Postgres

/** Evaluates a query on the operands, so that each is written once. */
const within = (what: Sql, operands: Sql, free: Sql): Sql =>
  sql`(SELECT ${what} FROM (SELECT ${operands}) AS "~", LATERAL (SELECT ${free} AS "free") AS "~free")`;

/** The free dates within a range. Others would only lengthen the search. */
const freeSql = (free: SqlList | undefined, condition: (day: Sql) => Sql): Sql =>
  free === undefined
    ? sql`'{}'::date[]`
    : sql`ARRAY${select(sql`DISTINCT ${free.element}`, withConditions(free, [condition(free.element)]))}`;

const weekSql = (week: readonly WorkInterval[]): Sql =>
  sql`(VALUES ${join(
    week.map(({ weekday, from, to }) => sql`(${constant(weekday)}, ${constant(from)}, ${constant(to)})`),
    ", ",
  )}) AS "~week" ("weekday", "from", "to")`;

/** The local day of an instant. */
const localDaySql = (instant: Sql, zone: Sql): Sql => sql`(${instant} AT TIME ZONE ${zone})::date`;

/** The instant of a minute of a local day. */
const instantOfMinuteSql = (day: Sql, minute: Sql, zone: Sql): Sql =>
  sql`((${day} + ${minute} * '1 minute'::interval) AT TIME ZONE ${zone})`;

/** Milliseconds from the first instant to the second. */
const millisecondsBetween = (from: Sql, to: Sql): Sql => sql`extract(epoch FROM ${to} - ${from}) * 1000`;

/** The working intervals of consecutive days, counted from the first day in one direction. */
const daysSql = (first: Sql, last: Sql, sign: Sql, week: readonly WorkInterval[]): Sql =>
  sql`(SELECT "~n"."n", "~week"."from", "~week"."to", ${first} + "~n"."n" * ${sign} AS "day" FROM generate_series(0, ${last}) AS "~n" ("n"), ${weekSql(week)} WHERE "~week"."weekday" = extract(isodow FROM ${first} + "~n"."n" * ${sign}) AND ${first} + "~n"."n" * ${sign} <> ALL ("~free"."free")) AS "~day"`;

export const workingHoursSql = (
  a: Sql,
  b: Sql,
  free: SqlList | undefined,
  { zoneName, last }: OperationContext,
): Sql => {
  const [first, end] = [sql`"~"."first"`, sql`"~"."last"`];
  const isNear = sql`${millisecondsBetween(first, end)} <= ${constant(MOST_DAYS * DAY)}`;
  const days = sql`CASE WHEN ${isNear} THEN ${localDaySql(end, zoneName)} - ${localDaySql(first, zoneName)} END`;
  const [from, to] = (["from", "to"] as const).map((item) =>
    instantOfMinuteSql(sql`"~day"."day"`, item === "from" ? sql`"~day"."from"` : sql`"~day"."to"`, zoneName),
  ) as [Sql, Sql];
  const time = millisecondsBetween(sql`greatest(${from}, ${first})`, sql`least(${to}, ${end})`);
  const sum = sql`(SELECT coalesce(sum(greatest(${time}, 0)), 0) FROM ${daysSql(localDaySql(first, zoneName), days, sql`1`, getWeek(String(last)))})`;
  return within(
    sql`CASE WHEN ${isNear} THEN ${quotientSql(sum, constant(HOUR))} END`,
    sql`${a} AS "first", ${b} AS "last"`,
    freeSql(free, (day) => sql`${day} BETWEEN ${localDaySql(first, zoneName)} AND ${localDaySql(end, zoneName)}`),
  );
};

export const addWorkingHoursSql = (
  a: Sql,
  b: Sql,
  free: SqlList | undefined,
  { zoneName, last }: OperationContext,
): Sql => {
  const week = getWeek(String(last));
  const [first, count, sign] = [sql`"~"."first"`, sql`"~"."count"`, sql`sign("~"."count")::integer`];
  const remaining = sql`round(abs(${count}) * ${constant(HOUR)})`;
  const perWeek = constant(week.reduce((sum, { from, to }) => sum + (to - from) * 60_000, 0));
  // Each free date adds at most a week. Clock changes add only hours.
  const days = sql`least((${remaining} / ${perWeek} * 1.1 + cardinality("~free"."free") + 4) * 7, ${constant(MOST_DAYS)})::integer`;
  const instantOnDay = (minute: Sql) => instantOfMinuteSql(sql`"~day"."day"`, minute, zoneName);
  const away = (minute: Sql) => sql`${millisecondsBetween(first, instantOnDay(minute))}`;
  const [start, end] = [sql`(${away(sql`"~day"."from"`)}) * ${sign}`, sql`(${away(sql`"~day"."to"`)}) * ${sign}`];
  const intervals = sql`(SELECT "~day"."n", "~day"."from" * ${sign} AS "place", greatest(CASE WHEN ${sign} < 0 THEN ${end} ELSE ${start} END, 0) AS "near", CASE WHEN ${sign} < 0 THEN ${start} ELSE ${end} END AS "far" FROM ${daysSql(localDaySql(first, zoneName), days, sign, week)}) AS "~stretch"`;
  const sums = sql`(SELECT "~stretch"."far", sum("~stretch"."far" - "~stretch"."near") OVER (ORDER BY "~stretch"."n", "~stretch"."place") AS "sum" FROM ${intervals} WHERE "~stretch"."far" > "~stretch"."near") AS "~sum"`;
  const found = sql`(SELECT "~sum"."far" - "~sum"."sum" + ${remaining} FROM ${sums} WHERE "~sum"."sum" >= ${remaining} ORDER BY "~sum"."sum" LIMIT 1)`;
  const moved = sql`(${first} + (${found} * ${sign})::double precision * '1 millisecond'::interval)`;
  return within(
    sql`CASE WHEN ${remaining} = 0 THEN ${first} WHEN ${remaining} > 0 THEN ${instantSql(moved)} END`,
    sql`${a} AS "first", ${limitSql(b, constant(-MOST_HOURS), constant(MOST_HOURS))} AS "count"`,
    freeSql(free, (day) => sql`(${day} - ${localDaySql(first, zoneName)}) * ${sign} >= 0`),
  );
};
