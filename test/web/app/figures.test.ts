import { describe, expect, test } from "vitest";
import { changeBetween, keepsTarget, targetWords } from "../../../src/web/dashboard/figures.ts";
import { layTiles } from "../../../src/web/dashboard/tile-layout.ts";

describe("a figure beside another one", () => {
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

test("figures stand beside counts", () =>
  expect(layTiles([{ kind: "count" }, { kind: "figure" }, { kind: "chart" }])).toEqual([
    { span: 4, tiles: [0, 1] },
    { span: 8, tiles: [2] },
  ]));
