import { createHmac } from "node:crypto";
import type { ChatMessage, Outgoing } from "../core/model/effect.ts";
import { callsThatWait, type Environment } from "../core/model/environment.ts";
import { answeredWith, claims, storedReasons } from "../core/wire/unsent.ts";
import type { Database, Row } from "../postgres/database.ts";
import { toChatBody } from "./chat-body.ts";

/** The surroundings that outgoing calls depend on. */
export interface OutboxEnvironment {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
  /** The address of this application; null if it has none that others reach. */
  readonly origin?: string | null;
}

/** Calls made in parallel. */
const MOST = 10;
/** Time limit of a call. A claim lasts longer, so a claim that expires belongs to a dead server. */
const PATIENCE = 10_000;
const LONGEST_WAIT = 3_600_000;

/** 2 s, 4 s, 8 s, … up to an hour, varied by a fifth so that calls that failed together are not repeated together. */
export const waitAfter = (tries: number, chance: number): number =>
  Math.min(LONGEST_WAIT, 1_000 * 2 ** Math.min(tries, 30)) * (0.8 + 0.4 * chance);

/**
 * Makes the calls that are due. A server claims each call, and another takes over if that server dies. So a call is
 * made at least once, with an idempotency key for the receiver. Returns the number of calls made.
 */
export const deliver = async (
  database: Database,
  calls: ReadonlyMap<string, Outgoing>,
  outside: OutboxEnvironment,
  now: Date,
  log: { warn(what: object, message: string): void },
): Promise<number> => {
  // A call without an address is never attempted, and so never given up: it waits until the program starts with one.
  const waiting = [...callsThatWait({ outgoing: calls }, outside.environment).keys()];
  const rows = await database.query({
    name: "outbox claim",
    text: `update ninefold.outbox set tries = tries + 1, next_at = $1::timestamptz + $2 * interval '1 millisecond'
           where id in (select id from ninefold.outbox where state = 'waiting' and next_at <= $1 and call <> all($4::text[]) and (select held_since is null from ninefold.release) order by next_at limit $3 for update skip locked)
           returning id, call, payload, tries`,
    values: [now.toISOString(), claims.call, MOST, waiting],
  });
  await Promise.all(rows.map((row) => deliverOne(database, calls.get(String(row.call)), outside, row, now, log)));
  return rows.length;
};

const deliverOne = async (
  database: Database,
  call: Outgoing | undefined,
  outside: OutboxEnvironment,
  row: Row,
  now: Date,
  log: { warn(what: object, message: string): void },
): Promise<void> => {
  const tries = Number(row.tries);
  const { outcome, wait } =
    call === undefined ? { outcome: storedReasons.removed, wait: 0 } : await sendCall(call, outside, row, now);
  const over = outcome !== null && (call === undefined || tries > call.retries);
  const state = outcome === null ? "done" : over ? "given up" : "waiting";
  if (over) log.warn({ call: row.call, outbox: row.id, tries, because: outcome }, "an outgoing call was given up");
  await database.query({
    name: "outbox outcome",
    text: `update ninefold.outbox set state = $2, said = $3, done_at = case when $2 = 'done' then $4::timestamptz end, next_at = $5 where id = $1`,
    values: [
      row.id,
      state,
      outcome,
      now.toISOString(),
      new Date(now.getTime() + Math.max(wait, waitAfter(tries, Math.random()))).toISOString(),
    ],
  });
};

/** `outcome`: null if the receiver accepted the call; otherwise the reason, without the receiver's response. */
interface Sent {
  readonly outcome: string | null;
  /** Milliseconds for which the receiver asks to wait; 0 if it does not. */
  readonly wait: number;
}

/** The header `Retry-After`, as seconds or a date, for at most an hour. Slack and Teams send it when a channel gets too much. */
const readRetryAfter = (value: string | null, now: Date): number => {
  if (value === null) return 0;
  const wait = /^\d+$/u.test(value) ? Number(value) * 1_000 : Date.parse(value) - now.getTime();
  return wait > 0 ? Math.min(wait, LONGEST_WAIT) : 0;
};

const sendCall = async (
  call: Outgoing,
  { environment, fetch, origin = null }: OutboxEnvironment,
  row: Row,
  now: Date,
): Promise<Sent> => {
  const address = environment[call.address] ?? "";
  const { chat } = call;
  const payload = chat === null ? row.payload : toChatBody(chat.service, row.payload as ChatMessage, origin);
  const body = JSON.stringify(payload);
  const bearsBody = call.method !== "GET" && call.method !== "DELETE";
  const secret = call.secret === null ? undefined : environment[call.secret];
  try {
    const url = new URL(address);
    if (!bearsBody)
      for (const [name, value] of Object.entries(row.payload as Record<string, unknown>))
        if (value !== null) url.searchParams.set(name, String(value));
    const stamp = Math.floor(now.getTime() / 1_000);
    const answer = await fetch(url, {
      method: call.method,
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
      headers: {
        ...Object.fromEntries(
          [...call.headers].map(([name, value]) => [
            name,
            value.startsWith("APP_") ? (environment[value] ?? "") : value,
          ]),
        ),
        "idempotency-key": String(row.id),
        ...(bearsBody ? { "content-type": "application/json" } : {}),
        ...(secret === undefined ? {} : { "ninefold-signature": signBody(secret, stamp, bearsBody ? body : "") }),
      },
      ...(bearsBody ? { body } : {}),
    });
    await answer.body?.cancel();
    return answer.ok
      ? { outcome: null, wait: 0 }
      : { outcome: answeredWith(answer.status), wait: readRetryAfter(answer.headers.get("retry-after"), now) };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    return { outcome: isTimeout ? storedReasons.timeout : storedReasons.unreachable, wait: 0 };
  }
};

/** `t=1700000000,v1=…`: HMAC-SHA256 of the time, a dot and the body, so that a call cannot be replayed later. */
const signBody = (secret: string, stamp: number, body: string): string =>
  `t=${stamp},v1=${createHmac("sha256", secret).update(`${stamp}.${body}`).digest("hex")}`;
