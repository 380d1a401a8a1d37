import { describe, expect, test } from "vitest";
import type { GroupFieldJson, ListSearch } from "../../../src/core/derive/http/list-query.ts";
import type { FieldJson } from "../../../src/core/wire/entities.ts";
import type { GroupedJson } from "../../../src/core/wire/groups.ts";
import { unfilteredSearch } from "../../../src/web/list/filter/list-search.ts";
import { narrowToGroup, orderGroups } from "../../../src/web/list/groups/group-search.ts";

/* "The most expensive purchases of last month by category": groups by their sums, within a period. */

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

describe("a group within a period", () => {
  const day = { name: "day", label: "Day", type: "date", filters: "range", step: "month" } as GroupFieldJson;
  const search: ListSearch = { ...unfilteredSearch, grouped: ["day"], filters: { "day@": ["last_30_days"] } };

  test("keeps the period, which is relative to today", () => {
    expect(narrowToGroup(search, day, "2026-11-01").filters).toEqual({
      "day>": ["2026-11-01"],
      "day<": ["2026-11-30"],
      "day@": ["last_30_days"],
    });
  });

  test("has no more than its own days without one", () => {
    expect(narrowToGroup({ ...search, filters: {} }, day, "2026-11-01").filters).toEqual({
      "day>": ["2026-11-01"],
      "day<": ["2026-11-30"],
    });
  });
});
