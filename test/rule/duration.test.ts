import { expect, test } from "vitest";
import { durationLength, parseDuration } from "../../src/core/expression/values/duration.ts";

test.each([
  ["14 days", { months: 0, days: 14, milliseconds: 0 }],
  ["1 day", { months: 0, days: 1, milliseconds: 0 }],
  ["336 hours", { months: 0, days: 0, milliseconds: 1_209_600_000 }],
  ["2 weeks", { months: 0, days: 14, milliseconds: 0 }],
  ["1 year 6 months", { months: 18, days: 0, milliseconds: 0 }],
  ["1 hour 30 minutes", { months: 0, days: 0, milliseconds: 5_400_000 }],
  ["90 seconds", { months: 0, days: 0, milliseconds: 90_000 }],
  [" 3  months ", { months: 3, days: 0, milliseconds: 0 }],
])("%s", (text, expected) => expect(parseDuration(text)).toEqual(expected));

test.each([
  "",
  "14",
  "days",
  "1.5 days",
  "-1 day",
  "14 day s",
  "14 fortnights",
  "251 years",
  "14 days ago",
  "99999999999999999 hours",
])("%s is no duration", (text) => expect(parseDuration(text)).toBeUndefined());

test("in comparisons, a month counts as 30 days and a day as 24 hours", () => {
  const length = (text: string) => durationLength(parseDuration(text) ?? { months: 0, days: 0, milliseconds: 0 });
  expect(length("1 month")).toBe(length("30 days"));
  expect(length("1 day")).toBe(length("24 hours"));
});
