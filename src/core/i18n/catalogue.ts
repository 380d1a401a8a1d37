import type {
  texts as englishErrors,
  kinds as englishKinds,
  queries as englishQueries,
  KindName,
} from "./en/errors.ts";
import type { texts as englishInterface } from "./en/interface.ts";
import type { Grammar } from "./grammar.ts";

/*
 * The catalogue of a language, by area. A language is a folder beside this file: `grammar.ts`, `interface.ts`,
 * `explain.ts`, `errors.ts` and `mail.ts`, each of which `satisfies` its type here, so that a missing text is a type
 * error in that language's file. Texts are ICU messages; a test compares their arguments across languages.
 */

export type WordId = keyof typeof englishInterface;
/** The texts of the browser, which loads one language at a time. */
export type InterfaceTexts = { readonly [id in WordId]: string };

export type ErrorCode = keyof typeof englishErrors;
export type QueryProblem = keyof typeof englishQueries;
export type { KindName };

/** Failures of the program itself, whose texts a document cannot change. */
export type Unavailable = "FAULT" | "TOO_BUSY" | "TOOK_TOO_LONG" | "STORE_AWAY";

export interface ErrorTexts {
  /** Default texts of the built-in errors. */
  readonly texts: { readonly [code in ErrorCode]: string };
  /** Completes BAD_QUERY after a colon. */
  readonly queries: { readonly [problem in QueryProblem]: string };
  /** Completes WRONG_TYPE: "a date". */
  readonly kinds: { readonly [name in keyof typeof englishKinds]: string };
  readonly unavailable: { readonly [code in Unavailable]: { readonly title: string; readonly detail: string } };
  /** Titles of problem documents by status. */
  readonly titles: { readonly [status: number]: string };
  readonly refused: string;
  /** Replaces the message if something was renamed or moved since the document changed. */
  readonly renamed: string;
  readonly moved: string;
}

/** Types of arguments; all others are texts. */
interface ArgumentTypes {
  readonly not: boolean;
  readonly same: boolean;
  readonly here: boolean;
  readonly others: number;
  readonly days: number;
  readonly hours: number;
  readonly action: "read" | "create" | "update" | "delete";
  readonly until: "administrators" | "nobody";
}

type ArgumentsOf<Names extends readonly string[]> = {
  readonly [name in Names[number]]: name extends keyof ArgumentTypes ? ArgumentTypes[name] : string;
};

/**
 * The sentences and phrases that explain conditions and refusals, with their arguments. `one` and `many`: the name of
 * the entity; `here`: about the current record; `not`: the negation; `same`: "or equal".
 */
export const explainArguments = {
  // Lists
  "list.more": ["before", "last"],
  "list.and": ["before", "last"],
  "list.or": ["before", "last"],
  "list.nor": ["before", "last"],

  // People
  you: [],
  administrator: [],
  oneself: [],
  /** The holders of a global role: "a keeper", "Payroll". */
  group: ["title"],
  /** The holder of a role on the record, or the person in one of its fields: "the employee". */
  holder: ["title"],
  "holder.with.names": ["who", "names"],
  /** The only person in the sentence: "the employee, Jonas Weber,". */
  "holder.with.names.alone": ["who", "names"],
  "holder.with.when": ["who", "when"],
  "holder.with.names.when": ["who", "names", "when"],
  "in.states": ["states"],

  // Values
  now: [],
  today: [],
  /** A field of the current record: "the first day". */
  own: ["title"],
  /** The current record: "this request". */
  record: ["entity"],
  /** A value before the write: "the first day as it was". */
  before: ["what"],
  /** A field of a referenced record: "the employee’s manager". */
  of: ["owner", "title"],
  /** A field of the acting user: "your manager". */
  yours: ["title"],
  /** A constant with its name: "30 (yearly allowance)". */
  limit: ["value", "name"],
  /** The title of a choice's value or a state. */
  named: ["title"],
  /** A text, or source text of the document. */
  quoted: ["source"],
  plus: ["what", "more"],
  minus: ["what", "less"],
  "long.before": ["what", "long"],
  "long.after": ["what", "long"],

  // Conditions
  "you.are": ["what", "not"],
  "this.is.you": ["not"],
  is: ["what", "value", "not"],
  "is.one.of": ["what", "values"],
  "is.none.of": ["what", "values"],
  "is.given": ["what", "not"],
  "is.set": ["what", "not"],
  earlier: ["what", "than", "same"],
  later: ["what", "than", "same"],
  less: ["what", "than", "same"],
  more: ["what", "than", "same"],
  /** A count compared with zero. */
  some: ["title", "not"],
  /** A comparison of the current time: "it is earlier than 15 minutes before the first day". */
  "is.earlier": ["than", "same"],
  "is.later": ["than", "same"],
  holds: ["quoted", "not"],
  /** A condition that has no phrase. */
  "is.met": ["not"],
  /** A requirement under a condition: "if the kind is “Sick”, the note is given". */
  where: ["condition", "phrase"],
  "has.role": ["role", "not"],
  "has.role.other": ["role", "who", "not"],
  something: [],
  "at.its.stage": ["transition"],
  either: ["alternatives"],

  // When something happens automatically
  "comes.after": ["time"],
  "comes.at": ["title"],
  "comes.before.field": ["time", "title"],
  "comes.after.field": ["time", "title"],
  "comes.once": ["phrase"],

  // Sentences of a refusal
  "may.be.done": [],
  "may.be.tried": [],
  unseen: [],
  "unseen.field": ["name"],
  "depends.on": ["phrase", "others"],
  hidden: [],
  because: ["phrase"],
  "is.automatic": ["field"],
  "is.once": ["field"],
  "only.these": ["who"],
  "only.these.none": [],
  "only.field": ["action", "field", "who"],
  "only.field.none": ["action", "field"],
  only: ["action", "here", "one", "many", "who"],
  "only.when": ["action", "here", "one", "many", "who", "when"],
  "only.none": ["action", "here", "one", "many"],
  "only.transition": ["title", "here", "one", "many", "who"],
  "only.transition.when": ["title", "here", "one", "many", "who", "when"],
  "follows.from.others": ["action", "one", "many"],
  "accounts.create": [],
  "accounts.delete": [],
  "administrators.only": [],
  "changes.not.yours": [],
  "proposal.proposed": ["name", "number"],
  "proposal.commented": ["name", "number"],
  "proposal.approved": ["name", "number"],
  "proposal.operator": [],
  "proposal.rejected": ["name", "number"],
  "proposal.withdrawn": ["name", "number"],
  "proposal.reopened": ["name", "number"],
  "proposal.published": ["name", "number"],
  "tokens.none": [],
  "tokens.not.yours": [],
  "token.only.reads": [],
  "happens.automatically": ["title"],
  undecided: ["action", "one", "many", "until"],
  "undecided.transition": ["title"],
  "other.state": ["title", "one", "many", "states", "is"],
  "other.state.hidden": ["title", "one", "many"],
  "you.only.in.state": ["action", "one", "many", "states", "is"],
  "they.only.in.state": ["action", "one", "many", "states", "is", "who"],
  "not.now": ["title"],
  "only.looking": ["name"],
  "not.this": ["action", "one", "many"],
  "not.added": ["one", "many", "to"],
  "not.added.in.state": ["one", "many", "to", "states", "is"],
} as const;

export type ExplainId = keyof typeof explainArguments;
export type ExplainArguments<Id extends ExplainId> = ArgumentsOf<(typeof explainArguments)[Id]>;
export type ExplainTexts = { readonly [id in ExplainId]: string };

/** Mails and their arguments. `at` is a time, `from` a network address. */
export const mailArguments = {
  /** A link that creates an account. */
  "register.subject": ["application"],
  "register.text": ["application", "link"],
  /** A registration for an existing account. */
  "known.subject": ["application"],
  "known.text": ["application", "link"],
  /** An administrator created an account. */
  "invited.subject": ["application"],
  "invited.text": ["application", "link", "days"],
  /** An administrator created a link for a new password. */
  "password.subject": ["application"],
  "password.text": ["application", "link", "hours"],
  "password.set.subject": ["application"],
  "password.set.text": ["application", "at", "from"],
  /** Sent to the old and the new address. */
  "address.changed.subject": ["application"],
  "address.changed.text": ["application", "at", "from", "to"],
  "token.made.subject": ["application"],
  "token.made.text": ["application", "at", "from", "name"],
  "token.ended.subject": ["application"],
  "token.ended.text": ["application", "at", "from"],
  /** A proposed version waits for approval. `event`: person, file, operator or changed; `name`: the author, for “person”. */
  "proposal.subject": ["application", "number"],
  "proposal.text": ["application", "number", "event", "name", "link"],
  /** On the registration page: the domains that may register. */
  "only.domains": ["domains"],
} as const;

export type MailId = keyof typeof mailArguments;
export type MailArguments<Id extends MailId> = ArgumentsOf<(typeof mailArguments)[Id]>;
export type MailTexts = { readonly [id in MailId]: string };

/** All texts of one language that the server needs. */
export interface Catalogue {
  /** `en` */
  readonly language: string;
  readonly grammar: Grammar;
  readonly explain: ExplainTexts;
  /** Replacements for documents in another language. */
  readonly aroundForeignWords: Partial<ExplainTexts>;
  readonly errors: ErrorTexts;
  readonly mail: MailTexts;
}
