import { createTranslator } from "../../../core/derive/client/localize.ts";
import { findNewestTime } from "../../../core/model/facts/schedule.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Row } from "../../../postgres/database.ts";
import { readPerson } from "../../auth/sessions.ts";
import type { Service } from "../../execution/service.ts";
import { getMails, toAccount } from "../../mail/email-templates.ts";
import { getMailColours, type MailContent, toHtml, toText } from "../../mail/mail-body.ts";
import { isMailPreference } from "../../mail/mail-preference.ts";
import { unsubscribeAddress } from "../../mail/unsubscribe.ts";
import { isSamplePerson } from "../../util/sample-person.ts";
import { type ReportReader, readReport, type SentScreen } from "./report-content.ts";

/**
 * Lists and overviews that are sent on a schedule. Each person gets their own rows, read with their permissions when the
 * mail is written.
 */

/** Maximum number of mails per run. */
const MAX_PER_RUN = 20;
/** If writing a mail fails, it is tried again after this time. */
const CLAIM_MS = 120_000;
/** A later mail is no longer useful: mail was not configured, or the program did not run. */
const MAX_DELAY_MS = 86_400_000;

const isSent = (screen: Model["screens"][number]): screen is SentScreen =>
  "send" in screen && screen.send !== undefined;

const sentScreens = ({ screens }: Model): readonly SentScreen[] => screens.filter(isSent);

/** The schedule that each service stored last, so that most runs ask the database nothing. */
const scheduled = new WeakMap<Service, string>();

/** Writes the mails that are due. Returns the number of people for whom it looked. */
export const mailReports = async (service: Service, origin: string | null, now: Date): Promise<number> => {
  const screens = sentScreens(service.model);
  if (origin === null || screens.length === 0) return 0;
  await begin(service, screens, now);
  const rows = await claim(service, now);
  for (const row of rows) await mailOne(service, origin, row, now);
  return rows.length;
};

/**
 * Begins the screens whose newest time has come: queues a mail for each active person who has one of the roles and is no
 * sample. One server does this for each time. A screen that has never been sent waits for its next time.
 */
const begin = async (service: Service, screens: readonly SentScreen[], now: Date): Promise<void> => {
  const { database, model } = service;
  const due = screens.map(({ path, send }) => ({
    screen: path,
    at: findNewestTime(send.every, now, model.timezone).toISOString(),
    roles: send.to,
    everybody: send.to.some((role) => ["signed in", "anyone"].includes(String(model.roles.get(role)?.members))),
  }));
  const times = JSON.stringify(due);
  if (scheduled.get(service) === times) return;
  const released = await database.query({
    text: `with due as (select * from jsonb_to_recordset($1::jsonb) as d (screen text, at timestamptz, roles text[], everybody boolean)),
             begun as (insert into ninefold.report as r (screen, at) select d.screen, d.at from due d
                       on conflict (screen) do update set at = excluded.at where r.at < excluded.at returning r.screen, r.at),
             gone as (delete from ninefold.report where screen <> all (select d.screen from due d)),
             queued as (insert into ninefold.report_mail (screen, person, at, next_at)
                        select b.screen, u."id", b.at, $2 from begun b join due d using (screen)
                        join app."user" u on u."active" and not ${isSamplePerson('u."id"')} and (d.everybody or u."roles" && d.roles)
                        where b.at > $2::timestamptz - $3 * interval '1 millisecond'
                          and exists (select from ninefold.report before where before.screen = b.screen)
                          and (select held_since is null from ninefold.release))
           select held_since from ninefold.release`,
    values: [times, now.toISOString(), MAX_DELAY_MS],
  });
  if (released.length > 0) scheduled.set(service, times);
};

/** Claims mails that are due, with their people. */
const claim = ({ database }: Service, now: Date): Promise<readonly Row[]> =>
  database.query({
    name: "report mails claim",
    text: `with m as (
             update ninefold.report_mail set next_at = $1::timestamptz + $2 * interval '1 millisecond'
             where id in (select id from ninefold.report_mail where next_at <= $1 and (select held_since is null from ninefold.release)
                          order by next_at, id limit $3 for update skip locked)
             returning id, screen, person, at)
           select m.*, u."email",
             (select p.value from ninefold.preference p where p.person = m.person and p.name = 'language') as language,
             (select p.value from ninefold.preference p where p.person = m.person and p.name = 'mail') as preference
           from m left join app."user" u on u."id" = m.person and u."active" order by m.id`,
    values: [now.toISOString(), CLAIM_MS, MAX_PER_RUN],
  });

/** Writes the mail of one person, if they want it and the screen shows them anything. */
const mailOne = async (service: Service, origin: string, row: Row, now: Date): Promise<void> => {
  const { database, model } = service;
  const screen = sentScreens(model).find(({ path }) => path === row.screen);
  const chosen: unknown = typeof row.preference === "string" ? JSON.parse(row.preference) : {};
  const preference = isMailPreference(chosen) ? chosen : {};
  const isWanted = preference.reports !== "never" && preference.stopped?.includes(String(row.screen)) !== true;
  const isLate = now.getTime() - new Date(String(row.at)).getTime() > MAX_DELAY_MS;
  const principal =
    isWanted && !isLate && screen !== undefined ? await readPerson(service, String(row.person), now) : null;
  const language = typeof row.language === "string" ? (JSON.parse(row.language) as string) : model.locale;
  const reader = principal === null ? null : { principal, language, origin, now };
  const mail = reader === null || screen === undefined ? null : await compose(service, screen, reader);
  await database.query({
    text: `with d as (delete from ninefold.report_mail where id = $1 returning person)
           insert into ninefold.mail (recipient, person, subject, text, html, headers, attachment, at, next_at)
           select m.recipient, d.person, m.subject, m.text, m.html, m.headers, m.attachment, $3, $3
           from d, jsonb_to_recordset($2::jsonb) as m (recipient text, subject text, text text, html text, headers jsonb, attachment jsonb)`,
    values: [
      row.id,
      JSON.stringify(mail === null ? [] : [{ ...mail, recipient: String(row.email) }]),
      now.toISOString(),
    ],
  });
};

const compose = async (service: Service, screen: SentScreen, reader: ReportReader) => {
  const report = await readReport(service, screen, reader);
  if (report === null) return null;
  const { model, database } = service;
  const { language, origin, principal } = reader;
  const words = getMails(language);
  const { every } = screen.send;
  const name = createTranslator(model, language)(model.name);
  const { settings, stop } = words.notice(name);
  const { path } = screen;
  const unsubscribe = await unsubscribeAddress(database, origin, principal.id ?? "", {
    screen: path,
    title: report.title,
  });
  const content: MailContent = {
    language,
    colours: getMailColours(model),
    items: report.items,
    foot: words.report.foot(name, report.title, { days: every.days, time: `${every.time} (${model.timezone})` }),
    footLinks: [
      [settings, toAccount(origin)],
      [stop, unsubscribe.page],
    ],
  };
  return {
    subject: `${name}: ${report.title}`.replaceAll(/\s+/gu, " ").slice(0, 200),
    text: toText(content),
    html: toHtml(content),
    headers: {
      "list-unsubscribe": `<${unsubscribe.post}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "auto-submitted": "auto-generated",
    },
    attachment: report.attachment,
  };
};
