import Big from "big.js";
import { constant, type Sql, sql } from "../../../sql.ts";
import {
  addToDate,
  addToInstant,
  dateAt,
  endOfMonth,
  firstOfUnit,
  fromDayNumber,
  isoWeekday,
  localToInstant,
  splitDate,
  toDayNumber,
} from "../../values/calendar.ts";
import { type Duration, durationLength as millisecondsOf } from "../../values/duration.ts";
import { toSqlList } from "../list-sql.ts";
import { limitSql, quotient, quotientSql } from "../numeric-ops.ts";
import type { OperationContext, OperationRow } from "../operation-types.ts";
import type { SqlList } from "../sql-forms.ts";
import {
  dateSql,
  elapsedSql,
  instantSql,
  limitDuration,
  MOST_DAYS,
  millisecondsSql,
  toElapsed,
} from "../temporal-ops.ts";

import {
  addWorkingDays,
  addWorkingDaysSql,
  addWorkingDaysWithoutSql,
  countWorkingDays,
  workingDaysSql,
  workingDaysWithoutSql,
} from "../working-days.ts";
import {
  addWorkingHours,
  addWorkingHoursSql,
  countWorkingHours,
  workingHoursProblem,
  workingHoursSql,
} from "../working-hours.ts";

/** Dates, times and durations. */
export const temporalOperations = {
  "date + duration": {
    about: "The date that much later or earlier, by the calendar: 31 January plus a month is the last day of February.",
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, 1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} + ${b})::date`),
  },
  "date - duration": {
    about: "The date that much later or earlier, by the calendar: 31 January plus a month is the last day of February.",
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, -1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} - ${b})::date`),
  },
  "datetime + duration": {
    about:
      "The time that much later or earlier: days and months by the calendar in the document's time zone, hours as elapsed time.",
    returns: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: OperationContext) => addToInstant(a, b, 1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`date_add(${a}, ${b}, ${zoneName})`),
  },
  "datetime - duration": {
    about:
      "The time that much later or earlier: days and months by the calendar in the document's time zone, hours as elapsed time.",
    returns: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: OperationContext) => addToInstant(a, b, -1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`date_subtract(${a}, ${b}, ${zoneName})`),
  },
  "datetime - datetime": {
    about: "The elapsed time from the second to the first.",
    returns: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string) => toElapsed(Date.parse(a) - Date.parse(b)),
    sql: elapsedSql,
  },
  "duration / duration": {
    about: "The ratio of the durations, to 10 places; a month counts as 30 days and a day as 24 hours.",
    returns: "decimal",
    fails: "division by zero",
    repeats: 6,
    missing: "spreads",
    js: (a: Duration, b: Duration) => quotient(new Big(millisecondsOf(a)), new Big(millisecondsOf(b))),
    sql: (a: Sql, b: Sql) => quotientSql(millisecondsSql(a), millisecondsSql(b)),
  },
  "minutes(integer)": {
    about: "This much elapsed time. A negative number means before.",
    returns: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => limitDuration({ months: 0, days: 0, milliseconds: a * 60_000 }),
    sql: (a: Sql) => sql`make_interval(mins => ${limitSql(a, sql`-131760001`, sql`131760001`)}::integer)`,
  },
  "hours(integer)": {
    about: "This much elapsed time. A negative number means before.",
    returns: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => limitDuration({ months: 0, days: 0, milliseconds: a * 3_600_000 }),
    sql: (a: Sql) => sql`make_interval(hours => ${limitSql(a, sql`-2196001`, sql`2196001`)}::integer)`,
  },
  "days(integer)": {
    about: "This many days or months by the calendar.",
    returns: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => limitDuration({ months: 0, days: a, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(days => ${limitSql(a, sql`-91501`, sql`91501`)}::integer)`,
  },
  "months(integer)": {
    about: "This many days or months by the calendar.",
    returns: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => limitDuration({ months: a, days: 0, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(months => ${limitSql(a, sql`-3001`, sql`3001`)}::integer)`,
  },
  "year(date)": {
    about: "Its year. For a datetime, this and all following functions use its date in the document's time zone.",
    returns: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).year,
    sql: (a: Sql) => sql`extract(year FROM ${a})::bigint`,
  },
  "month(date)": {
    about: "Its month, from 1 to 12.",
    returns: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).month,
    sql: (a: Sql) => sql`extract(month FROM ${a})::bigint`,
  },
  "day(date)": {
    about: "Its day of the month, from 1 to 31.",
    returns: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).day,
    sql: (a: Sql) => sql`extract(day FROM ${a})::bigint`,
  },
  "weekday(date)": {
    about: "Its day of the week: Monday is 1, Sunday 7.",
    returns: "integer",
    missing: "spreads",
    js: (a: string) => isoWeekday(toDayNumber(a)),
    sql: (a: Sql) => sql`extract(isodow FROM ${a})::bigint`,
  },
  "month_of(date)": {
    about: "The first day of its month, quarter or year, for charts.",
    returns: "date",
    missing: "spreads",
    js: (a: string) => firstOfUnit(a, "month"),
    sql: (a: Sql) => sql`date_trunc('month', ${a}::timestamp)::date`,
  },
  "quarter_of(date)": {
    about: "The first day of its month, quarter or year, for charts.",
    returns: "date",
    missing: "spreads",
    js: (a: string) => firstOfUnit(a, "quarter"),
    sql: (a: Sql) => sql`date_trunc('quarter', ${a}::timestamp)::date`,
  },
  "year_of(date)": {
    about: "The first day of its month, quarter or year, for charts.",
    returns: "date",
    missing: "spreads",
    js: (a: string) => firstOfUnit(a, "year"),
    sql: (a: Sql) => sql`date_trunc('year', ${a}::timestamp)::date`,
  },
  "end_of_month(date)": {
    about: "The last day of its month.",
    returns: "date",
    missing: "spreads",
    js: (a: string) => fromDayNumber(endOfMonth(toDayNumber(a))),
    sql: (a: Sql) => sql`(date_trunc('month', ${a}::timestamp) + '1 month -1 day'::interval)::date`,
  },
  "start_of_week(date)": {
    about: "The Monday or the Sunday of its week.",
    returns: "date",
    missing: "spreads",
    js: (a: string) => firstOfUnit(a, "week"),
    sql: (a: Sql) => sql`date_trunc('week', ${a}::timestamp)::date`,
  },
  "end_of_week(date)": {
    about: "The Monday or the Sunday of its week.",
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string) => fromDayNumber(toDayNumber(a) - isoWeekday(toDayNumber(a)) + 7),
    sql: (a: Sql) => dateSql(sql`date_trunc('week', ${a}::timestamp)::date + 6`),
  },
  "date_of(datetime)": {
    about: "Its date in the document's time zone.",
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, { zone }: OperationContext) => dateAt(a, zone),
    sql: (a: Sql, { zoneName }: OperationContext) => dateSql(sql`(${a} AT TIME ZONE ${zoneName})::date`),
  },
  "datetime(date, time)": {
    about: "The moment at which clocks in the document's time zone show this time on this date.",
    returns: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string, { zone }: OperationContext) => localToInstant(a, b, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`((${a} + ${b}) AT TIME ZONE ${zoneName})`),
  },
  "days_between(date, date)": {
    about: "The number of days from the first to the second: 1 from a day to the next.",
    returns: "integer",
    missing: "spreads",
    js: (a: string, b: string) => toDayNumber(b) - toDayNumber(a),
    sql: (a: Sql, b: Sql) => sql`(${b} - ${a})::bigint`,
    // The distance between the first and the last day of the calendar, in both directions.
    bounds: () => [-3_652_500, 3_652_500],
  },
  "working_days(date, date)": {
    about:
      "The number of days from Monday to Friday, from the first date to the second, including both, without the listed dates, such as public holidays. 0 if the second is before the first.",
    returns: "integer",
    missing: "spreads",
    repeats: 3,
    js: (a: string, b: string) => countWorkingDays(a, b, []),
    sql: (a: Sql, b: Sql) => workingDaysSql(a, b),
    bounds: () => [0, 2_609_000],
  },
  "working_days(date, date, [date])": {
    about:
      "The number of days from Monday to Friday, from the first date to the second, including both, without the listed dates, such as public holidays. 0 if the second is before the first.",
    returns: "integer",
    missing: "spreads",
    js: countWorkingDays,
    sql: workingDaysWithoutSql,
    bounds: () => [0, 2_609_000],
  },
  "add_working_days(date, integer)": {
    about: `The date that many days from Monday to Friday later, not counting the listed dates; a negative number means earlier. 0 gives the date itself. Missing for more than ${MOST_DAYS.toLocaleString("en")} days.`,
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    repeats: 5,
    js: (a: string, b: number) => addWorkingDays(a, b, []),
    sql: addWorkingDaysSql,
  },
  "add_working_days(date, integer, [date])": {
    about: `The date that many days from Monday to Friday later, not counting the listed dates; a negative number means earlier. 0 gives the date itself. Missing for more than ${MOST_DAYS.toLocaleString("en")} days.`,
    returns: "date",
    fails: "overflow",
    missing: "spreads",
    js: addWorkingDays,
    sql: addWorkingDaysWithoutSql,
  },
  "working_hours(datetime, datetime, text)": {
    about: `The hours from the first time to the second within working hours such as 'Mon-Fri 09:00-17:00' (L10.13), without the listed dates. 0 if the second is before the first. Missing for more than ${MOST_DAYS.toLocaleString("en")} days.`,
    returns: "decimal",
    fails: "overflow",
    missing: "spreads",
    constant: workingHoursProblem,
    queries: true,
    js: (a: string, b: string, hours: string, { zone }: OperationContext) => countWorkingHours(a, b, [], hours, zone),
    sql: (a: Sql, b: Sql, _: Sql, place: OperationContext) => workingHoursSql(a, b, undefined, place),
  },
  "working_hours(datetime, datetime, [date], text)": {
    about: `The hours from the first time to the second within working hours such as 'Mon-Fri 09:00-17:00' (L10.13), without the listed dates. 0 if the second is before the first. Missing for more than ${MOST_DAYS.toLocaleString("en")} days.`,
    returns: "decimal",
    fails: "overflow",
    missing: "spreads",
    constant: workingHoursProblem,
    queries: true,
    js: (a: string, b: string, free: readonly string[], hours: string, { zone }: OperationContext) =>
      countWorkingHours(a, b, free, hours, zone),
    sql: (a: Sql, b: Sql, free: SqlList, _: Sql, place: OperationContext) => workingHoursSql(a, b, free, place),
  },
  "add_working_hours(datetime, decimal, text)": {
    about: `The time at which that many working hours have passed, not counting the listed dates; a negative number means earlier. 0 gives the time itself. Missing if it is more than ${MOST_DAYS.toLocaleString("en")} days away.`,
    returns: "datetime",
    fails: "overflow",
    missing: "spreads",
    constant: workingHoursProblem,
    queries: true,
    js: (a: string, b: Big, hours: string, { zone }: OperationContext) => addWorkingHours(a, b, [], hours, zone),
    sql: (a: Sql, b: Sql, _: Sql, place: OperationContext) => addWorkingHoursSql(a, b, undefined, place),
  },
  "add_working_hours(datetime, decimal, [date], text)": {
    about: `The time at which that many working hours have passed, not counting the listed dates; a negative number means earlier. 0 gives the time itself. Missing if it is more than ${MOST_DAYS.toLocaleString("en")} days away.`,
    returns: "datetime",
    fails: "overflow",
    missing: "spreads",
    constant: workingHoursProblem,
    queries: true,
    js: (a: string, b: Big, free: readonly string[], hours: string, { zone }: OperationContext) =>
      addWorkingHours(a, b, free, hours, zone),
    sql: (a: Sql, b: Sql, free: SqlList, _: Sql, place: OperationContext) => addWorkingHoursSql(a, b, free, place),
  },
  "days(date, date)": {
    about: `All dates from the first to the second, including both. An empty list if the second is before the first, or more than ${MOST_DAYS.toLocaleString("en")} days after it.`,
    returns: "[date]",
    missing: "empties",
    js: (a: string, b: string) => {
      const [first, last] = [toDayNumber(a), toDayNumber(b)];
      if (last - first > MOST_DAYS) return [];
      return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => fromDayNumber(first + i)).filter(
        (day) => day !== null,
      );
    },
    list: (a: Sql, b: Sql) =>
      toSqlList(
        sql`SELECT "~"."first" + "n" AS "value", "n" AS "nth" FROM (SELECT ${a} AS "first", ${b} AS "last") AS "~", generate_series(0, CASE WHEN "~"."last" - "~"."first" <= ${constant(MOST_DAYS)} THEN "~"."last" - "~"."first" END) AS "n"`,
      ),
  },
} as const satisfies Record<string, OperationRow>;
