import { describe, expect, test } from "vitest";
import { changeBetween, keepsTarget, targetWords } from "../../../src/web/dashboard/figures.ts";
import { chooseTicks, layTiles } from "../../../src/web/dashboard/tile-layout.ts";

describe("a figure compared with another one", () => {
  test.each([
    ["sum", "200", "250", 0.25],
    ["sum", "-200", "-100", 0.5],
    ["share", "80", "75.5", -4.5],
    ["sum", "0", "5", null],
    ["avg", null, "5", null],
    ["avg", "5", null, null],
  ] as const)("%s: from %s to %s", (how, before, now, change) => expect(changeBetween(how, before, now)).toBe(change));
});

describe("a target", () => {
  test.each([
    ["at least", "90", true, "target.least.kept"],
    ["at least", "89.9", false, "target.least.missed"],
    ["at most", "90", true, "target.most.kept"],
    ["at most", "90.1", false, "target.most.missed"],
    ["at most", null, null, "target.most"],
  ] as const)("%s 90: %s", (bound, value, kept, words) => {
    const target = { bound, value: "90" };
    expect(keepsTarget(value, target)).toBe(kept);
    expect(targetWords(target, kept)).toBe(words);
  });
});

test.each([
  [[7], [0, 5, 10]],
  [[1], [0, 1]],
  [
    [4, 2],
    [0, 2, 4],
  ],
  [
    [0, 0],
    [0, 1],
  ],
  [
    [0.5, 0.7],
    [0, 0.25, 0.5, 0.75],
  ],
  [
    [-3, 6],
    [-5, 0, 5, 10],
  ],
])("the axis of a chart of %j has the marks %j: half a ticket does not exist", (values, marks) =>
  expect(chooseTicks(values)).toEqual(marks),
);

describe("tiles", () => {
  const count = { kind: "count" } as const;
  const list = (rows: number) =>
    ({ kind: "list", data: { kind: "list", items: Array.from({ length: rows }), count: rows } }) as never;

  test("go below the shorter of two columns, and figures that follow each other share a line", () =>
    expect(layTiles([list(6), count, { kind: "figure" }, list(1), list(2)], 2)).toEqual([
      { width: "half", lines: [[0]] },
      { width: "half", lines: [[1, 2], [3], [4]] },
    ]));

  test("that are lists without records come last", () =>
    expect(layTiles([list(0), count, list(2)], 1)).toEqual([{ width: "full", lines: [[1], [2], [0]] }]));

  test("have a row for three or more figures, and the whole width if they are alone", () =>
    expect(layTiles([{ kind: "chart" }, count, count, count, count, count, list(1)], 2)).toEqual([
      { width: "full", lines: [[0]] },
      {
        width: "full",
        lines: [
          [1, 2, 3],
          [4, 5],
        ],
      },
      { width: "full", lines: [[6]] },
    ]));

  test("follow each other in one column", () =>
    expect(layTiles([list(6), count, count, list(1)], 1)).toEqual([{ width: "full", lines: [[0], [1, 2], [3]] }]));
});
