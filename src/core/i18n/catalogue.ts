import type { texts as englishDefaults } from "./en/defaults.ts";
import type {
  texts as englishErrors,
  kinds as englishKinds,
  queries as englishQueries,
  KindName,
} from "./en/errors.ts";
import type { texts as englishInterface } from "./en/interface.ts";
import type { Grammar, TitleTexts } from "./grammar.ts";

/*
 * The catalogue of a language, by area. A language is a folder beside this file: `grammar.ts`, `interface.ts`,
 * `explain.ts`, `errors.ts`, `mail.ts`, `change.ts` and `defaults.ts`, each of which `satisfies` its type here, so that a missing text is a type
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
  /** Replaces the message for people who can read the specification, if a version removed the field or entity. */
  readonly removedBy: string;
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

/**
 * The lines of behaviour, steps and refusals of a change, with their arguments. `many`: the records of an entity.
 */
export const changeArguments = {
  // Lists and quotation marks
  quoted: ["text"],
  "list.and": ["before", "last"],
  "list.or": ["before", "last"],
  "list.separator": [],
  // People
  "holders.administrators": [],
  "holders.themselves": [],
  "holders.group": ["title", "plural"],
  "holders.held": ["title"],
  "holders.group.foreign": ["title"],
  "holders.held.foreign": ["title"],
  "that.person": [],
  "the.person": [],
  // Purpose
  "the.default": [],
  "product.changed": ["what", "now", "before"],
  "language.added": ["language"],
  "language.removed": ["language"],
  "language.texts": ["language"],
  // Screens
  "screen.added": ["title", "path"],
  "screen.removed": ["title", "path"],
  "screen.called": ["path", "title"],
  "screen.only": ["path", "roles"],
  "screen.everybody": ["path"],
  "screen.also": ["path", "roles"],
  "screen.not.for": ["path", "roles"],
  "screen.gains": ["path", "names", "member"],
  "screen.loses": ["path", "names", "member"],
  "screen.replaces": ["path", "gained", "lost", "member"],
  "screen.shows": ["path", "names"],
  "screen.shows.not": ["path", "names"],
  "screen.sorted": ["path", "names"],
  "sort.down": ["name"],
  "screen.records": ["path"],
  "screen.records.where": ["path", "condition"],
  "screen.records.all": ["path"],
  "screen.layouts": ["path"],
  "layout.name": ["kind"],
  "screen.layout.added": ["path", "layouts"],
  "screen.layout.removed": ["path", "layouts"],
  "screen.layout.first": ["path", "layout"],
  "screen.other": ["path", "member"],
  "tile.added": ["path", "title"],
  "tile.changed": ["path", "title", "member"],
  "tile.removed": ["path", "title"],
  // Entities and their records
  "entity.added": ["name", "many"],
  "entity.removed": ["name", "many"],
  "entity.labelled": ["many"],
  "entity.called": ["name", "now", "before"],
  "entity.address": ["many", "now", "before"],
  "entity.derived": ["many"],
  "entity.plain": ["many"],
  "entity.derived.differently": ["many"],
  "entity.derived.more": ["many"],
  "entity.derived.fewer": ["many"],
  "entity.other": ["name", "member"],
  "record.added": ["name"],
  "record.removed": ["name"],
  "record.changed": ["name"],
  // Fields
  "field.added": ["field", "many", "required"],
  "field.removed": ["field", "many"],
  "type.list": ["type"],
  "field.type": ["field", "many", "now", "before"],
  "field.former": ["field", "many", "names"],
  "field.filled": ["field", "many"],
  "field.refers": ["field", "many", "now", "before"],
  "field.required": ["field", "many"],
  "field.optional": ["field", "many"],
  "field.can.miss": ["field", "many"],
  "field.cannot.miss": ["field", "many"],
  "field.unique": ["field", "many"],
  "field.not.unique": ["field", "many"],
  "field.one.missing": ["field", "many"],
  "field.several.missing": ["field", "many"],
  "field.personal": ["field", "many"],
  "field.not.personal": ["field", "many"],
  "field.once": ["field", "many"],
  "field.not.once": ["field", "many"],
  "field.set": ["field", "many"],
  "field.not.set": ["field", "many"],
  "field.set.differently": ["field", "many"],
  "field.default.added": ["field", "many"],
  "field.default.removed": ["field", "many"],
  "field.default.changed": ["field", "many"],
  "field.default.now": ["field", "many", "now", "before"],
  "field.computed": ["field", "many"],
  "field.not.computed": ["field", "many"],
  "field.lists": ["field", "many"],
  "field.computed.differently": ["field", "many"],
  "field.kept": ["field", "many", "now", "before"],
  "kept.always": [],
  "kept.write": [],
  "kept.good": [],
  "kept.fields": ["fields"],
  "kept.transitions": ["transitions"],
  "kept.both": ["fields", "transitions"],
  "field.yes.more": ["field", "many"],
  "field.yes.fewer": ["field", "many"],
  "field.values.added": ["field", "many", "names"],
  "field.values.removed": ["field", "many", "names"],
  "field.values.merged": ["field", "many", "names", "now"],
  "field.bound.removed": ["field", "many", "bound", "characters"],
  "field.bound.added": ["field", "many", "which", "bound", "characters"],
  "field.bound.changed": ["field", "many", "which", "bound", "characters", "before"],
  "field.part": ["field", "many"],
  "field.not.part": ["field", "many"],
  "field.among.more": ["field", "many"],
  "field.among.fewer": ["field", "many"],
  "field.needed.more": ["field", "many"],
  "field.needed.fewer": ["field", "many"],
  "field.was.called": ["field", "many", "before"],
  "field.currency": ["field", "many", "now", "before"],
  "field.series": ["field", "many"],
  "field.from": ["field", "many"],
  "field.unit": ["field", "many"],
  "field.help": ["field", "many"],
  "field.examples": ["field", "many"],
  "field.other": ["field", "many", "members"],
  // States and transitions
  "state.first": ["many"],
  "state.none": ["many"],
  "state.added": ["state", "many"],
  "state.removed": ["state", "many"],
  "state.merged": ["state", "many", "now"],
  "state.other": ["state", "many", "member"],
  "state.initial": ["many", "state"],
  "state.final": ["many", "state"],
  "state.not.final": ["many", "state"],
  "transition.added": ["transition", "many", "by"],
  "transition.added.automatic": ["transition", "many"],
  "transition.removed": ["transition", "many"],
  "transition.from": ["transition", "many", "states"],
  "transition.not.from": ["transition", "many", "states"],
  "transition.to": ["transition", "many", "state"],
  "transition.more": ["transition", "many"],
  "transition.more.if": ["transition", "many", "condition"],
  "transition.fewer": ["transition", "many"],
  "transition.fewer.if": ["transition", "many", "condition"],
  "precondition.added": ["transition", "many", "error"],
  "precondition.added.is": ["transition", "many", "error", "condition"],
  "precondition.removed": ["transition", "many", "error"],
  "precondition.stricter": ["transition", "many", "error"],
  "precondition.looser": ["transition", "many", "error"],
  "precondition.otherwise": ["transition", "many"],
  "transition.asks.not": ["transition", "many", "field"],
  "transition.requires": ["transition", "many", "field"],
  "transition.asks": ["transition", "many", "field"],
  "transition.sets": ["transition", "many"],
  "transition.automatic": ["transition", "many"],
  "transition.not.automatic": ["transition", "many"],
  "transition.another.time": ["transition", "many"],
  "transition.another.condition": ["transition", "many"],
  "transition.main": ["transition", "many"],
  "transition.not.main": ["transition", "many"],
  "transition.was.called": ["transition", "many", "before"],
  "transition.other": ["transition", "many", "members"],
  // Effects of a write
  "when.create": ["many"],
  "when.update": ["many"],
  "when.delete": ["many"],
  "when.transition": ["transition", "many"],
  "does.notify": [],
  "does.call": ["call"],
  "does.create": ["many"],
  "does.put": ["many"],
  "does.update": ["many"],
  "does.delete": ["many"],
  "does.make": ["transition", "many"],
  "effect.added": ["when", "does"],
  "effect.removed": ["when", "does"],
  "effect.changed": ["when", "does", "how"],
  "how.each": [],
  "how.when": [],
  "how.to": [],
  "how.text": [],
  "how.values": [],
  "how.key": [],
  // Rules
  "rule.added": ["error", "many"],
  "rule.added.is": ["error", "many", "condition"],
  "rule.removed": ["error", "many"],
  "rule.stricter": ["error", "many"],
  "rule.stricter.is": ["error", "many", "condition"],
  "rule.looser": ["error", "many"],
  "rule.looser.is": ["error", "many", "condition"],
  "rule.moment": ["error", "many", "now", "before"],
  "moment.each": ["related"],
  "moment.on": ["moments", "related"],
  "rule.was.called": ["error", "many", "before"],
  "pair.any": ["many", "overlap"],
  "pair.same": ["many", "fields", "overlap"],
  "pairs.not.possible": ["pair"],
  "pairs.possible": ["pair"],
  "pairs.only": ["pair"],
  "pairs.instead": ["pair"],
  "pairs.even": ["pair"],
  "pairs.overlap": ["pair"],
  "pairs.more": ["pair"],
  "pairs.fewer": ["pair"],
  "pairs.missing": ["pair"],
  "pairs.not.missing": ["pair"],
  // Permissions
  "object.all": ["many"],
  "object.some": ["many"],
  "object.none": ["many"],
  "object.fields.all": ["fields", "many"],
  "object.fields.some": ["fields", "many"],
  "object.fields.none": ["fields", "many"],
  act: ["action", "object"],
  "act.transition.all": ["transition", "many"],
  "act.transition.some": ["transition", "many"],
  "act.transition.none": ["transition", "many"],
  can: ["who", "act", "anonymous"],
  "can.where": ["who", "act", "condition", "anonymous"],
  "can.only": ["who", "act", "condition"],
  "cannot.always": ["who", "act"],
  cannot: ["who", "act", "anonymous"],
  "cannot.where": ["who", "act", "condition", "anonymous"],
  // Roles and approval
  "members.anyone": [],
  "members.signed.in": [],
  "members.granted": [],
  "role.added": ["title", "members"],
  "role.removed": ["title"],
  "role.members": ["title", "members"],
  "role.was.called": ["title", "before"],
  "held.added": ["title", "many"],
  "held.removed": ["title", "many"],
  "held.more": ["title", "many"],
  "held.fewer": ["title", "many"],
  "held.was.called": ["title", "many", "before"],
  "approval.can": ["title", "action"],
  "approval.cannot": ["title", "action"],
  "approval.count": ["now", "before"],
  "approval.not.own": [],
  "approval.own": [],
  // Sign-in and tokens
  "password.on": [],
  "password.off": [],
  "provider.on": ["title"],
  "provider.off": ["title"],
  "provider.other": ["title", "member"],
  "sign.in.off": [],
  "sign.in.on": [],
  "sign.in.by": ["name"],
  "sign.in.by.email": [],
  "register.on": [],
  "register.off": [],
  "register.any": [],
  "register.at": ["names"],
  "register.at.once": [],
  "register.mailed": [],
  "register.roles": ["names"],
  "register.no.roles": [],
  "outgoing.added": ["name"],
  "outgoing.removed": ["name"],
  "outgoing.other": ["name", "member"],
  "errors.form": [],
  "origins.added": ["names"],
  "origins.removed": ["names"],
  "tokens.by": ["names"],
  "tokens.by.nobody": [],
  "tokens.days": ["now", "before"],
  "tokens.scheme": ["now", "before"],
  // Errors and constants
  "error.added": ["code", "message"],
  "error.removed": ["code"],
  "error.status": ["code", "now", "before"],
  "error.message": ["code", "now", "before"],
  "error.help": ["code"],
  "error.at": ["code"],
  "error.shape": ["code"],
  "constant.added": ["name", "value"],
  "constant.removed": ["name", "value"],
  "constant.changed": ["name", "now", "before"],
  // Calls
  "calls.of": ["many"],
  "call.of": ["name"],
  "calls.removed": ["of", "names"],
  "call.removed": ["names"],
  "call.added": ["names"],
  "calls.added": ["of", "names"],
  "calls.breaking": ["of", "facts"],
  "call.breaking": ["of", "facts"],
  "calls.addresses": ["of", "names"],
  "calls.names": ["of", "names"],
  "name.now": ["before", "now"],
  "calls.compatible": ["count", "many", "facts"],
  "call.compatible": ["of", "facts"],
  "fact.input": [],
  "fact.answer": [],
  "fact.requires.parameter": ["names", "one"],
  "fact.limited.by": ["names", "one"],
  "fact.not.limited.by": ["names", "one"],
  "fact.sorted.by": ["names", "one"],
  "fact.not.sorted.by": ["names", "one"],
  "fact.status": ["names", "one"],
  "fact.not.status": ["names", "one"],
  "fact.answers.as": ["names", "one"],
  "fact.not.answers.as": ["names", "one"],
  "fact.accepts.form": ["names", "one"],
  "fact.gives.form": ["names", "one"],
  "fact.accepts.no.value": ["names", "one"],
  "fact.gives.no.value": ["names", "one"],
  "fact.not.missing": ["names", "one"],
  "fact.always.gives": ["names", "one"],
  "fact.accepts.type": ["names", "one"],
  "fact.gives.type": ["names", "one"],
  "fact.accepts.fewer": ["names", "one"],
  "fact.gives.fewer": ["names", "one"],
  "fact.accepts.more": ["names", "one"],
  "fact.gives.more": ["names", "one"],
  "fact.not.accepts": ["names", "one"],
  "fact.not.gives": ["names", "one"],
  "fact.gives": ["names", "one"],
  "fact.requires": ["names", "one"],
  "fact.accepts": ["names", "one"],
  "fact.not.requires": ["names", "one"],
  "fact.can.leave.out": ["names", "one"],
  "call.by": ["name", "roles"],
  "call.by.everybody": ["name"],
  "call.headers": ["name"],
  "call.errors": ["name"],
  "call.unknown.ignored": ["name"],
  "call.unknown.refused": ["name"],
  "call.differently": ["name"],
  // Steps of a migration
  "step.optional": ["clause"],
  "step.required": ["clause"],
  "step.computed.removed": ["clause"],
  "step.plain": ["clause"],
  "step.recompute": ["clause"],
  "step.several": ["clause"],
  "step.one": ["clause"],
  "step.table": ["clause", "name"],
  "step.column": ["clause", "name"],
  "step.reference": ["clause", "table"],
  "step.index": ["clause", "name"],
  "step.index.rebuild": ["clause", "name"],
  "step.index.later": ["clause", "name"],
  "step.index.removed": ["clause", "name"],
  "step.check": ["clause"],
  "step.check.changed": ["clause"],
  "step.check.removed": ["clause"],
  "step.value.removed": ["clause", "value"],
  "step.filled": ["clause", "rows"],
  "step.numbered": ["clause", "rows"],
  "step.converted": ["clause", "rows"],
  "step.restored": ["clause", "rows"],
  "step.unfilled": ["clause", "rows"],
  "step.dangling": ["clause", "rows"],
  "step.bound": ["clause", "which", "bound", "characters"],
  "kept.values": ["rows"],
  "kept.records": ["rows"],
  "step.removed": ["clause", "kept"],
  "step.retyped": ["clause", "from", "to", "kept"],
  "type.computed": [],
  "type.reference": ["to"],
  "step.derived": ["clause", "kept"],
  "step.table.back": ["clause", "rows"],
  "step.column.back": ["clause", "rows"],
  "step.column.gets": ["clause", "name"],
  "step.stale": ["clause", "rows"],
  "step.merged": ["clause", "old", "now", "rows"],
  "step.renamed": ["clause", "old", "now", "of"],
  "step.value.renamed": ["clause", "old", "now", "rows"],
  "step.record.added": ["clause"],
  "step.record.changed": ["clause", "fields"],
  "step.record.edited": ["clause"],
  "step.record.used": ["clause"],
  "step.record.deleted": ["clause"],
  "step.searches": [],
  "step.stopped": ["seconds"],
  "step.checked.later": [],
  "step.pause": ["name", "seconds", "minutes"],
  "step.pause.prepared": ["name", "seconds", "minutes"],
  // Refusals of a migration
  "refused.required.added": ["clause", "rows"],
  "refused.required": ["clause", "rows", "filled"],
  "refused.one": ["clause", "rows", "required"],
  "refused.unique": ["clause", "rows"],
  "refused.unique.any": ["clause"],
  "refused.pairs": ["clause", "same"],
  "refused.value": ["clause", "value", "rows", "example"],
  "refused.violates": ["clause", "rows"],
  "refused.unfit": ["what", "rows"],
  "refused.bound": ["clause", "which", "bound", "characters", "rows"],
  "refused.dangling": ["clause", "rows"],
  "refused.other.type": ["clause", "name", "said", "is"],
  "former.value": [],
  "refused.converted": ["clause", "names", "rows"],
  "refused.computed": ["clause", "problem"],
  "refused.foreign.table": ["name"],
  "refused.foreign.column": ["name", "table"],
  "refused.record": ["clause", "same", "constraint"],
  "refused.full": ["problem"],
  "refused.superseded": [],
} as const;

export type ChangeId = keyof typeof changeArguments;
export type ChangeTexts = { readonly [id in ChangeId]: string };

/** For each default in force: what the specification leaves open ("the roles"), and what applies, as a sentence. */
export type DefaultTexts = {
  readonly [code in keyof typeof englishDefaults]: { readonly silent: string; readonly inForce: string };
};

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
  readonly change: ChangeTexts;
  readonly defaults: DefaultTexts;
  readonly titles: TitleTexts;
}
