import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { slowFiles } from "./slow-files.ts";
import { DAYS, leftOn, thirdOn } from "./turns.ts";

const { testFiles } = (await import(new URL("../scripts/kinds.mjs", import.meta.url).href)) as {
  testFiles(): Readonly<Record<string, readonly string[]>>;
};
const kinds = testFiles();
const all = Object.values(kinds).flat();
const slow = slowFiles.flatMap(Object.entries<number>);

const days = [...Array(DAYS).keys()];
const filesOn = days.map((day) => {
  const left = new Set(leftOn(day));
  return new Set(all.filter((path) => !left.has(path)));
});

/** A folder of tests, and each one about the application. */
const areaOf = (path: string): string => /^test\/(?:app\/)?[^/]+/u.exec(path)?.[0] ?? path;
const areasIn = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map(areaOf));

test("within three days every file runs: a slow one on one of them, the others on each", () => {
  expect(slow.filter(([path]) => !all.includes(path))).toEqual([]);
  const runs = (path: string) => filesOn.filter((its) => its.has(path)).length;
  const isSlow = new Set(slow.map(([path]) => path));
  expect(all.filter((path) => runs(path) !== (isSlow.has(path) ? 1 : DAYS))).toEqual([]);
});

test("each day has tests of every kind and every part of the product", () => {
  expect(areasIn(all).size).toBeGreaterThan(25);
  for (const its of filesOn) {
    expect(areasIn([...its])).toEqual(areasIn(all));
    for (const [kind, paths] of Object.entries(kinds))
      expect(
        paths.filter((path) => its.has(path)),
        kind,
      ).not.toEqual([]);
  }
});

test("only files that take long have turns, and the days take equally long", () => {
  expect(slow.filter(([, seconds]) => seconds < 6)).toEqual([]);
  const sums = slowFiles.map((group) => Object.values(group).reduce((sum, seconds) => sum + seconds, 0));
  expect(Math.max(...sums) / Math.min(...sums)).toBeLessThan(1.1);
});

test("cases have their turn within any three days, and none in a slow file, which would test the same ones each time", () => {
  const cases = ["a", "b", "c", "d", "e"];
  for (const first of [0, 1, 2, 20786])
    expect(days.flatMap((day) => thirdOn(first + day, cases)).sort(), `from day ${first}`).toEqual(cases);
  expect(slow.filter(([path]) => /\bthirdOfDay\b/u.test(readFileSync(path, "utf8")))).toEqual([]);
});

test("what a whole run searches for secrets is recorded each day", () => {
  const isSlow = new Set(slow.map(([path]) => path));
  const records = (path: string) => /\brecordBackup\(/u.test(readFileSync(path, "utf8"));
  expect(all.filter((path) => !isSlow.has(path) && records(path))).not.toEqual([]);
});
