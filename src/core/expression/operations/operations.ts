import Big from "big.js";
import { constant, type Sql, sql } from "../../sql.ts";
import {
  addToDate,
  addToInstant,
  dateAt,
  endOfMonth,
  fromDayNumber,
  isoWeekday,
  localToInstant,
  splitDate,
  toDayNumber,
} from "../values/calendar.ts";
import { type Duration, durationLength as millisecondsOf } from "../values/duration.ts";
import type { Value } from "../values/value.ts";
import { absence, is, isNot, isSame, membership, ordering, sameness, utmost, utmostSql } from "./comparison-ops.ts";
import {
  dateFrom,
  dateFromSql,
  dateTextSql,
  decimalFrom,
  decimalFromSql,
  decimalText,
  integerFrom,
  integerFromSql,
  textAfter,
  textAfterSql,
  textBefore,
  textBeforeSql,
  textReplaced,
  timeFrom,
  timeFromSql,
} from "./conversion-ops.ts";
import { countSql, existence, numbered, rowsWhere } from "./list-sql.ts";
import {
  average,
  averageSql,
  between,
  decimalOf,
  down,
  placesProblem,
  quotient,
  quotientSql,
  roundSql,
  safeInteger,
  sumSql,
  sumWholeNumbers,
  total,
  wholeOf,
  wholeSql,
} from "./numeric-ops.ts";
import type { OperationContext, OperationRow } from "./operation-types.ts";
import { matcher, patternProblem, postgresPattern } from "./pattern.ts";
import {
  both,
  either,
  opposite,
  type Single,
  type SqlCondition,
  type SqlList,
  select,
  withConditions,
} from "./sql-forms.ts";
import { dateSql, elapsed, elapsedSql, instantSql, lasting, MOST_DAYS, millisecondsSql } from "./temporal-ops.ts";

const patternSql = (pattern: Value): Sql => constant(postgresPattern(String(pattern)));

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** The table of operators and functions, by signature. A function can be called as a method: `day.year()`. */
export const meaning = {
  "boolean && boolean": {
    about: "True if both are true.",
    gives: "boolean",
    missing: "met",
    settles: false,
    condition: (p: SqlCondition, q: SqlCondition) => ({
      truth: both(p.truth, q.truth),
      falsehood: either(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "boolean || boolean": {
    about: "True if at least one is true.",
    gives: "boolean",
    missing: "met",
    settles: true,
    condition: (p: SqlCondition, q: SqlCondition) => ({
      truth: either(p.truth, q.truth),
      falsehood: both(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "!boolean": {
    about: "True if it is false.",
    gives: "boolean",
    missing: "met",
    js: (p: boolean) => !p,
    condition: opposite,
  },
  "boolean ? boolean : boolean": {
    about: "The first alternative if the condition is true, otherwise the second.",
    gives: "boolean",
    missing: "met",
    repeats: 2,
    js: (c: boolean, p: boolean, q: boolean) => (c ? p : q),
    condition: (c: SqlCondition, p: SqlCondition, q: SqlCondition) => ({
      truth: either(both(c.truth, p.truth), both(c.falsehood, q.truth)),
      falsehood: either(both(c.truth, p.falsehood), both(c.falsehood, q.falsehood)),
      sure: c.sure && p.sure && q.sure,
    }),
  },
  "boolean ? any : any": {
    about: "The first value if the condition is true, otherwise the second.",
    gives: "any",
    missing: "met",
    passes: true,
    js: (c: boolean, a: Value, b: Value) => (c ? a : b),
    sql: (c: SqlCondition, a: Single, b: Single) => sql`CASE WHEN ${c.truth} THEN ${a.value} ELSE ${b.value} END`,
  },
  "boolean ? [any] : [any]": {
    about: "The first list if the condition is true, otherwise the second.",
    gives: "[any]",
    missing: "empties",
    repeats: 2,
    js: (c: boolean, a: readonly Value[], b: readonly Value[]) => (c ? a : b),
    list: (c: SqlCondition, a: SqlList, b: SqlList) =>
      numbered(sql`${rowsWhere(c.truth, a)} UNION ALL ${rowsWhere(c.falsehood, b)}`),
  },

  "any == null": {
    about: "True if it is missing.",
    gives: "boolean",
    missing: "met",
    js: (a: Value) => a === null,
    compares: { by: "same", holds: is },
    condition: absence,
  },
  "any != null": {
    about: "True if it is not missing.",
    gives: "boolean",
    missing: "met",
    js: (a: Value) => a !== null,
    compares: { by: "same", holds: isNot },
    condition: (a: Single) => opposite(absence(a)),
  },
  "same == same": {
    about: "True if both are equal, or both are missing.",
    gives: "boolean",
    missing: "met",
    js: isSame,
    compares: { by: "same", holds: is },
    condition: sameness,
  },
  "same != same": {
    about: "True if they differ, or if exactly one is missing.",
    gives: "boolean",
    missing: "met",
    js: (a: Value, b: Value, place: OperationContext) => !isSame(a, b, place),
    compares: { by: "same", holds: isNot },
    condition: (a: Single, b: Single) => opposite(sameness(a, b)),
  },
  "ordered < ordered": {
    about:
      "True if the first comes before the second. Text is compared by code point; a month counts as 30 days and a day as 24 hours.",
    ...ordering({ below: true, same: false, above: false }, sql`<`, sql`>=`),
  },
  "ordered <= ordered": {
    about: "True if the first comes before the second or equals it.",
    ...ordering({ below: true, same: true, above: false }, sql`<=`, sql`>`),
  },
  "ordered > ordered": {
    about: "True if the first comes after the second.",
    ...ordering({ below: false, same: false, above: true }, sql`>`, sql`<=`),
  },
  "ordered >= ordered": {
    about: "True if the first comes after the second or equals it.",
    ...ordering({ below: false, same: true, above: true }, sql`>=`, sql`<`),
  },
  "same in [same]": {
    about: "True if the list contains the value.",
    gives: "boolean",
    missing: "refuses",
    js: (a: Value, list: readonly Value[], place: OperationContext) => list.some((one) => isSame(a, one, place)),
    compares: { by: "same", holds: "among" },
    truth: (a: Sql, list: SqlList) => membership(a, list).truth,
    falsehood: (a: Sql, list: SqlList) => membership(a, list).falsehood,
  },

  "integer + integer": {
    about: "The sum.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => safeInteger(a + b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric + ${b}`),
    bounds: (a, b) => (a === undefined || b === undefined ? undefined : [a[0] + b[0], a[1] + b[1]]),
    within: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "integer - integer": {
    about: "The difference.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => safeInteger(a - b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric - ${b}`),
    bounds: (a, b) => (a === undefined || b === undefined ? undefined : [a[0] - b[1], a[1] - b[0]]),
    within: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "integer * integer": {
    about: "The product.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => safeInteger(a * b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric * ${b}`),
  },
  "-integer": {
    about: "The number with the opposite sign.",
    gives: "integer",
    missing: "spreads",
    js: (a: number) => safeInteger(-a),
    sql: (a: Sql) => wholeSql(sql`-${a}::numeric`),
  },
  "decimal + decimal": {
    about: "The sum, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.plus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "decimal - decimal": {
    about: "The difference, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.minus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "decimal * decimal": {
    about: "The product, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "decimal / decimal": {
    about: "The quotient, to 10 places, also of whole numbers.",
    gives: "decimal",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "-decimal": {
    about: "The number with the opposite sign.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big) => a.times(-1),
    sql: (a: Sql) => sql`(-${a})`,
  },
  "money + money": {
    about: "The sum of amounts in one currency.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.plus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "money - money": {
    about: "The difference of amounts in one currency.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.minus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "money * decimal": {
    about: "The multiple of the amount, exactly. Use `round` for fewer places.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "decimal * money": {
    about: "The multiple of the amount, exactly.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "money / decimal": {
    about: "The amount divided by the number, to 10 places.",
    gives: "money",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "money / money": {
    about: "The ratio of the amounts, to 10 places.",
    gives: "decimal",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "-money": {
    about: "The amount with the opposite sign.",
    gives: "money",
    missing: "spreads",
    js: (a: Big) => a.times(-1),
    sql: (a: Sql) => sql`(-${a})`,
  },
  "round(decimal)": {
    about: "The nearest whole number. Halves are rounded to the even one.",
    gives: "integer",
    fails: "overflow",
    repeats: 4,
    missing: "spreads",
    js: (a: Big) => wholeOf(a.round(0, 2)),
    sql: (a: Sql) => wholeSql(roundSql(a, sql`0`)),
  },
  "round(decimal, integer)": {
    about: "The nearest number with this many places. Halves are rounded to the even digit.",
    gives: "decimal",
    repeats: 4,
    constant: placesProblem,
    missing: "spreads",
    js: (a: Big, places: number) => a.round(places, 2),
    sql: (a: Sql, places: Sql) => roundSql(a, sql`${places}::integer`),
  },
  "round(money, integer)": {
    about: "The nearest amount with this many places. Halves are rounded to the even digit.",
    gives: "money",
    repeats: 4,
    constant: placesProblem,
    missing: "spreads",
    js: (a: Big, places: number) => a.round(places, 2),
    sql: (a: Sql, places: Sql) => roundSql(a, sql`${places}::integer`),
  },
  "floor(decimal)": {
    about: "The greatest whole number that is not greater than the number.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: Big) => wholeOf(down(a)),
    sql: (a: Sql) => wholeSql(sql`floor(${a})`),
  },
  "ceil(decimal)": {
    about: "The smallest whole number that is not smaller than the number.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: Big) => wholeOf(down(a.times(-1)).times(-1)),
    sql: (a: Sql) => wholeSql(sql`ceil(${a})`),
  },
  "abs(integer)": {
    about: "The absolute value.",
    gives: "integer",
    missing: "spreads",
    js: (a: number) => Math.abs(a),
    sql: (a: Sql) => wholeSql(sql`abs(${a}::numeric)`),
  },
  "abs(decimal)": {
    about: "The absolute value.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big) => a.abs(),
    sql: (a: Sql) => sql`abs(${a})`,
  },
  "abs(money)": {
    about: "The absolute value.",
    gives: "money",
    missing: "spreads",
    js: (a: Big) => a.abs(),
    sql: (a: Sql) => sql`abs(${a})`,
  },
  "decimal(integer)": {
    about: "The whole number as a decimal. The checker inserts this function.",
    gives: "decimal",
    missing: "spreads",
    js: decimalOf,
    sql: (a: Sql) => sql`${a}::numeric`,
  },

  "date + duration": {
    about: "The date that much later, by the calendar: 31 January plus a month is the last day of February.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, 1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} + ${b})::date`),
  },
  "date - duration": {
    about: "The date that much earlier, by the calendar.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, -1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} - ${b})::date`),
  },
  "datetime + duration": {
    about:
      "The time that much later: days and months by the calendar in the document's time zone, hours as elapsed time.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: OperationContext) => addToInstant(a, b, 1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`date_add(${a}, ${b}, ${zoneName})`),
  },
  "datetime - duration": {
    about:
      "The time that much earlier: days and months by the calendar in the document's time zone, hours as elapsed time.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: OperationContext) => addToInstant(a, b, -1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`date_subtract(${a}, ${b}, ${zoneName})`),
  },
  "datetime - datetime": {
    about: "The elapsed time from the second to the first.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string) => elapsed(Date.parse(a) - Date.parse(b)),
    sql: elapsedSql,
  },
  "duration / duration": {
    about: "The ratio of the durations, to 10 places; a month counts as 30 days and a day as 24 hours.",
    gives: "decimal",
    fails: "division by zero",
    repeats: 6,
    missing: "spreads",
    js: (a: Duration, b: Duration) => quotient(new Big(millisecondsOf(a)), new Big(millisecondsOf(b))),
    sql: (a: Sql, b: Sql) => quotientSql(millisecondsSql(a), millisecondsSql(b)),
  },
  "minutes(integer)": {
    about: "This many minutes of elapsed time. A negative number means before.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: 0, milliseconds: a * 60_000 }),
    sql: (a: Sql) => sql`make_interval(mins => ${between(a, sql`-131760001`, sql`131760001`)}::integer)`,
  },
  "hours(integer)": {
    about: "This many hours of elapsed time. A negative number means before.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: 0, milliseconds: a * 3_600_000 }),
    sql: (a: Sql) => sql`make_interval(hours => ${between(a, sql`-2196001`, sql`2196001`)}::integer)`,
  },
  "days(integer)": {
    about: "This many calendar days.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: a, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(days => ${between(a, sql`-91501`, sql`91501`)}::integer)`,
  },
  "months(integer)": {
    about: "This many calendar months.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: a, days: 0, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(months => ${between(a, sql`-3001`, sql`3001`)}::integer)`,
  },
  "year(date)": {
    about: "Its year. For a datetime, this and all following functions use its date in the document's time zone.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).year,
    sql: (a: Sql) => sql`extract(year FROM ${a})::bigint`,
  },
  "month(date)": {
    about: "Its month, from 1 to 12.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).month,
    sql: (a: Sql) => sql`extract(month FROM ${a})::bigint`,
  },
  "day(date)": {
    about: "Its day of the month, from 1 to 31.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => splitDate(a).day,
    sql: (a: Sql) => sql`extract(day FROM ${a})::bigint`,
  },
  "weekday(date)": {
    about: "Its day of the week: Monday is 1, Sunday 7.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => isoWeekday(toDayNumber(a)),
    sql: (a: Sql) => sql`extract(isodow FROM ${a})::bigint`,
  },
  "month_of(date)": {
    about: "The first day of its month, for charts by month.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => `${a.slice(0, 7)}-01`,
    sql: (a: Sql) => sql`date_trunc('month', ${a}::timestamp)::date`,
  },
  "end_of_month(date)": {
    about: "The last day of its month.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => fromDayNumber(endOfMonth(toDayNumber(a))),
    sql: (a: Sql) => sql`(date_trunc('month', ${a}::timestamp) + '1 month -1 day'::interval)::date`,
  },
  "start_of_week(date)": {
    about: "The Monday of its week.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => fromDayNumber(toDayNumber(a) - isoWeekday(toDayNumber(a)) + 1),
    sql: (a: Sql) => sql`date_trunc('week', ${a}::timestamp)::date`,
  },
  "end_of_week(date)": {
    about: "The Sunday of its week.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string) => fromDayNumber(toDayNumber(a) - isoWeekday(toDayNumber(a)) + 7),
    sql: (a: Sql) => dateSql(sql`date_trunc('week', ${a}::timestamp)::date + 6`),
  },
  "date_of(datetime)": {
    about: "Its date in the document's time zone.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, { zone }: OperationContext) => dateAt(a, zone),
    sql: (a: Sql, { zoneName }: OperationContext) => dateSql(sql`(${a} AT TIME ZONE ${zoneName})::date`),
  },
  "datetime(date, time)": {
    about: "The moment at which clocks in the document's time zone show this time on this date.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string, { zone }: OperationContext) => localToInstant(a, b, zone),
    sql: (a: Sql, b: Sql, { zoneName }: OperationContext) => instantSql(sql`((${a} + ${b}) AT TIME ZONE ${zoneName})`),
  },
  "days_between(date, date)": {
    about: "The number of days from the first to the second: 1 from a day to the next.",
    gives: "integer",
    missing: "spreads",
    js: (a: string, b: string) => toDayNumber(b) - toDayNumber(a),
    sql: (a: Sql, b: Sql) => sql`(${b} - ${a})::bigint`,
    // The distance between the first and the last day of the calendar, in both directions.
    bounds: () => [-3_652_500, 3_652_500],
  },
  "days(date, date)": {
    about: `All dates from the first to the second, including both. An empty list if the second is before the first, or more than ${MOST_DAYS.toLocaleString("en")} days after it.`,
    gives: "[date]",
    missing: "empties",
    js: (a: string, b: string) => {
      const [first, last] = [toDayNumber(a), toDayNumber(b)];
      if (last - first > MOST_DAYS) return [];
      return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => fromDayNumber(first + i)).filter(
        (day) => day !== null,
      );
    },
    list: (a: Sql, b: Sql) =>
      numbered(
        sql`SELECT "~"."first" + "n" AS "value", "n" AS "nth" FROM (SELECT ${a} AS "first", ${b} AS "last") AS "~", generate_series(0, CASE WHEN "~"."last" - "~"."first" <= ${constant(MOST_DAYS)} THEN "~"."last" - "~"."first" END) AS "n"`,
      ),
  },

  "size(text)": {
    about: "The number of characters (code points). 0 if it is missing.",
    gives: "integer",
    missing: "met",
    js: (a: string | null) => (a === null ? 0 : lengthOf(a)),
    sql: (a: Single) => sql`coalesce(length(${a.value}), 0)::bigint`,
  },
  "text + text": {
    about: "The first text followed by the second.",
    gives: "text",
    missing: "spreads",
    js: (a: string, b: string) => a + b,
    sql: (a: Sql, b: Sql) => sql`(${a} || ${b})`,
  },
  "contains(text, text)": {
    about: "True if the first text contains the second. Case matters.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.includes(b),
    truth: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) > 0`,
    falsehood: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) = 0`,
  },
  "startsWith(text, text)": {
    about: "True if the first text begins with the second.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.startsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(${a}, ${b})`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(${a}, ${b})`,
  },
  "endsWith(text, text)": {
    about: "True if the first text ends with the second.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.endsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(reverse(${a}), reverse(${b}))`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(reverse(${a}), reverse(${b}))`,
  },
  "matches(text, text)": {
    about:
      "True if the pattern matches anywhere in the text; `^` and `$` match its ends. `pattern.ts` has the dialect.",
    gives: "boolean",
    constant: (pattern) => patternProblem(String(pattern)),
    missing: "refuses",
    js: (a: string, pattern: string) => matcher(pattern)(a),
    truth: (a: Sql, _: Sql, { last }: OperationContext) => sql`${a} ~ ${patternSql(last)}`,
    falsehood: (a: Sql, _: Sql, { last }: OperationContext) => sql`${a} !~ ${patternSql(last)}`,
  },

  "integer(text)": {
    about: "The whole number that the text is, such as '42'. Missing for any other text.",
    gives: "integer",
    fails: "unreadable",
    missing: "spreads",
    js: integerFrom,
    sql: integerFromSql,
  },
  "decimal(text)": {
    about: "The number that the text is, such as '-1.5'. Missing for any other text.",
    gives: "decimal",
    fails: "unreadable",
    missing: "spreads",
    js: decimalFrom,
    sql: decimalFromSql,
  },
  "date(text)": {
    about: "The date that the text is, such as '2026-03-29'. Missing for any other text.",
    gives: "date",
    fails: "unreadable",
    repeats: 3,
    missing: "spreads",
    js: dateFrom,
    sql: dateFromSql,
  },
  "time(text)": {
    about: "The time that the text is, such as '08:30' or '08:30:00'. Missing for any other text.",
    gives: "time",
    fails: "unreadable",
    repeats: 3,
    missing: "spreads",
    js: timeFrom,
    sql: timeFromSql,
  },
  "text(integer)": {
    about: "The digits of the number.",
    gives: "text",
    missing: "spreads",
    js: (a: number) => String(a),
    sql: (a: Sql) => sql`${a}::text`,
  },
  "text(decimal)": {
    about: "The digits of the number with a point, without zeros at the end.",
    gives: "text",
    missing: "spreads",
    js: decimalText,
    sql: (a: Sql) => sql`trim_scale(${a})::text`,
  },
  "text(money)": {
    about: "The digits of the amount with a point, without its currency.",
    gives: "text",
    missing: "spreads",
    js: decimalText,
    sql: (a: Sql) => sql`trim_scale(${a})::text`,
  },
  "text(date)": {
    about: "The date in the form '2026-03-29'.",
    gives: "text",
    repeats: 3,
    missing: "spreads",
    js: (a: string) => a,
    sql: dateTextSql,
  },
  "before(text, text)": {
    about:
      "The part before the first place where the second text occurs, without blanks around it. Missing if there is none.",
    gives: "text",
    fails: "unreadable",
    repeats: 2,
    missing: "spreads",
    js: textBefore,
    sql: textBeforeSql,
  },
  "after(text, text)": {
    about:
      "The part after the first place where the second text occurs, without blanks around it. Missing if there is none.",
    gives: "text",
    fails: "unreadable",
    repeats: 2,
    missing: "spreads",
    js: textAfter,
    sql: textAfterSql,
  },
  "replace(text, text, text)": {
    about: "The first text with the third in each place of the second.",
    gives: "text",
    missing: "spreads",
    js: textReplaced,
    sql: (a: Sql, b: Sql, c: Sql) => sql`replace(${a}, ${b}, ${c})`,
  },
  "without(text, text)": {
    about: "The first text without the second in any place. Missing if nothing remains.",
    gives: "text",
    fails: "unreadable",
    missing: "spreads",
    js: (a: string, b: string) => textReplaced(a, b, "") || null,
    sql: (a: Sql, b: Sql) => sql`nullif(replace(${a}, ${b}, ''), '')`,
  },

  "size([any])": {
    about: "The number of elements.",
    gives: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "count([any])": {
    about: "The number of elements.",
    gives: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "exists([any])": {
    about: "True if there is at least one.",
    gives: "boolean",
    missing: "met",
    js: (list: readonly Value[]) => list.length > 0,
    condition: existence,
  },
  "one([any])": {
    about: "The only element. Missing if there are none or several; see L10.12.",
    gives: "any",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[]) => (list.length === 1 ? (list[0] ?? null) : null),
    sql: (list: SqlList) => select(sql`CASE WHEN count(*) = 1 THEN (array_agg(${list.element}))[1] END`, list),
  },
  "sum([integer])": {
    about: "The sum; 0 for an empty list.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: sumWholeNumbers,
    sql: (list: SqlList) => wholeSql(sumSql(list)),
  },
  "sum([decimal])": {
    about: "The sum; 0 for an empty list.",
    gives: "decimal",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "sum([money])": {
    about: "The sum; 0 for an empty list.",
    gives: "money",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "avg([integer])": {
    about: "The average, to 10 places.",
    gives: "decimal",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly number[]) => average(list.map((value) => new Big(value))),
    sql: averageSql,
  },
  "avg([decimal])": {
    about: "The average, to 10 places.",
    gives: "decimal",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "avg([money])": {
    about: "The average, to 10 places.",
    gives: "money",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "min([ranked])": {
    about: "The smallest or earliest.",
    gives: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: OperationContext) => utmost(list, place, -1),
    sql: (list: SqlList, { kind }: OperationContext) => utmostSql(sql`min`, list, kind),
  },
  "max([ranked])": {
    about: "The greatest or latest.",
    gives: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: OperationContext) => utmost(list, place, 1),
    sql: (list: SqlList, { kind }: OperationContext) => utmostSql(sql`max`, list, kind),
  },
} as const satisfies Record<string, OperationRow>;

export type Operation = keyof typeof meaning;

/** The row of any operation. */
export const operationRow = (operation: Operation): OperationRow => meaning[operation];

/** An operation that evaluates a body for each element of a list. */
export type EachRow = {
  readonly about: string;
  readonly gives: "boolean" | "the list" | "a list of the body";
  readonly takes: "boolean" | "any";
  readonly js: (list: readonly Value[], body: (element: Value) => Value) => Value;
  readonly list?: (list: SqlList, body: never, alias: Sql) => SqlList;
  readonly condition?: (list: SqlList, body: SqlCondition) => SqlCondition;
};

export const each = {
  filter: {
    about: "The elements for which the condition is true.",
    takes: "boolean",
    gives: "the list",
    js: (list, body) => list.filter(body),
    list: (list: SqlList, body: SqlCondition) => withConditions(list, [body.truth]),
  },
  map: {
    about: "The value of the expression for each element, without missing values.",
    takes: "any",
    gives: "a list of the body",
    js: (list, body) => list.map(body).filter((value) => value !== null),
    // The body becomes a column of a lateral subquery: an aggregate that refers only to the outer query would otherwise
    // belong to the outer query.
    list: ({ from, where, order }: SqlList, { value, missing }: Single, alias: Sql) => {
      const element = sql`${alias}."value"`;
      const mapped = sql`${from} CROSS JOIN LATERAL (SELECT ${value} AS "value") AS ${alias}`;
      return { element, from: mapped, where: missing ? [...where, sql`${element} IS NOT NULL`] : where, order };
    },
  },
  all: {
    about: "True if the condition is true for every element, also for an empty list.",
    takes: "boolean",
    gives: "boolean",
    js: (list, body) => list.every(body),
    condition: (list: SqlList, body: SqlCondition) => opposite(existence(withConditions(list, [body.falsehood]))),
  },
} as const satisfies Record<string, EachRow>;

export type Each = keyof typeof each;

export const eachRow = (operation: Each): EachRow => each[operation];
