import { StoreRefusal } from "../../postgres/database.ts";
import type { RetryPolicy } from "../../postgres/with-retries.ts";
import type { EarlyLocks } from "../plan/transaction/early-locks.ts";

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
