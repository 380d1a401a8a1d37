import { expect, test } from "vitest";
import { findChangedRanges } from "../../src/core/document/changed-range.ts";

test("a renaming gives an edit for each line, so that a cursor between them stays", () => {
  const before = "place: text\nname: text\nlabel: {place}\n";
  const after = before.replaceAll("place", "room");
  const ranges = findChangedRanges(before, after);
  expect(ranges).toHaveLength(2);
  const applied = ranges
    .toReversed()
    .reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), before);
  expect(applied).toBe(after);
});

test("other edits are one range", () => {
  expect(findChangedRanges("a\nb\n", "a\nc\nb\n")).toHaveLength(1);
  expect(findChangedRanges("a", "a")).toEqual([]);
});
