import fc from "fast-check";

/*
 * All random tests use one seed, which changes daily and is printed at the start of a run:
 *
 *   SEED=20261122 npm test -- test/app/lists     repeats a run of that day
 */
/** The seed of this run, for other random generators. */
export const seed = Number(process.env.SEED ?? 1);
fc.configureGlobal({ seed });

/** The seed of the run in `npm run prove`, which tries many cases; otherwise `usual`, with which few cases suffice. */
export const seedOr = (usual: number): number => cases(usual, seed);

/** The number of random cases: `few` in an ordinary run, `many` in `npm run prove`. */
export const cases = (few: number, many: number): number => (process.env.MANY_CASES === undefined ? few : many);

export default fc;
