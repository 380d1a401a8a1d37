import { slowFiles } from "./slow-files.ts";

/*
 * A whole run ends in time because what is slow takes turns. Within three days every file and every case runs (test/README.md):
 *
 *   slow-files.ts                                files: each runs on one of the three days
 *   for (const step of thirdOfDay(steps))        cases of a file that runs every day: a third of them today
 *   test.each(alternately([1440, 390]))(…)       two variants that hardly differ: one when the file runs, then the other
 *
 * `ALL_TESTS=1 npm test`, `npm test -- FILE` and `npm run prove` test all.
 */

/** The date as a number, from which random tests and turns follow; `SEED=20261122 npm test` repeats a day. */
process.env.SEED ??= new Date().toISOString().slice(0, 10).replaceAll("-", "");

const { SEED, NINEFOLD_WHOLE_RUN, ALL_TESTS, MANY_CASES } = process.env;

/** True in a whole run that may leave something to another day. */
export const takesTurns = NINEFOLD_WHOLE_RUN === "1" && ALL_TESTS === undefined && MANY_CASES === undefined;

/** The day by number. The date as a number jumps at the end of a month, and turns would be skipped. */
export const day = Math.abs(Date.UTC(+SEED.slice(0, 4), +SEED.slice(4, 6) - 1, +SEED.slice(6, 8)) / 86_400_000) || 0;

/** So many days test everything. */
export const DAYS = 3;

/** Counts these days. What a file does once in them follows it, if it does something else each time. */
export const round = Math.floor(day / DAYS);

/** The slow files that a whole run leaves to other days. */
export const leftOn = (day: number): readonly string[] =>
  slowFiles.flatMap((group, i) => (i === day % DAYS ? [] : Object.keys(group)));

export const thirdOn = <T>(day: number, cases: readonly T[]): readonly T[] =>
  cases.filter((_, i) => (i + day) % DAYS === 0);

/** Today's third of what is combined or generated. Not in a slow file, which would test the same third whenever it runs. */
export const thirdOfDay = <T>(cases: readonly T[]): readonly T[] => (takesTurns ? thirdOn(day, cases) : cases);

/** One of two variants that hardly differ in what can fail, such as widths of a page. A slow file alternates too: its days are three apart. */
export const alternately = <T>(variants: readonly [T, T]): readonly T[] =>
  takesTurns ? variants.filter((_, i) => i === day % 2) : variants;
