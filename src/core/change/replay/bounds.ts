/** Maximum number of acts of each kind that a replay checks, and of refused requests, newest first. */
export const MOST_ACTS = 10_000;

/** Maximum number of records that a replay reads, of all entities together. */
export const MOST_RECORDS = 100_000;

/** Days that a replay covers by default, and the maximum. */
export const REPLAY_DAYS = 30;
export const MOST_REPLAY_DAYS = 366;
