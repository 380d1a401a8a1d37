import { expect, test } from "vitest";
import { calledInFull } from "../../src/web/client/names.ts";

test.each([
  ["Jonas Weber", "Jonas Weber", undefined],
  ["Jonas Weber", "Jonas Weber, 16–22 Nov", "Jonas Weber, 16–22 Nov"],
  ["LAD-7", "Folding ladder", "LAD-7, Folding ladder"],
  ["Folding ladder, 3 m", "Folding ladder", undefined],
  ["Folding ladder", "", undefined],
  [null, "Folding ladder", undefined],
])("a link that says %j of the record %j is called %j", (words, label, called) => {
  expect(calledInFull(words, label)).toBe(called);
});
