import { setTimeout as sleep } from "node:timers/promises";
import { StoreSlow } from "./database.ts";

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

/** Retries a statement that waited too long for others, each time after a longer pause. */
export const retrySlow =
  (attempts = Number.POSITIVE_INFINITY): RetryPolicy =>
  (error, attempt) =>
    attempt < attempts && error instanceof StoreSlow
      ? { delay: Math.min(50 * attempt, 1_000) * (0.5 + Math.random()), counts: true }
      : undefined;
