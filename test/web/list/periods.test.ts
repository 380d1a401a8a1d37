import { expect, test } from "vitest";
import { listPeriods } from "../../../src/web/list/filter/list-periods.ts";

test("a time that never lies ahead is filtered by no coming period, nor by “past”, which would leave nothing out", () => {
  expect(listPeriods({ past: true })).toEqual([
    ...["yesterday", "today", "last_week", "this_week", "last_month", "this_month"],
    ...["last_quarter", "this_quarter", "last_year", "this_year"],
  ]);
  expect(listPeriods({})).toEqual(expect.arrayContaining(["tomorrow", "next_week", "past", "future"]));
});
