import { describe, expect, it } from "vitest";
import { findInText, nextMatch } from "../../../src/web/workbench/document/find-in-text.ts";

const found = (text: string, words: string, isWhole = false, isExact = false) =>
  findInText(text, { words, isWhole, isExact }).map(({ from, to }) => [from, text.slice(from, to)]);

describe("a search in a text", () => {
  it("finds words in upper and lower case, and signs as they are", () => {
    expect(found("Place, replace, PLACE", "place")).toEqual([
      [0, "Place"],
      [9, "place"],
      [16, "PLACE"],
    ]);
    expect(found("a (b) a.b", "(b)")).toEqual([[2, "(b)"]]);
    expect(found("a.b axb", "a.b")).toEqual([[0, "a.b"]]);
    for (let code = 33; code < 127; code++) {
      const sign = String.fromCharCode(code);
      expect(found(`  - a${sign}b`, `- A${sign}b`), sign).toEqual([[2, `- a${sign}b`]]);
    }
    expect(found("aaaa", "aa")).toHaveLength(2);
    expect(found("text", "")).toEqual([]);
  });

  it("finds whole words only, in any script", () => {
    expect(found("place, replace, place_of, place", "place", true).map(([at]) => at)).toEqual([0, 26]);
    expect(found("Räume Räumen", "Räume", true)).toEqual([[0, "Räume"]]);
    expect(found("[a] (a)", "(a)", true)).toEqual([[4, "(a)"]]);
  });

  it("tells upper and lower case apart on request", () => {
    expect(found("Waiting for waiting", "waiting", true, true)).toEqual([[12, "waiting"]]);
  });

  it("continues at the other end of the text", () => {
    const matches = findInText("one two one two one", { words: "one", isWhole: false, isExact: false });
    const step = (from: number, to: number, direction: 1 | -1) => nextMatch(matches, { from, to }, direction);
    expect([step(0, 0, 1), step(0, 3, 1), step(16, 19, 1)]).toEqual([0, 1, 0]);
    expect([step(16, 19, -1), step(0, 3, -1), step(5, 5, -1)]).toEqual([1, 2, 0]);
    expect([nextMatch([], { from: 0, to: 0 }, 1), nextMatch([], { from: 0, to: 0 }, -1)]).toEqual([-1, -1]);
  });
});
