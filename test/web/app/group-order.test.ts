import { describe, expect, test } from "vitest";
import type { FieldJson } from "../../../src/core/wire/entities.ts";
import type { GroupedJson } from "../../../src/core/wire/groups.ts";
import { getPeriodDays } from "../../../src/web/list/filter/range-filter.ts";
import { orderGroups } from "../../../src/web/list/groups/group-search.ts";

/* "The most expensive purchases of last month by category": groups by their sums, and the period as one press. */

const net = { name: "net", label: "Net", type: "money" } as FieldJson;
const group = (key: string, sum: string, groups?: readonly GroupedJson[]): GroupedJson => ({
  key,
  count: 1,
  sums: { net: sum },
  ...(groups === undefined ? {} : { groups }),
});
const keysOf = (groups: readonly GroupedJson[]) => groups.map(({ key }) => key);

describe("groups", () => {
  const groups = [group("a", "9", [group("x", "4"), group("y", "5")]), group("b", "10.5"), group("c", "100")];

  test("have the order of their sums if the list is sorted by that number, also within groups", () => {
    expect(keysOf(orderGroups(groups, ["-net"], [net]))).toEqual(["c", "b", "a"]);
    expect(keysOf(orderGroups(groups, ["net", "name"], [net]))).toEqual(["a", "b", "c"]);
    expect(keysOf(orderGroups(groups, ["-net"], [net]).at(-1)?.groups ?? [])).toEqual(["y", "x"]);
  });

  test("keep their own order otherwise", () => {
    expect(orderGroups(groups, ["-needed_by"], [net])).toBe(groups);
    expect(orderGroups(groups, [], [net])).toBe(groups);
  });
});

test.each([
  ["yesterday", "2026-03-01", "2026-02-28", "2026-02-28"],
  ["last month", "2026-03-31", "2026-02-01", "2026-02-28"],
  ["last month", "2026-01-01", "2025-12-01", "2025-12-31"],
  ["last week", "2026-03-01", "2026-02-16", "2026-02-22"],
] as const)("%s on %s", (period, today, from, to) => {
  expect(getPeriodDays(period, { locale: "de", timezone: "Europe/Berlin", today })).toEqual({ from, to });
});
