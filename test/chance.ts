import fc from "fast-check";

/*
 * Everything random in the tests comes from one seed, which changes each day and is printed at the start of a run:
 *
 *   SEED=20261122 npm test -- test/app/lists     repeats what a run of that day tried
 */
/** The seed of this run, for random numbers of one's own. */
export const seed = Number(process.env.SEED ?? 1);
fc.configureGlobal({ seed });

/** The seed of the run in `npm run prove`, where many cases are tried; otherwise `usual`, with which the few are known to do. */
export const seedOr = (usual: number): number => cases(usual, seed);

/** How many random cases to try: `few` in an ordinary run, and `many` in `npm run prove`. */
export const cases = (few: number, many: number): number => (process.env.MANY_CASES === undefined ? few : many);

export default fc;
