import { afterAll, beforeAll, expect, test } from "vitest";
import {
  addToDate,
  addToInstant,
  dateAt,
  fromDayNumber,
  getZone,
  isDate,
  isoWeekday,
  localToInstant,
  normalizeDatetime,
  toDayNumber,
  wallClockAt,
} from "../../src/core/expression/values/calendar.ts";
import { addDays, addMonths } from "../../src/web/format/dates.ts";
import { localInstant as momentInBrowser, toLocalTime } from "../../src/web/format/time-zone.ts";
import fc from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
});
afterAll(() => postgres.end());

/**
 * Zones with changes of an hour and of half an hour, in the southern hemisphere, without changes, and with a skipped
 * day.
 */
const zones = [
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Africa/Casablanca",
];

const instants = fc
  .oneof(
    fc.date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2037-12-31T23:59:59Z"), noInvalidDate: true }),
    fc.date({ min: new Date("0005-01-01T00:00:00Z"), max: new Date("9995-12-31T00:00:00Z"), noInvalidDate: true }),
    // Nights with a change of clocks.
    fc
      .tuple(
        fc.constantFrom("2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04", "2011-12-30", "2026-09-06"),
        fc.integer({ min: -172_800, max: 172_800 }),
      )
      .map(([day, seconds]) => new Date(Date.parse(day) + seconds * 1_000)),
  )
  .map((date) => date.toISOString());

const durations = fc.record({
  months: fc.integer({ min: -30, max: 30 }),
  days: fc.integer({ min: -400, max: 400 }),
  milliseconds: fc.integer({ min: -90_000_000, max: 90_000_000 }),
});

test("date arithmetic agrees with Postgres in every time zone", async () => {
  const cases = fc.sample(fc.tuple(instants, durations, fc.constantFrom(...zones)), { seed: 1, numRuns: 4_000 });
  const { rows } = await postgres.query(
    `SELECT to_char(date_add(at, by, zone) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS later,
       to_char(date_subtract(at, by, zone) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS earlier,
       to_char((at AT TIME ZONE zone)::date, 'YYYY-MM-DD') AS day,
       to_char(((at AT TIME ZONE 'UTC')::date + by)::date, 'YYYY-MM-DD') AS date,
       extract(isodow FROM at AT TIME ZONE 'UTC')::int AS weekday
     FROM unnest($1::timestamptz[], $2::interval[], $3::text[]) WITH ORDINALITY AS t(at, by, zone, n) ORDER BY n`,
    [
      cases.map(([at]) => at),
      cases.map(([, by]) => `${by.months} mons ${by.days} days ${by.milliseconds / 1_000} secs`),
      cases.map(([, , zone]) => zone),
    ],
  );
  cases.forEach(([at, by, name], i) => {
    const zone = getZone(name);
    const date = at.slice(0, 10);
    expect(
      {
        later: addToInstant(at, by, 1, zone),
        earlier: addToInstant(at, by, -1, zone),
        day: dateAt(at, zone),
        date: addToDate(date, by, 1),
        weekday: isoWeekday(toDayNumber(date)),
      },
      `${at} ${JSON.stringify(by)} ${name}`,
    ).toEqual(rows[i]);
  });
});

/** Two days around each change of clocks in 2026, and days without changes. */
const daysOfChange = ["2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04", "2026-09-06", "2026-02-15", "2026-03-22"];
const wallTimes = fc
  .tuple(
    fc.constantFrom(...daysOfChange, "2026-07-01", "2011-12-30"),
    fc.integer({ min: -1, max: 1 }),
    fc.integer({ min: 0, max: 24 * 60 - 1 }),
  )
  .map(([day, by, minute]) => ({
    day: fromDayNumber(toDayNumber(day) + by) ?? day,
    time: `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`,
  }));

test("local times mean the same moment in Postgres, server and browser, also when clocks change", async () => {
  const cases = fc.sample(fc.tuple(wallTimes, fc.constantFrom(...zones)), { seed: 2, numRuns: 4_000 });
  const { rows } = await postgres.query(
    `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS moment,
       to_char(at AT TIME ZONE zone, 'YYYY-MM-DD') AS day, to_char(at AT TIME ZONE zone, 'HH24:MI') AS time
     FROM (SELECT (day + time) AT TIME ZONE zone AS at, zone, n
       FROM unnest($1::date[], $2::time[], $3::text[]) WITH ORDINALITY AS t(day, time, zone, n)) AS t ORDER BY n`,
    [cases.map(([{ day }]) => day), cases.map(([{ time }]) => time), cases.map(([, zone]) => zone)],
  );
  cases.forEach(([{ day, time }, zone], i) => {
    const expected = rows[i];
    const moment = String(expected?.moment);
    const context = `${day} ${time} ${zone}`;
    expect(localToInstant(day, time, getZone(zone)), context).toBe(moment);
    expect(momentInBrowser(day, time, zone), context).toBe(moment);
    expect({ moment, ...wallClockAt(moment, getZone(zone)) }, context).toEqual(expected);
    expect({ moment, ...toLocalTime(moment, zone) }, context).toEqual(expected);
  });
});

test("the browser counts days and months like the server, in the whole calendar", () => {
  const cases = fc.tuple(
    fc.integer({ min: toDayNumber("0001-01-01"), max: toDayNumber("9999-12-31") }),
    fc.integer({ min: -400, max: 400 }),
  );
  fc.assert(
    fc.property(cases, ([day, by]) => {
      const date = fromDayNumber(day) ?? "";
      const clamped = by < 0 ? "0001-01-01" : "9999-12-31";
      expect(addDays(date, by)).toBe(fromDayNumber(day + by) ?? clamped);
      expect(addMonths(date, by)).toBe(addToDate(date, { months: by, days: 0, milliseconds: 0 }, 1) ?? clamped);
    }),
  );
});

test("every day from year 1 to 9999 survives a round trip", () => {
  for (let day = toDayNumber("0001-01-01"), end = toDayNumber("9999-12-31"); day <= end; day += 97) {
    const date = fromDayNumber(day) ?? "";
    expect(toDayNumber(date)).toBe(day);
    expect(isDate(date)).toBe(true);
  }
  expect(fromDayNumber(toDayNumber("0001-01-01") - 1)).toBeNull();
  expect(fromDayNumber(toDayNumber("9999-12-31") + 1)).toBeNull();
});

test.each(["2026-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-1", "2026-01-32", "x"])(
  "%s is no date",
  (text) => expect(isDate(text)).toBe(false),
);

test.each([
  ["2026-03-29T01:30:00+02:00", "2026-03-28T23:30:00.000Z"],
  ["2026-03-29T01:30Z", "2026-03-29T01:30:00.000Z"],
  ["2026-03-29T01:30:00.5Z", "2026-03-29T01:30:00.500Z"],
  ["2026-02-30T01:30Z", undefined],
  ["2026-03-29T25:30Z", undefined],
  ["2026-03-29 01:30Z", undefined],
  ["2026-03-29T01:30", undefined],
])("%s as a datetime is %s", (text, expected) => expect(normalizeDatetime(text)).toBe(expected));
