import type { Database } from "../postgres/database.ts";

/** What is kept for a time alone, and how long. A key is remembered for as long as somebody might send it again. */
const sweeps = [
  "delete from ninefold.idempotency where made_at < $1::timestamptz - interval '2 days'",
  "delete from ninefold.outbox where state = 'done' and done_at < $1::timestamptz - interval '30 days'",
  "delete from ninefold.attempt where until < $1::timestamptz",
  // However many networks guess, these are as many as are counted.
  "delete from ninefold.attempt where key in (select key from ninefold.attempt where until >= $1::timestamptz order by until desc offset 100000)",
  "delete from ninefold.session where expires_at < $1::timestamptz",
  "delete from ninefold.once_link where expires_at < $1::timestamptz",
  "delete from ninefold.mail where at < $1::timestamptz - interval '7 days'",
  "delete from ninefold.address_change where at < $1::timestamptz - interval '1 day'",
  "delete from ninefold.sign_up where expires_at < $1::timestamptz",
  "delete from ninefold.token where expires_at < $1::timestamptz - interval '90 days'",
  "delete from ninefold.notification where read_at < $1::timestamptz - interval '90 days'",
  "delete from ninefold.visit where at < $1::timestamptz - interval '1 year'",
] as const;

/** What is of use to one person alone, and to nobody when they are no more. */
const left = `delete from ninefold.preference where not exists (select from app."user" u where u."id" = person)`;

/** Takes away what has outlived its use. */
export const sweep = async (database: Database, now: Date): Promise<void> => {
  for (const text of sweeps) await database.query({ text, values: [now.toISOString()] });
  await database.query({ text: left, values: [] });
};
