/*
 * A whole run ends in time because its slowest tests take turns (test/README.md):
 *
 *   test.each(oneOfDay([1440, 390]))(…)      one width today, the other tomorrow
 *   for (const step of thirdOfDay(steps))    each of these within three days
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

/** Every `days`th of some cases, others each day. */
export const ofDay = <T>(cases: readonly T[], days: number): readonly T[] =>
  takesTurns ? cases.filter((_, i) => (i + day) % days === 0) : cases;

/** One of several variants that hardly differ in what can fail, such as widths of a page. */
export const oneOfDay = <T>(variants: readonly T[]): readonly T[] => ofDay(variants, variants.length);

/** A third of what is combined or generated: all within three days. */
export const thirdOfDay = <T>(cases: readonly T[]): readonly T[] => ofDay(cases, 3);
