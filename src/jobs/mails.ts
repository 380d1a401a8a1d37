import type { Database, Row } from "../postgres/database.ts";
import { waitAfter } from "./outbox.ts";

/** Where mails leave from: an SMTP server, and the address that they come from. */
export interface Mailer {
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>;
}

type Environment = { readonly [name: string]: string | undefined };

/** Undefined where `NINEFOLD_SMTP` and `NINEFOLD_MAIL_FROM` do not say where to. Throws where they are no address. */
export const mailerOf = ({ NINEFOLD_SMTP: server, NINEFOLD_MAIL_FROM: from }: Environment): Mailer | undefined => {
  if (server === undefined || server === "" || from === undefined || from === "") return undefined;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^smtps?:$/u.test(url.protocol))
    throw new Error("NINEFOLD_SMTP is no address of an SMTP server, such as smtps://user:password@mail.example.com.");
  // Read where mail is set up; elsewhere a start does not wait for it.
  const transport = import("nodemailer").then(({ default: nodemailer }) =>
    nodemailer.createTransport(server, { from }),
  );
  return {
    send: async ({ to, subject, text }) => {
      // As one address: as a text, what stands behind a comma would be somebody else's.
      await (await transport).sendMail({ to: { name: "", address: to }, subject, text });
    },
  };
};

/** Mails that are sent at once. */
const MOST = 5;
const CLAIM = 120_000;
/** A link holds for a day; a mail that did not go in this many tries comes too late. */
const TRIES = 10;

/**
 * Sends the mails that are due. Each is claimed by a server and taken up by another when that one dies, so it is sent at
 * least once. What it said is forgotten once it went, for it holds a link.
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
