import type { ExplainArguments, ExplainId } from "../i18n/catalogue.ts";
import type { Action } from "../model/model.ts";

/** What records are called in running text, and whether it is about the one at hand. */
export interface Thing {
  readonly one: string;
  readonly many: string;
  readonly here: boolean;
}

/**
 * The whole sentences in which a refusal is told: what the document does not word itself.
 * `title` is a transition's; `who` are phrases, each for somebody who may: "Payroll", "the employee (Jonas Weber)"; `only` is
 * when all of them may: "while it is “Draft”".
 */
export interface Sentences {
  readonly mayBeDone: string;
  /** What is entered with it may still be refused. */
  readonly mayBeTried: string;
  /** Of a record that is not there or that may not be seen: the same, whichever it is. */
  readonly unseen: string;
  readonly unseenField: (name: string) => string;
  /** Without a record, or before anything is given: what it depends on, as a phrase, and how many other cases there are. */
  readonly dependsOn: (phrase: string, others: number) => string;
  readonly hidden: string;
  /** What stands against it is a phrase: "the kind is not “Sick”". */
  readonly because: (phrase: string) => string;
  readonly isSet: (field: string) => string;
  readonly isOnce: (field: string) => string;
  readonly onlyRoles: (who: readonly string[]) => string;
  readonly onlyRolesFor: (action: Action, field: string, who: readonly string[]) => string;
  readonly whoMay: (action: Action, thing: Thing, who: readonly string[], only: string | null) => string;
  readonly whoMayMake: (title: string, thing: Thing, who: readonly string[], only: string | null) => string;
  /** Of records that exist because of others. */
  readonly followsFromOthers: (action: Action, thing: Thing) => string;
  /** Where the document lets nobody make or delete accounts as records. */
  readonly accounts: { readonly create: string; readonly delete: string };
  /** What the platform itself refuses, by the clause that it cites. */
  readonly platform: { readonly [clause: string]: string };
  /** To a program whose token is for reading. */
  readonly onlyReads: string;
  /** Until somebody decides, administrators alone may, or nobody. */
  readonly undecided: (action: Action, thing: Thing, until: "administrators" | "nobody") => string;
  readonly undecidedTransition: (title: string) => string;
  /** A transition that the clock or another clause makes, and nobody by hand. */
  readonly byItself: (title: string) => string;
  /** `is`: the state that it is in, where that may be told. */
  readonly otherState: (title: string, thing: Thing, from: readonly string[], is: string | null) => string;
  /** `who`: the name of who cannot; null is the reader. */
  readonly otherStateFor: (
    action: Action,
    thing: Thing,
    states: readonly string[],
    now: { readonly is: string; readonly who: string | null },
  ) => string;
  readonly notNow: (title: string) => string;
  /** To an administrator who looks as somebody else. */
  readonly onlyLooking: (name: string) => string;
  /** To somebody who may on other records. */
  readonly notThis: (action: Action, thing: Thing) => string;
  /** To somebody who may add to other records of the kind. */
  readonly notAdded: (
    thing: Thing,
    to: Thing,
    state: { readonly are: readonly string[]; readonly is: string } | null,
  ) => string;
}

/** The texts of a language with their values: the names of arguments are checked against `explainArguments`. */
export type Explain = <Id extends ExplainId>(id: Id, values: ExplainArguments<Id>) => string;
type Listed = (words: readonly string[], last: "list.and" | "list.or") => string;

/** A comma that closes what stands between two is none before another sign. */
const ended = (sentence: string): string => sentence.replace(/,(?=[.,;])/gu, "");

/** The sentences of one language. */
export const createSentencesOf = (explain: Explain, list: Listed): Sentences => {
  const or = (words: readonly string[]): string => list(words, "list.or");
  return {
    mayBeDone: explain("may.be.done", {}),
    mayBeTried: explain("may.be.tried", {}),
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
    whoMay: (action, thing, who, when) => {
      if (who.length === 0) return explain("only.none", { action, ...thing });
      const given = { action, ...thing, who: or(who) };
      return ended(when === null ? explain("only", given) : explain("only.when", { ...given, when }));
    },
    whoMayMake: (title, thing, who, when) => {
      const given = { title, ...thing, who: or(who) };
      return ended(
        when === null ? explain("only.transition", given) : explain("only.transition.when", { ...given, when }),
      );
    },
    followsFromOthers: (action, { one, many }) => explain("follows.from.others", { action, one, many }),
    accounts: { create: explain("accounts.create", {}), delete: explain("accounts.delete", {}) },
    platform: {
      "6.administrator": explain("administrators.only", {}),
      ADMINISTRATORS_ONLY: explain("administrators.only", {}),
      NO_TOKENS: explain("tokens.none", {}),
      "7.token": explain("tokens.not.yours", {}),
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
      const given = { action, one, many, states: or(states), is };
      return who === null ? explain("you.only.in.state", given) : explain("they.only.in.state", { ...given, who });
    },
    notNow: (title) => explain("not.now", { title }),
    onlyLooking: (name) => explain("only.looking", { name }),
    notThis: (action, { one, many }) => explain("not.this", { action, one, many }),
    notAdded: ({ one, many }, { one: to }, state) =>
      state === null
        ? explain("not.added", { one, many, to })
        : explain("not.added.in.state", { one, many, to, states: or(state.are), is: state.is }),
  };
};
