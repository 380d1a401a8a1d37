import { createHash } from "node:crypto";
import type { Database } from "../../postgres/database.ts";

/** A rate limit, such as on sign-in attempts for one account. */
export interface AttemptLimit {
  /** From `limitKey`. */
  readonly key: string;
  /** Attempts without a delay. */
  readonly most: number;
  /** How long an attempt counts. */
  readonly minutes: number;
  /** `slower`: the delay doubles with each further attempt. `none`: no further attempt until the time is over. */
  readonly beyond: "slower" | "none";
}

/** Delay of the first slowed attempt in seconds; it doubles with each attempt. */
const FIRST_DELAY_SECONDS = 30;

/** The count has expired. The clocks of several servers and concurrent requests differ by less than a minute. */
const IS_EXPIRED = "(a.until <= $2 or a.since > $2::timestamptz + interval '1 minute')";

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The key of a counter. Parts are hashed, because people type passwords where an address is asked for.
 * `limitKey("account", email, network)` begins with `limitKey("account", email)`.
 */
export const limitKey = (kind: string, ...parts: readonly string[]): string => [kind, ...parts.map(hashText)].join(":");

/**
 * Counts an attempt before anything is checked, and returns if it is allowed. The first exhausted limit stops the
 * counting, so that a refused attempt does not count elsewhere. Concurrent attempts are limited like sequential ones.
 * Counts from a clock that was ahead count as expired.
 */
export const countAttempt = async (
  database: Database,
  limits: readonly AttemptLimit[],
  now: Date,
): Promise<boolean> => {
  for (const { key, most, minutes, beyond } of limits) {
    const rows = await database.query({
      name: "attempt",
      text: `insert into ninefold.attempt as a (key, count, since, until, next_at)
             values ($1, 1, $2, $2::timestamptz + make_interval(mins => $3), case when $4 > 1 then '-infinity' else $2::timestamptz + make_interval(secs => $5) end)
             on conflict (key) do update set
               count = case when ${IS_EXPIRED} then 1 else a.count + 1 end,
               since = case when ${IS_EXPIRED} then excluded.since else a.since end,
               until = case when ${IS_EXPIRED} then excluded.until else a.until end,
               next_at = case when ${IS_EXPIRED} then excluded.next_at
                              when a.count + 1 < $4 then '-infinity'
                              else $2::timestamptz + make_interval(secs => $5 * power(2, least(a.count + 1 - $4, 20))) end
             where a.next_at <= $2 or ${IS_EXPIRED}
             returning count`,
      // A limit with `none` blocks for as long as its attempts count.
      values: [key, now.toISOString(), minutes, most, beyond === "slower" ? FIRST_DELAY_SECONDS : minutes * 60],
    });
    if (rows.length === 0) return false;
  }
  return true;
};

/** Uncounts a successful attempt and resets the counters in `ended`. */
export const forgiveAttempt = async (
  database: Database,
  limits: readonly AttemptLimit[],
  ended: readonly AttemptLimit[],
): Promise<void> => {
  await database.query({
    text: `with known as (delete from ninefold.attempt where key = any($1))
           update ninefold.attempt set count = greatest(count - 1, 0), next_at = '-infinity' where key = any($2)`,
    values: [ended.map(({ key }) => key), limits.filter((limit) => !ended.includes(limit)).map(({ key }) => key)],
  });
};
