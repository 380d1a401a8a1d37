import { targetTextOf } from "../../core/derive/client/measured-values.ts";
import { createSentences } from "../../core/i18n/icu-message.ts";
import { catalogueFor } from "../../core/i18n/languages.ts";
import type { MailArguments, MailId } from "../../core/i18n/mail-arguments.ts";
import type { Schedule } from "../../core/model/facts/schedule.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { TargetJson } from "../../core/wire/screens.ts";

/**
 * The mails sent by the program, in the recipient's language. Those with a subject and a text are written as plain text; the
 * runner of the jobs adds the look of the others. Those about notifications have words only: `mail-body.ts` builds them.
 */
export interface Mails {
  /** A link to create an account. */
  readonly register: (application: string, link: string) => Mail;
  /** An account exists already. */
  readonly known: (application: string, link: string) => Mail;
  /** Invitation by an administrator. */
  readonly invited: (application: string, link: string, by: InvitationInMail) => Mail;
  /** A link for a new password. */
  readonly password: (
    application: string,
    link: string,
    by: { readonly person: string; readonly hours: number },
  ) => Mail;
  /** A link for a new password that the person asked for. `isFirst`: they have none so far. */
  readonly forgotten: (application: string, link: string, isFirst: boolean) => Mail;
  /** The password was set. */
  readonly passwordSet: (application: string, by: MailOrigin) => Mail;
  /** The address was changed; sent to the old and the new one. */
  readonly addressChanged: (application: string, by: Pick<MailOrigin, "at">, from: string, to: string) => Mail;
  /** An API token was created. */
  readonly tokenMade: (application: string, by: MailOrigin, name: string) => Mail;
  /** An API token was revoked. */
  readonly tokenEnded: (application: string, by: MailOrigin, name: string) => Mail;
  /** A proposed version waits for approval. */
  readonly proposal: (application: string, proposal: ProposalInMail) => Mail;
  /** The subject of a notification about a record that its recipient cannot read. */
  readonly noticeSubject: (application: string) => string;
  /** The parts that a notification is about and does not name. */
  readonly othersInNotice: (count: number) => string;
  /** The work that a deputy can do for a person. */
  readonly deputyWork: (person: string, acts: readonly string[]) => string;
  readonly digestSubject: (application: string, count: number) => string;
  readonly notice: (application: string) => NoticeWords;
  /** Words of a list or an overview on a schedule. `count`: exact up to 10,000, else as text. */
  readonly report: ReportWords;
  /** The domains that may register. */
  readonly only: (domains: readonly string[]) => string;
}

export interface Mail {
  /** `de` */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
}

/** The fixed texts of notification mails. */
export interface NoticeWords {
  readonly open: string;
  /** About the links to transitions with these titles, which work for some hours. */
  readonly acts: (titles: readonly string[], hours: number) => string;
  readonly all: string;
  /** The reason of the mail, with the time of the daily one; null for a mail that is sent at once. */
  readonly foot: (daily: string | null) => string;
  readonly settings: string;
  readonly stop: string;
}

/** The fixed texts of lists and overviews that are sent on a schedule. */
export interface ReportWords {
  readonly rows: (count: number, called: Pick<EntityJson, "one" | "many">) => string;
  readonly more: (shown: string, total: string) => string;
  /** "No requests at the moment." */
  readonly empty: string;
  /** "18 earlier", of the periods of a chart. */
  readonly earlier: (count: number) => string;
  /** `isMet`: null without a figure. */
  readonly target: (target: TargetJson, isMet: boolean | null, value: string) => string;
  /** The reason of the mail; `time` has its zone. */
  readonly foot: (application: string, title: string, every: Schedule) => string;
  readonly file: (count: number) => string;
  readonly pivot: PivotWords;
}

/** The words around the values of a pivot. */
export interface PivotWords {
  readonly total: string;
  /** "No status", for records without a value. */
  readonly none: (field: string) => string;
  readonly others: (count: number) => string;
}

export interface InvitationInMail {
  /** The person who invites. */
  readonly person: string;
  /** The sentence that says what the application is for; empty if there is none. */
  readonly about: string;
  readonly days: number;
}

export interface ProposalInMail {
  readonly number: number;
  /** `changed`: the text of the proposal was replaced. */
  readonly event: "person" | "file" | "operator" | "changed";
  /** The author; empty if there is none. */
  readonly name: string;
  readonly link: string;
}

/** Time in the document's time zone, the network address, and the base of links. */
export interface MailOrigin {
  readonly at: string;
  readonly from: string;
  readonly origin: string;
}

/** The page of the reader's own account. */
export const toAccount = (origin: string): string => `${origin}/sign-in/account`;

/** The mails in the recipient's language; English if there is no catalogue. */
export const getMails = (locale: string): Mails => {
  const { language, grammar, mail } = catalogueFor(locale);
  const sentences = createSentences(language, grammar);
  const say = <Id extends MailId>(id: Id, values: MailArguments<Id>): string =>
    sentences<unknown>(mail[id], values).join("");
  const write = (subject: string, text: string): Mail => ({ language, subject, text });
  return {
    register: (application, link) =>
      write(say("register.subject", { application }), say("register.text", { application, link })),
    known: (application, link) =>
      write(say("known.subject", { application }), say("known.text", { application, link })),
    invited: (application, link, { person, about, days }) => {
      const subject = say("invited.subject", { application, person });
      const parts = [
        say("invited.who", { application, person }),
        about,
        say("invited.text", { link, days, site: new URL(link).host }),
      ];
      return write(subject, parts.filter((part) => part !== "").join("\n\n"));
    },
    password: (application, link, { person, hours }) =>
      write(say("password.subject", { application }), say("password.text", { application, person, link, hours })),
    forgotten: (application, link, isFirst) => {
      const id = isFirst ? "first" : "forgotten";
      return write(say(`${id}.subject`, { application }), say(`${id}.text`, { application, link }));
    },
    passwordSet: (application, { at, from, origin }) => {
      const link = `${origin}/sign-in`;
      return write(
        say("password.set.subject", { application }),
        say("password.set.text", { application, at, from, link }),
      );
    },
    addressChanged: (application, { at }, from, to) =>
      write(
        say("address.changed.subject", { application }),
        say("address.changed.text", { application, at, from, to }),
      ),
    tokenMade: (application, { at, from, origin }, name) => {
      const link = toAccount(origin);
      return write(
        say("token.made.subject", { application }),
        say("token.made.text", { application, at, from, name, link }),
      );
    },
    tokenEnded: (application, { at, from, origin }, name) => {
      const link = toAccount(origin);
      return write(
        say("token.ended.subject", { application }),
        say("token.ended.text", { application, at, from, name, link }),
      );
    },
    proposal: (application, { number, event, name, link }) =>
      write(
        say("proposal.subject", { application, number: String(number) }),
        say("proposal.text", { application, number: String(number), event, name, link }),
      ),
    noticeSubject: (application) => say("notice.subject", { application }),
    othersInNotice: (count) => say("notice.others", { count }),
    deputyWork: (person, acts) => [say("notice.deputy", { person }), ...acts.map((act) => `• ${act}`)].join("\n"),
    digestSubject: (application, count) => say("digest.subject", { application, count }),
    notice: (application) => ({
      open: say("notice.open", {}),
      acts: (titles, hours) =>
        say("notice.acts", {
          hours,
          count: titles.length,
          acts: new Intl.ListFormat(language).format(titles.map((title) => say("notice.act", { title }))),
        }),
      all: say("notice.all", {}),
      foot: (daily) => say("notice.foot", { application, timing: daily === null ? "now" : "daily", time: daily ?? "" }),
      settings: say("notice.settings", {}),
      stop: say("notice.stop", {}),
    }),
    report: {
      rows: (count, { one, many }) => say("report.rows", { count, thing: one, things: many }),
      more: (shown, total) => say("report.more", { shown, total }),
      empty: say("report.empty", {}),
      earlier: (count) => say("report.earlier", { count }),
      target: (target, isMet, value) => say(targetTextOf(target, isMet), { value }),
      foot: (application, title, { days, time }) => say("report.foot", { application, title, on: days, time }),
      file: (count) => say("report.file", { count }),
      pivot: {
        total: say("report.total", {}),
        none: (field) => say("report.none", { field }),
        others: (count) => say("report.others", { count }),
      },
    },
    only: (domains) => say("only.domains", { domains: domains.join(", ") }),
  };
};

/** The header that tells mail programs and screen readers the language of a mail. */
export const languageHeader = (language: string): Readonly<Record<string, string>> => ({
  "content-language": language,
});
