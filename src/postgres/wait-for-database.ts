import { type Database, StoreAway } from "./database.ts";
import { type RetryPolicy, withRetries } from "./with-retries.ts";

/** Milliseconds for which a start waits for a database that is busy, is starting, or has no primary. */
const LONGEST_START_WAIT = 30_000;

/** Milliseconds after which an attempt to connect at a start is given up, and another one is made. */
export const START_ATTEMPT = 5_000;

const PAUSE = 500;

/** Milliseconds after which the person at the terminal is told what the start waits for. */
const NOTICE_AFTER = 1_000;

/** No server is there. The address is probably wrong, so waiting would only delay the message. */
const isNowhere = ({ cause }: StoreAway): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  /^(?:ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/u.test(String(cause.code));

/** A pooler refuses the settings of a connection, which it will not accept later either. */
export const isPooler = ({ reason }: StoreAway): boolean => reason.includes("startup parameter");

/**
 * Returns when the database has answered, at the latest after its wait. Throws at once if no server is there, or if it
 * refuses for a reason that does not pass.
 */
export const waitForDatabase = async (database: Database, onWait?: () => void): Promise<void> => {
  const until = performance.now() + LONGEST_START_WAIT;
  const retry: RetryPolicy = (error) =>
    error instanceof StoreAway && !isNowhere(error) && !isPooler(error) && performance.now() < until
      ? { delay: PAUSE, counts: true }
      : undefined;
  const notice = setTimeout(() => onWait?.(), NOTICE_AFTER);
  try {
    await withRetries([retry], () => database.query({ text: "select 1", values: [] }));
  } finally {
    clearTimeout(notice);
  }
};
