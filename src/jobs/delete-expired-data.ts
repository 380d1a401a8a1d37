import type { Database } from "../postgres/database.ts";

/** Data with a limited lifetime. An idempotency key is kept for as long as a client might repeat the request. */
const expiredDataSql = [
  "delete from ninefold.idempotency where made_at < $1::timestamptz - interval '2 days'",
  "delete from ninefold.outbox where state = 'done' and done_at < $1::timestamptz - interval '30 days'",
  "delete from ninefold.attempt where until < $1::timestamptz",
  // Sign-in attempts: at most 100,000 are counted, however many networks guess.
  "delete from ninefold.attempt where key in (select key from ninefold.attempt where until >= $1::timestamptz order by until desc offset 100000)",
  "delete from ninefold.session where expires_at < $1::timestamptz",
  "delete from ninefold.once_link where expires_at < $1::timestamptz",
  "delete from ninefold.mail where at < $1::timestamptz - interval '7 days'",
  "delete from ninefold.address_change where at < $1::timestamptz - interval '1 day'",
  // Kept for a while after that, so that a late reader learns that the link has expired.
  "delete from ninefold.mail_transition where expires_at < $1::timestamptz - interval '30 days'",
  "delete from ninefold.sign_up where expires_at < $1::timestamptz",
  "delete from ninefold.token where expires_at < $1::timestamptz - interval '90 days'",
  "delete from ninefold.notification where read_at < $1::timestamptz - interval '90 days'",
  // Rows of imported files. After a week, an import can neither be corrected nor undone.
  "delete from ninefold.import_part p using ninefold.import i where i.id = p.import and i.changed_at < $1::timestamptz - interval '7 days'",
  "delete from ninefold.visit where at < $1::timestamptz - interval '1 year'",
] as const;

/** Settings of people who no longer exist. */
const deletePreferences = `delete from ninefold.preference where not exists (select from app."user" u where u."id" = person)`;

/** The smallest id (UUID version 7) of a year ago. Ids are made in the order of time, so that the primary key finds what is older. */
const yearAgo =
  "(lpad(to_hex(floor(extract(epoch from $1::timestamptz - interval '1 year') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid";

/** The trash. Like the others that can be much at the first time, it is deleted a limited number of rows at a time. */
const emptyTrash =
  "delete from ninefold.trash where record in (select record from ninefold.trash where at <= $1::timestamptz - make_interval(days => $3) order by at limit $2) returning 1";
/** Nobody reads it any more: of people who no longer come, every notification is unread. */
const deleteUnread = `delete from ninefold.notification where id in (select id from ninefold.notification where id < ${yearAgo} and read_at is null order by id limit $2) returning 1`;
const deleteGivenUp = `delete from ninefold.outbox where id in (select id from ninefold.outbox where id < ${yearAgo} and state = 'given up' order by id limit $2) returning 1`;
const AT_ONCE = 5_000;

/** Deletes expired data. */
export const deleteExpiredData = async (
  database: Database,
  now: Date,
  { trashDays }: { readonly trashDays: number },
): Promise<void> => {
  for (const text of expiredDataSql) await database.query({ text, values: [now.toISOString()] });
  await database.query({ text: deletePreferences, values: [] });
  const inPieces = async (text: string, ...values: readonly number[]): Promise<void> => {
    for (let deleted = AT_ONCE; deleted === AT_ONCE; )
      deleted = (await database.query({ text, values: [now.toISOString(), AT_ONCE, ...values] })).length;
  };
  await inPieces(emptyTrash, trashDays);
  await inPieces(deleteUnread);
  await inPieces(deleteGivenUp);
  await database.query({ text: "select ninefold.forget_changes($1::timestamptz)", values: [now.toISOString()] });
};
