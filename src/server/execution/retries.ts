import { setTimeout as sleep } from "node:timers/promises";
import { StoreRefusal } from "../../postgres/database.ts";
import type { EarlyLocks } from "../plan/transaction/early-locks.ts";

/** How work is run again: after how many milliseconds, and true in `counts` if the attempt that failed is counted. */
export interface Retry {
  readonly delay: number;
  readonly counts: boolean;
}

/** Says how work is run again after an error; undefined if that does not help. `attempt` is 1 for the first. */
export type RetryPolicy = (error: unknown, attempt: number) => Retry | undefined;

/** Runs work until it succeeds, or until no policy has it run again: then its error is thrown. */
export const withRetries = async <T>(
  policies: readonly RetryPolicy[],
  work: () => Promise<T>,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<T> => {
  for (let attempt = 1; ; ) {
    try {
      return await work();
    } catch (error) {
      const retry = firstRetry(policies, error, attempt);
      if (retry === undefined) throw error;
      if (retry.counts) attempt += 1;
      if (retry.delay > 0) await wait(retry.delay);
    }
  }
};

const firstRetry = (policies: readonly RetryPolicy[], error: unknown, attempt: number): Retry | undefined => {
  for (const policy of policies) {
    const retry = policy(error, attempt);
    if (retry !== undefined) return retry;
  }
  return undefined;
};

/** Milliseconds by which two transactions that met are set apart, for each time that they met. */
export const SPREAD = 40;

const spread = (times: number): number => Math.random() * SPREAD * times;

export const RACE_ATTEMPTS = 6;

/** A deadlock or a lost race of serializable transactions: nothing was written. */
export const retryRaces: RetryPolicy = (error, attempt) =>
  attempt < RACE_ATTEMPTS && error instanceof StoreRefusal && (error.code === "40P01" || error.code === "40001")
    ? { delay: spread(attempt), counts: true }
    : undefined;

/** Several that draw the same word at once find it free, and one of them gets it each time. */
export const DRAW_ATTEMPTS = 20;

/** A violated constraint that means that somebody else was first, for example with a slug: what is drawn next differs. */
export const retryDraws =
  (isDrawnAgain: (constraint: string) => boolean): RetryPolicy =>
  (error, attempt) =>
    attempt < DRAW_ATTEMPTS && error instanceof StoreRefusal && isDrawnAgain(error.constraint ?? "")
      ? { delay: 0, counts: true }
      : undefined;

/** A lock that somebody else holds: the transaction begins again and waits for this lock before anything else. */
export const retryHeldLocks =
  (beforehand: EarlyLocks): RetryPolicy =>
  (error) =>
    beforehand.learns(error) ? { delay: spread(beforehand.idle), counts: false } : undefined;

/** A prepared statement whose plan is older than a change of its tables: Postgres says so, and a fresh plan is right. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof StoreRefusal && error.code === "0A000" && error.message.includes("cached plan");

/** Whether statements are sent by their names; without names, Postgres plans them again. */
export class PreparedNames {
  #used: boolean;

  constructor(used = true) {
    this.#used = used;
  }

  get used(): boolean {
    return this.#used;
  }

  readonly retry: RetryPolicy = (error) => {
    if (!this.#used || !isStalePlan(error)) return undefined;
    this.#used = false;
    return { delay: 0, counts: false };
  };
}
