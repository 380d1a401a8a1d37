import { readFileSync } from "node:fs";
import { compile } from "../src/core/compile.ts";

/* How much work something is, on a machine that does other work too. */

export type Work = () => unknown;

/** CPU time of this process in milliseconds. A busy machine adds to it, because processes share caches and cores. */
const measureWork = (work: Work): number | Promise<number> => {
  const before = process.cpuUsage();
  const spent = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const result = work();
  return result instanceof Promise ? result.then(spent) : spent();
};

/** The least time in milliseconds with which others are compared. Below it, measurements are noise. */
const LEAST = 0.5;
const ROUNDS = 10;

/**
 * How many times as much work the first is as the second. Other work on the machine only adds to a measurement, so the
 * smallest measurement of each counts, and a result above `most` is measured again.
 */
export const compareWork = async (work: Work, other: Work, most: number): Promise<number> => {
  let [mine, others] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let times = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && times > most; round++) {
    // The first runs are slow because nothing is compiled yet.
    for (let run = 0; run < 3; run++) others = Math.min(others, await measureWork(other));
    mine = Math.min(mine, await measureWork(work));
    times = mine / Math.max(LEAST, others);
  }
  return times;
};

const ordinary = readFileSync(new URL("../examples/lending.md", import.meta.url), "utf8");

/** Reads a specification of ordinary size, with which other work is compared. */
export const readOrdinary: Work = () => compile({ file: "lending.md", text: ordinary });
