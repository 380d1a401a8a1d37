import { expect, test } from "vitest";
import { type CalendarEntry, isTimed, layOutSlots, moveSpan } from "../../../src/web/calendar/entry-layout.ts";
import { getWeek } from "../../../src/web/format/dates.ts";
import { record } from "../lending.ts";

const entry = (id: string, time: string | null, until: string | null, to = "2026-11-16"): CalendarEntry => ({
  record: record({ id }),
  from: "2026-11-16",
  to,
  time,
  until,
});
const laid = (entries: readonly CalendarEntry[]) =>
  layOutSlots(entries, "2026-11-16").map(({ entry, from, to, column, columns }) => [
    entry.record.id,
    from,
    to,
    `${column + 1} of ${columns}`,
  ]);

test("overlapping entries share a day’s width, and others have all of it", () => {
  const entries = [
    entry("a", "09:00", "10:30"),
    entry("b", "09:30", "12:00"),
    entry("c", "10:30", "11:00"),
    entry("d", "14:00", "15:00"),
  ];
  expect(laid(entries)).toEqual([
    ["a", 540, 630, "1 of 2"],
    ["b", 570, 720, "2 of 2"],
    ["c", 630, 660, "1 of 2"],
    ["d", 840, 900, "1 of 1"],
  ]);
});

test("an entry is at least half an hour high, and ends with its day", () => {
  expect(laid([entry("a", "09:00", null)])).toEqual([["a", 540, 570, "1 of 1"]]);
  expect(laid([entry("a", "09:00", "09:05")])).toEqual([["a", 540, 570, "1 of 1"]]);
  expect(laid([entry("a", "23:50", "23:55")])).toEqual([["a", 1430, 1440, "1 of 1"]]);
});

test("an entry without times, or of several days, is above the hours", () => {
  expect(isTimed(entry("a", null, null))).toBe(false);
  expect(isTimed(entry("a", "09:00", "10:00", "2026-11-17"))).toBe(false);
  expect(laid([entry("a", "09:00", "10:00", "2026-11-17")])).toEqual([]);
});

test("a week starts on the locale’s first day", () => {
  expect(getWeek("2026-11-18", 1)).toEqual([16, 17, 18, 19, 20, 21, 22].map((day) => `2026-11-${day}`));
  expect(getWeek("2026-11-18", 7)[0]).toBe("2026-11-15");
  expect(getWeek("2026-11-16", 1)[0]).toBe("2026-11-16");
});

test("a span is moved by days, and by minutes as far as the hours of its day reach", () => {
  const { record: _, ...hour } = entry("a", "09:00", "10:30");
  expect(moveSpan(hour, 2, 15)).toEqual({ from: "2026-11-18", to: "2026-11-18", time: "09:15", until: "10:45" });
  expect(moveSpan(hour, 0, -9999)).toEqual({ ...hour, time: "00:00", until: "01:30" });
  expect(moveSpan(hour, 0, 9999, { from: 7, to: 19 })).toEqual({ ...hour, time: "17:30", until: "19:00" });
  expect(moveSpan(hour, 0, 9999)).toEqual({ ...hour, time: "22:29", until: "23:59" });
  const { record: __, ...open } = entry("b", "23:00", null);
  expect(moveSpan(open, -1, 30)).toEqual({ from: "2026-11-15", to: "2026-11-15", time: "23:30", until: null });
  const { record: ___, ...whole } = entry("c", null, null, "2026-11-18");
  expect(moveSpan(whole, 30, 15)).toEqual({ from: "2026-12-16", to: "2026-12-18", time: null, until: null });
});
