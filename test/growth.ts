import { expect } from "vitest";
import { compareWork, readOrdinary, type Work } from "./work.ts";

/*
 * Claims about speed that hold on every machine, however busy. They compare two pieces of work, and never read a clock alone:
 *
 *   await expectLinear(10_000, (n) => "a: [".repeat(n), (text) => readDocument(text));
 *   await expectFast(() => parse("(".repeat(9_999)));
 */

/** The longer input is so many times as long: eight times the work if it is linear, 64 times if it is quadratic. */
const LONGER = 8;
const LINEAR = 20;

/** Fails if the work for an input of this size is not linear. */
export const expectLinear = async <T>(
  size: number,
  make: (size: number) => T,
  work: (input: T) => unknown,
): Promise<void> => {
  const [short, long] = [make(Math.ceil(size / LONGER)), make(size)];
  const times = await compareWork(
    () => work(long),
    () => work(short),
    LINEAR,
  );
  expect(times, `work for an input ${LONGER} times as long: ${make}`).toBeLessThanOrEqual(LINEAR);
};

/** Fails if the work is more than reading an ordinary specification so many times. */
export const expectFast = async (work: Work, most = 50): Promise<void> => {
  expect(
    await compareWork(work, readOrdinary, most),
    "work, compared with reading a specification",
  ).toBeLessThanOrEqual(most);
};
