import { describe, expect, test } from "vitest";
import { addDays, addMonths, getWeeks, weekStart } from "../../../src/web/format/dates.ts";
import {
  isLocalNotation,
  readDecimal,
  readInteger,
  suggestDecimal,
  typedNumber,
} from "../../../src/web/format/numbers.ts";
import { localInstant, readTime, toLocalTime } from "../../../src/web/format/time-zone.ts";
import { readDate } from "../../../src/web/format/typed-dates.ts";

const here = (locale: string) => ({
  locale,
  timezone: "Europe/Berlin",
  booleans: { yes: "Yes", no: "No" },
  today: "2026-11-20",
});

describe("a typed date", () => {
  test.each([
    ["en-GB", "3.12.26", "2026-12-03"],
    ["en-GB", "3/12/2026", "2026-12-03"],
    ["en-GB", "03-12-2026", "2026-12-03"],
    ["en-GB", "3 dec", "2026-12-03"],
    ["en-GB", "3 December 27", "2027-12-03"],
    ["en-GB", "Thu 3 Dec 2026", "2026-12-03"],
    ["en-GB", "Thu, 3 Dec 2026", "2026-12-03"],
    ["en-GB", "Dec 3, 2026", "2026-12-03"],
    ["en-GB", "3.12", "2026-12-03"],
    ["en-GB", "031226", "2026-12-03"],
    ["en-GB", "03122026", "2026-12-03"],
    ["en-GB", "2026-12-03", "2026-12-03"],
    ["en-GB", "today", "2026-11-20"],
    ["en-GB", "Tomorrow", "2026-11-21"],
    ["en-GB", "+7", "2026-11-27"],
    ["en-GB", "+2w", "2026-12-04"],
    ["de-DE", "+2 W", "2026-12-04"],
    ["fr-FR", "+2s", "2026-12-04"],
    ["en-GB", "-1", "2026-11-19"],
    ["en-GB", "in 2 weeks", "2026-12-04"],
    ["en-GB", "In 1 month", "2026-12-20"],
    ["en-GB", "3 days ago", "2026-11-17"],
    ["en-GB", "2 weeks", "2026-12-04"],
    ["en-GB", "2w", "2026-12-04"],
    ["de-DE", "in 2 Wochen", "2026-12-04"],
    ["de-DE", "in 10 Tagen", "2026-11-30"],
    ["de-DE", "2 Wochen", "2026-12-04"],
    ["fr-FR", "dans 2 semaines", "2026-12-04"],
    ["fr-FR", "10 jours", "2026-11-30"],
    ["en-GB", "sat", "2026-11-21"],
    ["en-GB", "Thursday", "2026-11-26"],
    // The twentieth is a Friday itself; for that day one enters today.
    ["en-GB", "fri", "2026-11-27"],
    ["de-DE", "Mo", "2026-11-23"],
    // Of the next week, not the coming one of this week.
    ["en-GB", "next monday", "2026-11-23"],
    ["en-GB", "Next Sun", "2026-11-29"],
    ["de-DE", "nächsten Mittwoch", "2026-11-25"],
    ["de-DE", "nächste Mi.", "2026-11-25"],
    ["fr-FR", "lundi prochain", "2026-11-23"],
    ["fr-FR", "mar.", "2026-11-24"],
    ["en-US", "12/3/2026", "2026-12-03"],
    ["en-US", "Dec 3", "2026-12-03"],
    ["de-DE", "3. Dez. 2026", "2026-12-03"],
    ["de-DE", "3. März", "2026-03-03"],
    ["de-DE", "heute", "2026-11-20"],
    ["fr-FR", "3 décembre 2026", "2026-12-03"],
    ["sv-SE", "2026-12-03", "2026-12-03"],
    ["ja-JP", "2026年12月3日", "2026-12-03"],
  ])("%s: %s is %s", (locale, typed, day) => {
    expect(readDate(typed, here(locale))).toBe(day);
  });

  test.each([
    "",
    "soon",
    "+2x",
    "s",
    "t",
    "th u",
    "30 Feb",
    "32.1.2026",
    "3 ju",
    "1.2.3.4",
    "13/13/2026",
    "3 Dec Nov",
    "2 hours",
    "0 days",
    "in 2 hours",
    "next",
    "next week",
    "monday monday",
  ])("%s is invalid", (typed) => {
    expect(readDate(typed, here("en-GB"))).toBeNull();
  });

  test("a displayed date is read back, in every language", () => {
    for (const locale of [
      "en-GB",
      "en-US",
      "de-DE",
      "fr-FR",
      "es-ES",
      "it-IT",
      "nl-NL",
      "pl-PL",
      "sv-SE",
      "pt-BR",
      "ar-EG",
    ]) {
      const shown = new Intl.DateTimeFormat(new Intl.Locale(locale, { numberingSystem: "latn", calendar: "gregory" }), {
        day: "numeric",
        month: "short",
        year: "numeric",
        timeZone: "UTC",
      });
      for (let month = 1; month <= 12; month++) {
        const day = `2026-${String(month).padStart(2, "0")}-07`;
        expect([locale, readDate(shown.format(new Date(`${day}T00:00:00Z`)), here(locale))]).toEqual([locale, day]);
      }
    }
  });
});

describe("a month of a calendar", () => {
  test("stays on its last day when the month changes", () => {
    expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
    expect(addMonths("2026-12-15", 1)).toBe("2027-01-15");
  });

  test("has its weeks at the ends of the calendar", () => {
    expect(getWeeks("9999-12-20", 1)).toHaveLength(5);
    expect(getWeeks("0001-01-20", 1)[0]?.[0]).toBe("0001-01-01");
    expect(addDays("9999-12-31", 1)).toBe("9999-12-31");
  });

  test("has whole weeks from the locale’s first day", () => {
    expect(weekStart("en-GB")).toBe(1);
    expect(weekStart("en-US")).toBe(7);
    const november = getWeeks("2026-11-20", 1);
    expect(november[0]?.[0]).toBe("2026-10-26");
    expect(november.at(-1)?.[6]).toBe("2026-12-06");
    expect(november).toHaveLength(6);
    expect(getWeeks("2026-02-10", 7)).toHaveLength(4);
  });
});

describe("a time in a time zone", () => {
  test.each([
    ["14:02", "14:02"],
    ["9.30", "09:30"],
    ["1402", "14:02"],
    ["9", "09:00"],
    ["2 pm", "14:00"],
    ["12am", "00:00"],
  ])("%s is %s", (typed, time) => {
    expect(readTime(typed)).toBe(time);
  });

  test.each(["", "25:00", "9:75", "noon"])("%s is invalid", (typed) => {
    expect(readTime(typed)).toBeNull();
  });

  test("differs by an hour between summer and winter", () => {
    expect(localInstant("2026-07-01", "12:00", "Europe/Berlin")).toBe("2026-07-01T10:00:00.000Z");
    expect(localInstant("2026-12-01", "12:00", "Europe/Berlin")).toBe("2026-12-01T11:00:00.000Z");
    expect(toLocalTime("2026-12-01T11:00:00.000Z", "Europe/Berlin")).toEqual({ day: "2026-12-01", time: "12:00" });
  });

  test("in the skipped hour is the moment after it", () => {
    expect(localInstant("2026-03-29", "02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  });

  test("around the repeated hour is not shifted", () => {
    expect(localInstant("2026-10-25", "01:30", "Europe/Berlin")).toBe("2026-10-24T23:30:00.000Z");
    // This time occurs twice and means the later one, as in rules.
    expect(localInstant("2026-10-25", "02:30", "Europe/Berlin")).toBe("2026-10-25T01:30:00.000Z");
    expect(localInstant("2026-10-25", "03:30", "Europe/Berlin")).toBe("2026-10-25T02:30:00.000Z");
    expect(localInstant("2026-04-05", "01:15", "Australia/Lord_Howe")).toBe("2026-04-04T14:15:00.000Z");
  });

  test("survives a round trip, in half-hour zones too", () => {
    for (const zone of ["Asia/Kolkata", "America/New_York", "Pacific/Chatham", "UTC"])
      expect(toLocalTime(localInstant("2026-06-15", "23:45", zone) ?? "", zone)).toEqual({
        day: "2026-06-15",
        time: "23:45",
      });
  });
});

describe("a typed number", () => {
  test.each([
    ["en-GB", "1,250.5", "1250.5"],
    ["en-GB", "1250.50", "1250.50"],
    ["en-GB", "-3", "-3"],
    ["en-GB", ".5", "0.5"],
    ["en-GB", "007", "7"],
    ["de-DE", "1.250,5", "1250.5"],
    ["de-DE", "12,5", "12.5"],
    ["fr-FR", "1 250,5", "1250.5"],
    ["de-CH", "1’250.5", "1250.5"],
  ])("%s: %s is %s", (locale, typed, wire) => {
    expect(readDecimal(typed, locale)).toBe(wire);
  });

  test.each(["", "abc", "1.2.3", "--1", ".", "12,34,50", "1,25.5", "1.25,5.5", "74,50 EUR"])(
    "%s is invalid",
    (typed) => {
      expect(readDecimal(typed, "en-GB")).toBeNull();
    },
  );

  test.each([
    ["en-GB", "74,50", "74.50"],
    ["en-GB", "0,125", "0.125"],
    ["en-GB", "1.250,50", "1250.50"],
    ["de-DE", "74.50", "74.50"],
    ["de-DE", "1,250.50", "1250.50"],
    ["de-DE", "1,250,000", "1250000"],
    ["fr-FR", "74.50", "74.50"],
  ])("in another notation is read if it has one meaning: %s: %s is %s", (locale, typed, wire) => {
    expect(readDecimal(typed, locale)).toBe(wire);
    expect(isLocalNotation(typed, locale)).toBe(false);
  });

  test.each([
    ["en-GB", "1,250", "1250"],
    ["de-DE", "1.250", "1250"],
    ["en-GB", "1.250", "1.250"],
  ])("has the meaning of the locale if it could have two: %s: %s is %s", (locale, typed, wire) => {
    expect(readDecimal(typed, locale)).toBe(wire);
    expect(isLocalNotation(typed, locale)).toBe(true);
  });

  test.each([
    ["en-GB", "74,50 EUR", "74.50"],
    ["de-DE", "ca. 74.50", "74,50"],
    ["en-GB", "€ 1,250.", "1250"],
    ["en-GB", "10 to 20", null],
    ["en-GB", "12,34,50", null],
    ["en-GB", "many", null],
  ])("is suggested where the input contains one: %s: %s has %s", (locale, typed, suggested) => {
    expect(suggestDecimal(typed, locale)).toBe(suggested);
  });

  test("that is an integer has no fraction, and keeps every digit", () => {
    expect(readInteger("12.5", "en-GB")).toBeNull();
    expect(readInteger("12,5", "en-GB")).toBeNull();
    expect(readInteger("12.00", "en-GB")).toBe("12");
    expect(readInteger("9007199254740993", "en-GB")).toBe("9007199254740993");
    expect(typedNumber("12.5", "de-DE")).toBe("12,5");
  });
});
