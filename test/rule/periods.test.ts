import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { toSql } from "../../src/core/expression/compile/to-sql.ts";
import { dateAt, fromDayNumber, getZone, startOfDay, toDayNumber } from "../../src/core/expression/values/calendar.ts";
import {
  daysPattern,
  isPeriodName,
  namedPeriods,
  type PeriodBounds,
  type PeriodName,
  periodDays,
  periodMoments,
} from "../../src/core/expression/values/periods.ts";
import type { Scope, Type } from "../../src/core/expression/values/type.ts";
import { noRecord } from "../../src/core/expression/values/value.ts";
import { postgresType } from "../../src/core/expression/values/value-kinds.ts";
import { fill, join, render, sql } from "../../src/core/sql.ts";
import fc, { cases } from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { entities, read } from "./world.ts";

/** A filter by a period means the same as the language's own condition on its field, `a`. */
const timezone = "Europe/Berlin";
const zone = getZone(timezone);

const meanings: Readonly<Record<Exclude<(typeof namedPeriods)[number], "past" | "future" | "overdue">, string>> = {
  yesterday: "days_between(a, today) == 1",
  today: "days_between(a, today) == 0",
  tomorrow: "days_between(a, today) == -1",
  last_week: "start_of_week(a) == start_of_week(today - 1 week)",
  this_week: "start_of_week(a) == start_of_week(today)",
  next_week: "start_of_week(a) == start_of_week(today + 1 week)",
  last_month: "month_of(a) == month_of(today - 1 month)",
  this_month: "month_of(a) == month_of(today)",
  next_month: "month_of(a) == month_of(today + 1 month)",
  last_quarter: "quarter_of(a) == quarter_of(today - 3 months)",
  this_quarter: "quarter_of(a) == quarter_of(today)",
  next_quarter: "quarter_of(a) == quarter_of(today + 3 months)",
  last_year: "year_of(a) == year_of(today - 1 year)",
  this_year: "year_of(a) == year_of(today)",
  next_year: "year_of(a) == year_of(today + 1 year)",
};
const ofDays: Readonly<Record<string, string>> = {
  last_1_days: "days_between(a, today) == 0",
  last_7_days: "days_between(a, today) >= 0 && days_between(a, today) < 7",
  last_400_days: "days_between(a, today) >= 0 && days_between(a, today) < 400",
  next_7_days: "days_between(today, a) >= 0 && days_between(today, a) < 7",
  next_30_days: "days_between(today, a) >= 0 && days_between(today, a) < 30",
};
const meaningOf: Readonly<Record<"date" | "datetime", Readonly<Record<string, string>>>> = {
  date: { ...meanings, ...ofDays, past: "a < today", overdue: "a < today", future: "a > today" },
  datetime: { ...meanings, ...ofDays, past: "a < now", overdue: "a < now", future: "a > now" },
};

const contains = ({ from, before }: PeriodBounds, value: string): boolean =>
  (from === null || value >= from) && (before === null || value < before);

const scopeOf = (type: Type): Scope => ({
  user: false,
  entities,
  limits: new Map(),
  timezone,
  names: new Map([["a", { type, optional: false }]]),
});

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
});
afterAll(() => postgres.end());

/** The periods that contain a value by the conditions of the language, in both engines. */
const byLanguage = async (kind: "date" | "datetime", value: string, clock: { now: string; today: string }) => {
  const type: Type = { kind };
  const written = Object.entries(meaningOf[kind]).map(([name, text]) => [name, read(text, scopeOf(type))] as const);
  const inJs = written.filter(
    ([, expr]) => toJs(expr)(noRecord, { ...clock, names: { a: value }, rows: () => [] }) === true,
  );
  const names = () => ({
    sql: { kind: "sql", parts: [{ kind: "value", value, cast: postgresType(type) }] } as const,
    missing: false,
  });
  const columns = written.map(([, expr]) => sql`(${toSql(expr, { names }).truth})`);
  const statement = render(sql`SELECT ARRAY[${join(columns, ", ")}] AS "holds"`);
  const { rows } = await postgres.query(statement.text, fill(statement, clock));
  const holds = rows[0]?.holds as readonly (boolean | null)[];
  return { js: inJs.map(([name]) => name), sql: written.flatMap(([name], i) => (holds[i] === true ? [name] : [])) };
};

const day = (from: string, to: string): fc.Arbitrary<string> =>
  fc.integer({ min: toDayNumber(from), max: toDayNumber(to) }).map((number) => fromDayNumber(number) ?? from);

/** Often near today, where the ends of periods are. */
const near = (today: string): fc.Arbitrary<string> =>
  fc
    .oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -40, max: 40 }), fc.integer({ min: -800, max: 800 }))
    .map((by) => fromDayNumber(toDayNumber(today) + by) ?? today);

describe("a period is what the language says", () => {
  test("of random dates, in JavaScript and SQL, also at both ends of the calendar", async () => {
    const todays = fc.oneof(
      day("1990-01-01", "2060-12-31"),
      day("0001-01-01", "0002-12-31"),
      day("9998-01-01", "9999-12-31"),
      fc.constantFrom("2026-03-31", "2024-02-29", "2026-12-31", "2027-01-01", "0001-01-01", "9999-12-31"),
    );
    const found = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        todays.chain((today) => fc.tuple(fc.constant(today), near(today))),
        async ([today, value]) => {
          const clock = { now: `${today}T11:00:00.000Z`, today };
          const expected = await byLanguage("date", value, clock);
          const ours = Object.keys(meaningOf.date).filter((name) =>
            contains(periodDays(name as PeriodName, today), value),
          );
          expect({ js: ours, sql: ours }).toEqual(expected);
          for (const name of ours) found.add(name);
        },
      ),
      { numRuns: cases(300, 20_000) },
    );
    expect([...found].sort()).toEqual(Object.keys(meaningOf.date).sort());
  });

  test("of random times, by the clock of the document's zone", async () => {
    const time = fc.integer({ min: 0, max: 86_399_999 });
    const moments = fc
      .tuple(day("1990-01-01", "2060-12-31"), time)
      .chain(([today, ms]) => fc.tuple(fc.constant([today, ms] as const), near(today), time));
    const at = (onDay: string, ms: number) => new Date(Date.parse(`${onDay}T00:00:00Z`) + ms).toISOString();
    await fc.assert(
      fc.asyncProperty(moments, async ([[onDay, ms], other, otherMs]) => {
        const now = at(onDay, ms);
        const clock = { now, today: dateAt(now, zone) ?? "" };
        const value = at(other, otherMs);
        const expected = await byLanguage("datetime", value, clock);
        const ours = Object.keys(meaningOf.datetime).filter((name) =>
          contains(periodMoments(name as PeriodName, { ...clock, zone }), value),
        );
        expect({ js: ours, sql: ours }).toEqual(expected);
      }),
      { numRuns: cases(300, 20_000) },
    );
  });

  test("a day on which clocks change is whole", () => {
    const clock = { now: "2026-03-29T10:00:00.000Z", today: "2026-03-29", zone };
    expect(periodMoments("today", clock)).toEqual({
      from: "2026-03-28T23:00:00.000Z",
      before: "2026-03-29T22:00:00.000Z",
    });
  });

  // In some zones, clocks skip midnight, or show it twice.
  test.each(["Atlantic/Azores", "America/Havana", "America/Santiago", "Asia/Beirut", "Africa/Cairo", timezone])(
    "each day begins when clocks first show it: %s",
    (name) => {
      const place = getZone(name);
      for (let day = toDayNumber("2026-01-01"); day <= toDayNumber("2026-12-31"); day++) {
        const today = fromDayNumber(day) ?? "";
        const from = startOfDay(today, place) ?? "";
        const before = new Date(Date.parse(from) - 1).toISOString();
        expect([dateAt(before, place), dateAt(from, place)]).toEqual([fromDayNumber(day - 1), today]);
        expect(periodMoments("today", { now: from, today, zone: place }).from).toBe(from);
      }
    },
  );

  test("a day has both hours that begin at midnight", () => {
    const azores = { now: "2026-10-25T12:00:00.000Z", today: "2026-10-25", zone: getZone("Atlantic/Azores") };
    expect(periodMoments("today", azores)).toEqual({
      from: "2026-10-25T00:00:00.000Z",
      before: "2026-10-26T01:00:00.000Z",
    });
  });
});

test("only these names are periods, as the description of the API says", () => {
  const isDescribed = (name: string) =>
    (namedPeriods as readonly string[]).includes(name) || new RegExp(daysPattern, "u").test(name);
  for (const name of [...namedPeriods, "last_1_days", "next_9999_days"])
    expect([name, isPeriodName(name), isDescribed(name)]).toEqual([name, true, true]);
  for (const name of ["", "last month", "last_0_days", "last_07_days", "next_10000_days", "this_7_days", "2026-01-01"])
    expect([name, isPeriodName(name), isDescribed(name)]).toEqual([name, false, false]);
});
