import fc from "fast-check";

/*
 * Everything random in the tests comes from one seed, which changes each day and is printed at the start of a run:
 *
 *   SEED=20261122 npm test -- test/app/ways      repeats what a run of that day tried
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

export default fc;
