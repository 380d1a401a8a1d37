import { expect, test } from "vitest";
import { calledInFull, fieldId, fieldInFragment } from "../../../src/web/format/names.ts";

test.each([
  ["Jonas Weber", "Jonas Weber", undefined],
  ["Jonas Weber", "Jonas Weber, 16–22 Nov", "Jonas Weber, 16–22 Nov"],
  ["LAD-7", "Folding ladder", "LAD-7, Folding ladder"],
  ["Folding ladder, 3 m", "Folding ladder", undefined],
  ["Folding ladder", "", undefined],
  [null, "Folding ladder", undefined],
])("a link “%j” to the record %j has the accessible name %j", (words, label, called) => {
  expect(calledInFull(words, label)).toBe(called);
});

test("the address of a form can lead to one of its fields", () => {
  expect(fieldInFragment(`#${fieldId("last_day")}`)).toBe("last_day");
  expect(fieldInFragment("")).toBeNull();
  expect(fieldInFragment("#demo=x")).toBeNull();
});
