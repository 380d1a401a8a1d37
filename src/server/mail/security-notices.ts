import { createTranslator } from "../../core/derive/client/localize.ts";
import type { Row, RunQuery } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { readerFormat } from "../plan/row/labels.ts";
import { isSamplePerson } from "../util/sample-person.ts";
import { getMails, languageHeader, type Mail, type MailOrigin, type Mails } from "./email-templates.ts";

/**
 * Notifies people by mail when their password, address or tokens change, in case somebody else did it. The mail about a
 * password or token is written in the same transaction. Any clause of the document may change an address, so a trigger
 * records that change and the mail is written from there.
 */

/** The request that a notice is about. */
export interface NoticeOrigin {
  /** The address of the application, for links; null if mail is not configured. */
  readonly origin: string | null;
  /** The IP address of the client. */
  readonly address: string;
}

/** The language that account `u` chose. */
export const LANGUAGE = `(select p.value from ninefold.preference p where p.person = u."id" and p.name = 'language')`;

/** The person's language, or the document's. */
export const getNoticeLanguage = (row: Row | undefined, { model }: Pick<Service, "model">): string =>
  typeof row?.language === "string" ? row.language.replaceAll('"', "") : model.locale;

/** "29 Nov 2026, 18:20 (Europe/Berlin)" */
const formatTime = ({ model }: Service, now: Date, language: string): string =>
  `${readerFormat({ ...model, locale: language })(now.toISOString(), { kind: "datetime" })} (${model.timezone})`;

/** A mail about a change of an account; null if mail is not configured, and for sample people. */
export const createNotice = async (
  service: Service,
  person: string,
  { origin, address }: NoticeOrigin,
  now: Date,
  write: (words: Mails, application: string, by: MailOrigin) => Mail,
): Promise<Mail | null> => {
  if (origin === null) return null;
  const [row] = await service.database.query({
    name: "language",
    text: `select ${LANGUAGE} as language from app."user" u where u."id" = $1 and not ${isSamplePerson('u."id"')}`,
    values: [person],
  });
  if (row === undefined) return null;
  const language = getNoticeLanguage(row, service);
  const name = createTranslator(service.model, language)(service.model.name);
  return write(getMails(language), name, { at: formatTime(service, now, language), from: address, origin });
};

/** Maximum number of address changes per run. */
const MAX_PER_RUN = 100;

/** Writes the mails about changed addresses, to the old and the new one. */
export const mailAddressChanges = (service: Service, now: Date): Promise<void> =>
  service.database.transaction(async (query) => {
    const rows = await query({
      text: `with c as (delete from ninefold.address_change where id in (select id from ninefold.address_change order by id limit ${MAX_PER_RUN} for update skip locked)
                        returning person, old, new, at)
             select c.old, c.new, c.at, ${LANGUAGE} as language from c join app."user" u on u."id" = c.person
             where not ${isSamplePerson('u."id"')}`,
      values: [],
    });
    const mails = rows.flatMap((row) => {
      const language = getNoticeLanguage(row, service);
      const words = getMails(language);
      const at = formatTime(service, new Date(String(row.at)), language);
      const [from, to] = [String(row.old), String(row.new)];
      const name = createTranslator(service.model, language)(service.model.name);
      const mail = words.addressChanged(name, { at }, from, to);
      return [from, to].map((recipient) => ({ recipient, ...mail }));
    });
    await queueMails(query, mails, now);
  });

/** Stores mails to be sent soon. */
export const queueMails = async (
  query: RunQuery,
  mails: readonly (Mail & { readonly recipient: string })[],
  now: Date,
): Promise<void> => {
  if (mails.length === 0) return;
  await query({
    text: `insert into ninefold.mail (recipient, subject, text, headers, at, next_at)
           select recipient, subject, text, headers, $5, $5 from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as m (recipient, subject, text, headers)`,
    values: [
      mails.map(({ recipient }) => recipient),
      mails.map(({ subject }) => subject),
      mails.map(({ text }) => text),
      mails.map(({ language }) => JSON.stringify(languageHeader(language))),
      now.toISOString(),
    ],
  });
};
