import type { Database, Row } from "../postgres/database.ts";
import { waitAfter } from "./outbox.ts";

/** An SMTP server and the sender's address. */
export interface Mailer {
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>;
}

type Environment = { readonly [name: string]: string | undefined };

/** Undefined if `NINEFOLD_SMTP` and `NINEFOLD_MAIL_FROM` are unset. Throws if they are invalid. */
export const createMailer = ({ NINEFOLD_SMTP: server, NINEFOLD_MAIL_FROM: from }: Environment): Mailer | undefined => {
  if (server === undefined || server === "" || from === undefined || from === "") return undefined;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^smtps?:$/u.test(url.protocol))
    throw new Error(
      "NINEFOLD_SMTP is not the address of an SMTP server. Write for example smtps://user:password@mail.example.com.",
    );
  // Loaded only if mail is configured, to keep other starts fast.
  const transport = import("nodemailer").then(({ default: nodemailer }) =>
    nodemailer.createTransport(server, { from }),
  );
  return {
    send: async ({ to, subject, text }) => {
      // As an object: in a text, anything after a comma would be a second recipient.
      await (await transport).sendMail({ to: { name: "", address: to }, subject, text });
    },
  };
};

/** Mails sent in parallel. */
const MOST = 5;
const CLAIM = 120_000;
/** Maximum number of attempts: a link is valid for a day, and a later mail would be useless. */
const TRIES = 10;

/**
 * Sends the mails that are due. A server claims each mail, and another takes over if that server dies, so it is sent at
 * least once. The text of a sent mail is deleted, because it contains a link.
 */
export const sendMails = async (database: Database, mailer: Mailer, now: Date): Promise<number> => {
  const rows = await database.query({
    name: "mail claim",
    text: `update ninefold.mail set tries = tries + 1, next_at = $1::timestamptz + $2 * interval '1 millisecond'
           where id in (select id from ninefold.mail where next_at <= $1 and (select held_since is null from ninefold.release) order by next_at limit $3 for update skip locked)
           returning id, recipient, subject, text, tries`,
    values: [now.toISOString(), CLAIM, MOST],
  });
  await Promise.all(rows.map((row) => sendOne(database, mailer, row, now)));
  return rows.length;
};

const sendOne = async (database: Database, mailer: Mailer, row: Row, now: Date): Promise<void> => {
  const tries = Number(row.tries);
  try {
    await mailer.send({ to: String(row.recipient), subject: String(row.subject), text: String(row.text) });
  } catch {
    if (tries < TRIES) {
      const next = new Date(now.getTime() + waitAfter(tries, Math.random())).toISOString();
      await database.query({ text: "update ninefold.mail set next_at = $2 where id = $1", values: [row.id, next] });
      return;
    }
  }
  await database.query({ text: "delete from ninefold.mail where id = $1", values: [row.id] });
};
