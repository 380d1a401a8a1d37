import { expect, test } from "vitest";
import { shortenChange } from "../../../src/web/format/text-change.ts";

const long = "The docking station loses the network about every twenty minutes. ".repeat(9).trim();

test("short texts are whole", () => {
  expect(shortenChange("Two", "Three")).toEqual({ before: "Two", after: "Three", isShortened: false });
});

test("of long texts, what differs is shown with the words around it", () => {
  expect(shortenChange(long, `${long} It began on Monday.`)).toEqual({
    before: "…the network about every twenty minutes.",
    after: "…the network about every twenty minutes. It began on Monday.",
    isShortened: true,
  });
  expect(shortenChange(`Once. ${long}`, `Twice. ${long}`)).toEqual({
    before: "Once. The docking station loses the networ…",
    after: "Twice. The docking station loses the networ…",
    isShortened: true,
  });
});

test("a long text that is new, or all different, is cut", () => {
  const { before, after, isShortened } = shortenChange("", long);
  expect([before, after.length, after.at(-1), isShortened]).toEqual(["", 321, "…", true]);
  expect(shortenChange("y".repeat(500), "x".repeat(200))).toEqual({
    before: `${"y".repeat(320)}…`,
    after: "x".repeat(200),
    isShortened: true,
  });
});
