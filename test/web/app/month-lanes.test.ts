import { expect, test } from "vitest";
import { type CalendarEntry, layOutSegments } from "../../../src/web/calendar/entry-layout.ts";

const week = ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"];

const entry = (from: number, to: number): CalendarEntry => ({
  record: { id: `${from}-${to}`, version: 1, created_at: "", updated_at: "" },
  from: week[from] ?? "",
  to: week[to] ?? "",
  time: null,
  until: null,
});

test("an entry that comes last in order still takes the first line that is free on its days", () => {
  const lanes = layOutSegments([entry(0, 0), entry(3, 5), entry(4, 4), entry(1, 1), entry(0, 6)], week);
  expect(lanes.map(({ lane }) => lane)).toEqual([0, 0, 1, 0, 2]);
});
