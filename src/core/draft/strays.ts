/** Minimum number of values that fit, and of those for each one that does not, in a column with strays. */
const FEWEST_FITTING = 10;
const FITTING_PER_STRAY = 10;

/** True if so many values fit that the few others look like errors. */
export const isNearlyAll = (fitting: number, strays: number): boolean =>
  fitting >= FEWEST_FITTING && fitting >= strays * FITTING_PER_STRAY;

/** More values in a sentence are hard to read. */
export const MOST_STRAYS = 3;
