import type { ArgumentsOf } from "./arguments.ts";

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
  /** All holders of a global role: "every keeper", "everyone in Payroll". */
  "group.all": ["title"],
  /** The holder of a role on the record, or the person in one of its fields: "the employee". */
  holder: ["title"],
  "holder.with.names": ["who", "names"],
  /** The only person in the sentence: "the employee, Jonas Weber,". */
  "holder.with.names.alone": ["who", "names"],
  "holder.with.when": ["who", "when"],
  "holder.with.names.when": ["who", "names", "when"],
  "in.states": ["states"],
  /** The title of a transition as a verb in running text; empty if it is none. */
  "role.act": ["title"],
  /** Creating, editing and deleting records, as such verbs. */
  "role.add": [],
  "role.edit": [],
  "role.delete": [],
  /** Bringing records into other states, as such a verb. */
  "role.work": [],
  /** The work of a role. `acts`: verbs in lower case. */
  "role.acts": ["acts", "things"],
  /** Work on records whose titles are no verbs, or for which the sentence before has no room. */
  "role.rest": ["acts", "things"],
  "role.is": ["title"],
  "role.sees": ["things"],
  "role.sees.thing": ["things"],
  /** Seeing fields that others cannot see. `fields`: their titles, with "role.more" last if there are others. */
  "role.sees.more": ["things", "fields"],
  "role.more": [],

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
  /** The size of a list. */
  "number.of": ["title"],
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
  "may.be.done.because": ["reason"],
  "may.be.tried.because": ["reason"],
  "stands.in.you": ["person"],
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
  "only.where": ["title", "phrase"],
  "only.looking": ["name"],
  "not.this": ["action", "one", "many"],
  "not.added": ["one", "many", "to"],
  "not.added.in.state": ["one", "many", "to", "states", "is"],
} as const;

export type ExplainId = keyof typeof explainArguments;
export type ExplainArguments<Id extends ExplainId> = ArgumentsOf<(typeof explainArguments)[Id]>;
export type ExplainTexts = { readonly [id in ExplainId]: string };
