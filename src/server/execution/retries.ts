import { setTimeout as sleep } from "node:timers/promises";
import { StoreRefusal } from "../../postgres/database.ts";
import type { EarlyLocks } from "../plan/transaction/early-locks.ts";

/** A decision to retry: the delay in milliseconds, and whether the failed attempt counts. */
export interface Retry {
  readonly delay: number;
  readonly counts: boolean;
}

/** Decides on a retry after an error; undefined for none. `attempt` is 1 for the first. */
export type RetryPolicy = (error: unknown, attempt: number) => Retry | undefined;

/** Runs work until it succeeds or no policy retries it, then throws its last error. */
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

/** Delay between conflicting transactions, per conflict. */
export const CONFLICT_DELAY_MS = 40;

const spreadPause = (times: number): number => Math.random() * CONFLICT_DELAY_MS * times;

export const RACE_ATTEMPTS = 6;

/** Retries after a deadlock or a serialization failure, neither of which writes anything. */
export const retryRaces: RetryPolicy = (error, attempt) =>
  attempt < RACE_ATTEMPTS && error instanceof StoreRefusal && (error.code === "40P01" || error.code === "40001")
    ? { delay: spreadPause(attempt), counts: true }
    : undefined;

/**
 * High, because concurrent transactions that generate equal values all find them free, and only one succeeds per round.
 */
export const GENERATED_VALUE_ATTEMPTS = 20;

/**
 * Retries after a violated constraint on a generated value such as a slug. The next attempt generates another value.
 */
export const retryGeneratedValues =
  (isGenerated: (constraint: string) => boolean): RetryPolicy =>
  (error, attempt) =>
    attempt < GENERATED_VALUE_ATTEMPTS && error instanceof StoreRefusal && isGenerated(error.constraint ?? "")
      ? { delay: 0, counts: true }
      : undefined;

/** Restarts a transaction that needs a lock held by another. It then waits for this lock first. */
export const retryHeldLocks =
  (beforehand: EarlyLocks): RetryPolicy =>
  (error) =>
    beforehand.learns(error) ? { delay: spreadPause(beforehand.idle), counts: false } : undefined;

/** True if the plan of a prepared statement is older than a change of its tables. Postgres then needs a new plan. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof StoreRefusal && error.code === "0A000" && error.message.includes("cached plan");

/** Decides if statements are sent by name. Without names, Postgres plans them again. */
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
