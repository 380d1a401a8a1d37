import { expect, test } from "vitest";
import { keepParts } from "../../../src/web/field/comment-parts.ts";

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `record ${from + at}`);

test("a row that comes or goes lets the comments of one part be counted again, not of all", () => {
  const parts = keepParts([], ids(0, 120));
  expect(parts.map(({ length }) => length)).toEqual([50, 50, 20]);
  const without = keepParts(parts, ids(1, 120));
  expect(without.slice(1)).toEqual(parts.slice(1));
  const more = keepParts(without, ["new", ...ids(1, 120), ...ids(200, 240)]);
  expect(more.map(({ length }) => length)).toEqual([50, 50, 50, 10]);
  expect(more[1]).toEqual(parts[1]);
  expect(keepParts(more, ids(300, 302))).toEqual([ids(300, 302)]);
  expect(keepParts(more, [])).toEqual([]);
});
