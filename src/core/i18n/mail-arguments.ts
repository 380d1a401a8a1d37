import type { ArgumentsOf } from "./arguments.ts";

/** Mails and their arguments. `at` is a time, `from` a network address. */
export const mailArguments = {
  /** A link that creates an account. */
  "register.subject": ["application"],
  "register.text": ["application", "link"],
  /** A registration for an existing account. */
  "known.subject": ["application"],
  "known.text": ["application", "link"],
  /** An administrator created an account. */
  "invited.subject": ["application", "person"],
  /** The first sentence, before that about the application. */
  "invited.who": ["application", "person"],
  /** `site`: the host of the application, such as desk.example.com. */
  "invited.text": ["link", "days", "site"],
  /** An administrator created a link for a new password. */
  "password.subject": ["application"],
  "password.text": ["application", "person", "link", "hours"],
  /** A person asked for a link for a new password. */
  "forgotten.subject": ["application"],
  "forgotten.text": ["application", "link"],
  /** The link that an invited person without a password asked for. */
  "first.subject": ["application"],
  "first.text": ["application", "link"],
  "password.set.subject": ["application"],
  "password.set.text": ["application", "at", "from", "link"],
  /** Sent to the old and the new address. */
  "address.changed.subject": ["application"],
  "address.changed.text": ["application", "at", "from", "to"],
  "token.made.subject": ["application"],
  "token.made.text": ["application", "at", "from", "name", "link"],
  "token.ended.subject": ["application"],
  "token.ended.text": ["application", "at", "from", "name", "link"],
  /** A proposed version waits for approval. `event`: person, file, operator or changed; `name`: the author, for “person”. */
  "proposal.subject": ["application", "number"],
  "proposal.text": ["application", "number", "event", "name", "link"],
  /** A notification about a record that its reader cannot read. */
  "notice.subject": ["application"],
  /** The text of the link to a record. */
  "notice.open": [],
  /** Below the links to transitions. */
  "notice.act": ["title"],
  "notice.acts": ["acts", "count", "hours"],
  /** Further parts of a record that a notification is about. */
  "notice.others": ["count"],
  /** Before the work that a person hands to the reader, as their deputy. */
  "notice.deputy": ["person"],
  "notice.all": [],
  "notice.foot": ["application", "timing", "time"],
  "notice.settings": [],
  "notice.stop": [],
  "digest.subject": ["application", "count"],
  /** A list or an overview that is sent on a schedule. */
  "report.rows": ["count", "thing", "things"],
  /** Fewer rows are shown. */
  "report.more": ["shown", "total"],
  /** A list or a tile without records. */
  "report.empty": [],
  /** The older periods of a chart, which have no bars of their own. */
  "report.earlier": ["count"],
  // The target of a figure, as on pages.
  "target.least": ["value"],
  "target.least.kept": ["value"],
  "target.least.missed": ["value"],
  "target.most": ["value"],
  "target.most.kept": ["value"],
  "target.most.missed": ["value"],
  /** `on`: days of a schedule, such as `monday`. */
  "report.foot": ["application", "title", "on", "time"],
  "report.file": ["count"],
  "report.total": [],
  "report.none": ["field"],
  "report.others": ["count"],
  /** In the PDF of a letter. */
  "letter.unprintable": [],
  /** On the registration page: the domains that may register. */
  "only.domains": ["domains"],
} as const;

export type MailId = keyof typeof mailArguments;
export type MailArguments<Id extends MailId> = ArgumentsOf<(typeof mailArguments)[Id]>;
export type MailTexts = { readonly [id in MailId]: string };
