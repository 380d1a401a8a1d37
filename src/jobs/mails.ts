import type { MailedLetter } from "../core/model/effect.ts";
import { claims, readMailReason } from "../core/wire/unsent.ts";
import type { Database, Row } from "../postgres/database.ts";
import { waitAfter } from "./outbox.ts";

/** A mail to one recipient. */
export interface OutgoingMail {
  readonly to: string;
  /** The name of the sender, unless `NINEFOLD_MAIL_FROM` has one. */
  readonly sender?: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly files?: readonly MailFile[] | undefined;
}

/** A file that comes with a mail. */
export interface MailFile {
  readonly name: string;
  readonly type: string;
  readonly content: string | Buffer;
}

/** The mail for whose recipient letters are drawn. */
export interface LetteredMail {
  readonly person: string;
  readonly recipient: string;
  readonly letters: readonly MailedLetter[];
}

/** Draws the letters of a mail as its recipient can read them now. Leaves out the others. */
export type DrawLetters = (mail: LetteredMail, now: Date) => Promise<readonly MailFile[]>;

/** An SMTP server and the sender's address. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<void>;
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
  const isBare = !from.includes("<");
  return {
    send: async ({ to, sender, subject, text, html, headers = {}, files = [] }) => {
      const { "message-id": messageId, ...others } = headers;
      await (await transport).sendMail({
        ...(isBare && sender !== undefined ? { from: { name: sender, address: from } } : {}),
        // As an object: in a text, anything after a comma would be a second recipient.
        to: { name: "", address: to },
        subject,
        text,
        ...(html === undefined ? {} : { html }),
        ...(messageId === undefined ? {} : { messageId }),
        headers: others,
        attachments: files.map(({ name, type, content }) => ({ filename: name, content, contentType: type })),
      });
    },
  };
};

/** Mails sent in parallel. */
const MOST = 5;
/** Maximum number of attempts: a link is valid for a day, and a later mail would be useless. */
const TRIES = 10;

/**
 * Sends the mails that are due. A server claims each mail, and another takes over if that server dies, so it is sent at
 * least once. A sent mail is deleted, because it can contain a link. One that could not be sent stays, so that an
 * administrator can try again.
 */
export const sendMails = async (
  database: Database,
  mailer: Mailer,
  now: Date,
  draw: DrawLetters = () => Promise.resolve([]),
): Promise<number> => {
  const rows = await database.query({
    name: "mail claim",
    text: `update ninefold.mail set tries = tries + 1, next_at = $1::timestamptz + $2 * interval '1 millisecond'
           where id in (select id from ninefold.mail where state = 'waiting' and next_at <= $1 and (select held_since is null from ninefold.release) order by next_at limit $3 for update skip locked)
           returning id, recipient, subject, text, html, headers, attachment, person, letters, tries`,
    values: [now.toISOString(), claims.mail, MOST],
  });
  const mails: { readonly row: Row; readonly mail: OutgoingMail }[] = [];
  for (const row of rows) {
    // One letter after the other, because each is drawn in a thread.
    const letters = row.letters === null ? [] : await draw(toLettered(row), now);
    mails.push({ row, mail: toOutgoing(row, letters) });
  }
  await Promise.all(mails.map(({ row, mail }) => sendOne(database, mailer, row, mail, now)));
  return rows.length;
};

const toOutgoing = (
  { recipient, subject, text, html, headers, attachment }: Row,
  letters: readonly MailFile[],
): OutgoingMail => ({
  to: String(recipient),
  subject: String(subject),
  text: String(text),
  html: typeof html === "string" ? html : undefined,
  files: [...toFiles(attachment), ...letters],
  headers: typeof headers === "object" && headers !== null ? (headers as Readonly<Record<string, string>>) : undefined,
});

const toLettered = ({ person, recipient, letters }: Row): LetteredMail => ({
  person: String(person),
  recipient: String(recipient),
  letters: letters as readonly MailedLetter[],
});

const toFiles = (attachment: unknown): readonly MailFile[] => {
  if (attachment === null || attachment === undefined) return [];
  const { name, type, text } = attachment as Readonly<Record<"name" | "type" | "text", string>>;
  return [{ name, type, content: text }];
};

const sendOne = async (database: Database, mailer: Mailer, row: Row, mail: OutgoingMail, now: Date): Promise<void> => {
  const tries = Number(row.tries);
  try {
    await mailer.send(mail);
  } catch (error) {
    const isOver = tries >= TRIES || isRejected(error);
    const next = isOver ? now : new Date(now.getTime() + waitAfter(tries, Math.random()));
    await database.query({
      text: "update ninefold.mail set next_at = $2, state = $3, said = $4 where id = $1",
      values: [row.id, next.toISOString(), isOver ? "failed" : "waiting", formatSmtpError(error)],
    });
    return;
  }
  await database.query({ text: "delete from ninefold.mail where id = $1", values: [row.id] });
};

/** Writes to the log when the mail server cannot be used any more: no mail is rejected, and each waits. */
export const reportOutage = (mailer: Mailer, log: { warn(what: object, message: string): void }): Mailer => {
  let isOut = false;
  return {
    send: async (mail) => {
      try {
        await mailer.send(mail);
        isOut = false;
      } catch (error) {
        const reason = formatSmtpError(error);
        const isOutage = readMailReason(reason).kind === "no mail server" || (error as SmtpError).code === "EAUTH";
        if (isOutage && !isOut) log.warn({ reason }, "emails wait, because the mail server cannot be used");
        isOut = isOutage;
        throw error;
      }
    },
  };
};

/** The parts of an error of the SMTP client that say why. */
interface SmtpError {
  readonly message?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly code?: string;
  readonly command?: string;
}

/** True if the server rejected this mail for good (5xx). A refused sign-in can be corrected, so it is tried again. */
const isRejected = (error: unknown): boolean => {
  const { responseCode = 0, code } = error as SmtpError;
  return responseCode >= 500 && code !== "EAUTH";
};

/** The server's answer, or the code of the SMTP client; for a connection that failed, with the cause. */
const formatSmtpError = (error: unknown): string => {
  const { response, code = "unknown", message = "" } = error as SmtpError;
  const hasCause = message !== "" && readMailReason(code).kind === "no mail server";
  return (response ?? (hasCause ? `${code}: ${message}` : code)).replaceAll(/\s+/gu, " ").slice(0, 300);
};
