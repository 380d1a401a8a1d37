import type { ExplainArguments, ExplainId } from "../i18n/explain-arguments.ts";
import type { Action } from "../model/permissions.ts";

/** The name of an entity in running text; `here` if the sentence is about the current record. */
export interface EntityNoun {
  readonly one: string;
  readonly many: string;
  readonly here: boolean;
}

/**
 * Complete sentences for refusals without a message in the document. `title` is that of a transition. `who` are phrases
 * for permitted persons: "Payroll", "the employee (Jonas Weber)". `only` is a condition for all of them: "while it is
 * “Draft”".
 */
export interface Sentences {
  readonly mayBeDone: string;
  /** Allowed, but the entered values can still be refused. */
  readonly mayBeTried: string;
  /** Allowed, because the reader stands in for somebody. */
  readonly mayAsDeputy: (person: string, dependsOnInput: boolean) => string;
  /** For a record that does not exist or is invisible; the sentence must not reveal which. */
  readonly unseen: string;
  readonly unseenField: (name: string) => string;
  /** Without a record or before input: the condition as a phrase, and the number of other cases. */
  readonly dependsOn: (phrase: string, others: number) => string;
  readonly hidden: string;
  /** The reason as a phrase: "the kind is not “Sick”". */
  readonly because: (phrase: string) => string;
  readonly isSet: (field: string) => string;
  readonly isOnce: (field: string) => string;
  readonly onlyRoles: (who: readonly string[]) => string;
  readonly onlyRolesFor: (action: Action, field: string, who: readonly string[]) => string;
  readonly whoMay: (action: Action, noun: EntityNoun, who: readonly string[], only: string | null) => string;
  readonly whoMayMake: (title: string, noun: EntityNoun, who: readonly string[], only: string | null) => string;
  /** For derived rows. */
  readonly followsFromOthers: (action: Action, noun: EntityNoun) => string;
  /** For accounts, which nobody creates or deletes as records. */
  readonly accounts: { readonly create: string; readonly delete: string };
  /** Refusals of the platform by clause. */
  readonly platform: { readonly [clause: string]: string };
  /** For a program with a read-only token. */
  readonly onlyReads: string;
  /** An open point: until it is decided, only administrators have the permission, or nobody. */
  readonly undecided: (action: Action, noun: EntityNoun, until: "administrators" | "nobody") => string;
  readonly undecidedTransition: (title: string) => string;
  /** A transition that is only automatic. */
  readonly byItself: (title: string) => string;
  /** `is`: the current state, if the reader can know it. */
  readonly otherState: (title: string, noun: EntityNoun, from: readonly string[], is: string | null) => string;
  /** `who`: the name of the person who lacks the permission; null for the reader. */
  readonly otherStateFor: (
    action: Action,
    noun: EntityNoun,
    states: readonly string[],
    now: { readonly is: string; readonly who: string | null },
  ) => string;
  /** Notifications about proposals, by event. */
  /** Used instead of a name for the operator. */
  readonly operator: string;
  readonly proposal: { readonly [happened: string]: (name: string, number: string) => string };
  readonly notNow: (title: string) => string;
  /** For a transition that a rule refuses on this record. */
  readonly onlyWhere: (title: string, phrase: string) => string;
  /** For an administrator who views the application as another person. */
  readonly onlyLooking: (name: string) => string;
  /**
   * The work of a role on one kind of record, from the titles of its transitions: "Approve and decline requests". "Work on
   * requests" if none of them is a verb. `rest`: the titles and writes that the line does not name.
   */
  readonly roleActs: (
    titles: readonly string[],
    things: string,
    writes: readonly Exclude<Action, "read">[],
  ) => { readonly text: string; readonly rest: readonly string[] };
  /** Work that a sentence with verbs does not name: "Pass on to finance (requests)". */
  readonly roleRest: (acts: readonly string[], things: string) => string;
  /** Acting with a role of which nothing else can be said: "Act as Clerk". */
  readonly roleIs: (title: string) => string;
  readonly roleSees: (things: readonly string[]) => string;
  /** Reading fields of records that others can read without them: "See more about users (Email, Manager and more)". */
  readonly roleSeesMore: (things: string, fields: readonly string[]) => string;
  /** For a person with the permission on other records. */
  readonly notThis: (action: Action, noun: EntityNoun) => string;
  /** For a person who can add to other records of this entity. */
  readonly notAdded: (
    noun: EntityNoun,
    to: EntityNoun,
    state: { readonly are: readonly string[]; readonly is: string } | null,
  ) => string;
}

/** Formats a text of a language; argument names are checked against `explainArguments`. */
export type Explain = <Id extends ExplainId>(id: Id, values: ExplainArguments<Id>) => string;
type Listed = (words: readonly string[], last: "list.and" | "list.or") => string;

/** Removes the comma that closes an insertion before another punctuation mark. */
const ended = (sentence: string): string => sentence.replace(/,(?=[.,;])/gu, "");

/** Maximum number of characters of a short list. */
const MAX_LISTED = 40;

/** The first words of a list that fit into a short line. */
const shortest = (words: readonly string[]): readonly string[] =>
  words.filter((_, nth) => nth === 0 || words.slice(0, nth + 1).join(", ").length <= MAX_LISTED);

const ROLE_WRITES = { create: "role.add", update: "role.edit", delete: "role.delete" } as const;

/** Builds the sentences of one language. */
export const buildSentences = (explain: Explain, list: Listed): Sentences => {
  const or = (words: readonly string[]): string => list(words, "list.or");
  return {
    mayBeDone: explain("may.be.done", {}),
    mayBeTried: explain("may.be.tried", {}),
    mayAsDeputy: (person, dependsOnInput) =>
      explain(dependsOnInput ? "may.be.tried.because" : "may.be.done.because", {
        reason: explain("stands.in.you", { person }),
      }),
    unseen: explain("unseen", {}),
    unseenField: (name) => explain("unseen.field", { name }),
    dependsOn: (phrase, others) => explain("depends.on", { phrase, others }),
    hidden: explain("hidden", {}),
    because: (phrase) => explain("because", { phrase }),
    isSet: (field) => explain("is.automatic", { field }),
    isOnce: (field) => explain("is.once", { field }),
    onlyRoles: (who) => (who.length === 0 ? explain("only.these.none", {}) : explain("only.these", { who: or(who) })),
    onlyRolesFor: (action, field, who) =>
      who.length === 0
        ? explain("only.field.none", { action, field })
        : explain("only.field", { action, field, who: or(who) }),
    whoMay: (action, noun, who, when) => {
      if (who.length === 0) return explain("only.none", { action, ...noun });
      const args = { action, ...noun, who: or(who) };
      return ended(when === null ? explain("only", args) : explain("only.when", { ...args, when }));
    },
    whoMayMake: (title, noun, who, when) => {
      const args = { title, ...noun, who: or(who) };
      return ended(
        when === null ? explain("only.transition", args) : explain("only.transition.when", { ...args, when }),
      );
    },
    followsFromOthers: (action, { one, many }) => explain("follows.from.others", { action, one, many }),
    accounts: { create: explain("accounts.create", {}), delete: explain("accounts.delete", {}) },
    platform: {
      "6.administrator": explain("administrators.only", {}),
      ADMINISTRATORS_ONLY: explain("administrators.only", {}),
      CHANGES_BY_ADMINISTRATORS: explain("administrators.only", {}),
      "6.changes": explain("changes.not.yours", {}),
      NO_TOKENS: explain("tokens.none", {}),
      "7.token": explain("tokens.not.yours", {}),
    },
    operator: explain("proposal.operator", {}),
    proposal: {
      proposed: (name, number) => explain("proposal.proposed", { name, number }),
      commented: (name, number) => explain("proposal.commented", { name, number }),
      approved: (name, number) => explain("proposal.approved", { name, number }),
      rejected: (name, number) => explain("proposal.rejected", { name, number }),
      withdrawn: (name, number) => explain("proposal.withdrawn", { name, number }),
      reopened: (name, number) => explain("proposal.reopened", { name, number }),
      published: (name, number) => explain("proposal.published", { name, number }),
    },
    onlyReads: explain("token.only.reads", {}),
    byItself: (title) => explain("happens.automatically", { title }),
    undecided: (action, { one, many }, until) => explain("undecided", { action, one, many, until }),
    undecidedTransition: (title) => explain("undecided.transition", { title }),
    otherState: (title, { one, many }, from, is) =>
      is === null
        ? explain("other.state.hidden", { title, one, many })
        : explain("other.state", { title, one, many, states: or(from), is }),
    otherStateFor: (action, { one, many }, states, { is, who }) => {
      const args = { action, one, many, states: or(states), is };
      return who === null ? explain("you.only.in.state", args) : explain("they.only.in.state", { ...args, who });
    },
    notNow: (title) => explain("not.now", { title }),
    onlyWhere: (title, phrase) => explain("only.where", { title, phrase }),
    onlyLooking: (name) => explain("only.looking", { name }),
    roleActs: (titles, things, writes) => {
      const named = titles.map((title) => ({ title, verb: explain("role.act", { title }) }));
      const verbs = named.flatMap(({ verb }) => (verb === "" ? [] : [verb]));
      const acts = verbs.length > 0 || titles.length === 0 ? verbs : [explain("role.work", {})];
      const own = writes.map((action) => explain(ROLE_WRITES[action], {}));
      const all = [...own, ...acts.filter((verb) => !own.includes(verb))];
      const shown = shortest(all);
      return {
        text: explain("role.acts", { acts: list(shown, "list.and"), things }),
        rest: [
          ...own.filter((act) => !shown.includes(act)),
          ...named.flatMap(({ title, verb }) => (shown.includes(verb) ? [] : [title])),
        ],
      };
    },
    roleRest: (acts, things) => explain("role.rest", { acts: list(acts, "list.and"), things }),
    roleIs: (title) => explain("role.is", { title }),
    roleSees: (things) => {
      const each = things.map((name) => explain("role.sees.thing", { things: name }));
      return explain("role.sees", { things: list(each, "list.and") });
    },
    roleSeesMore: (things, fields) => {
      const shown = shortest(fields);
      const more = shown.length < fields.length ? [explain("role.more", {})] : [];
      return explain("role.sees.more", { things, fields: list([...shown, ...more], "list.and") });
    },
    notThis: (action, { one, many }) => explain("not.this", { action, one, many }),
    notAdded: ({ one, many }, { one: to }, state) =>
      state === null
        ? explain("not.added", { one, many, to })
        : explain("not.added.in.state", { one, many, to, states: or(state.are), is: state.is }),
  };
};
