import fc from "fast-check";

/*
 * What is drawn by lot is drawn from one seed: a suite that holds today holds tomorrow, and what it finds it finds again.
 *
 *   SEED=7 npm test -- test/app/ways      draws others
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

export default fc;
