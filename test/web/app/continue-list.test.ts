import { expect, test } from "vitest";
import { findNextItem } from "../../../src/web/workbench/editor/continue-list.ts";

test("an item of a list in prose is followed by the next one, and an item without words ends the list", () => {
  expect(findNextItem("- Keepers lend things")?.mark).toBe("- ");
  expect(findNextItem("  * deeper")?.mark).toBe("  * ");
  expect(findNextItem("9. Return it")).toEqual({ mark: "10. ", after: 3, isEmpty: false });
  expect(findNextItem("1) ")).toEqual({ mark: "2) ", after: 3, isEmpty: true });
  for (const line of ["Keepers lend things.", "", "-not an item", "3.5 metres"])
    expect(findNextItem(line)).toBeUndefined();
});
