import { withArticle } from "../model/inflection.ts";
import type { Action } from "../model/model.ts";

/** What records are called in running text, and whether it is about the one at hand. */
export interface Thing {
  readonly one: string;
  readonly many: string;
  readonly here: boolean;
}

/**
 * The whole sentences in which a refusal is told, one language beside the other: what the document does not word itself.
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

const doing: { readonly [A in Action]: string } = { read: "see", create: "add", update: "change", delete: "delete" };

const tun: { readonly [A in Action]: string } = {
  read: "sehen",
  create: "anlegen",
  update: "ändern",
  delete: "löschen",
};

/** "one, two or three". */
export const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;

const capital = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A comma that closes what stands between two is none before another sign. */
const ended = (sentence: string): string => sentence.replace(/,(?=[.,;])/gu, "");

/** "this loan", "a loan". */
const aThing = ({ one, here }: Thing): string => (here ? `this ${one}` : withArticle(one));

/**
 * What a transition does as a verb, where its title is one: "Hand over" is something that one can do with a loan, and
 * "Reported already" is not.
 */
const verbOf = (title: string): string | undefined => {
  const [, verb = ""] = /^(\p{Lu}\p{Ll}+)(?: (?:away|back|down|in|off|on|out|over|up))?$/u.exec(title) ?? [];
  return verb === "" || /(?:ed|ing|ly|ion)$|^(?:Done|Late|New|Ok|Open|Paid|Ready|Sent)$/u.test(verb)
    ? undefined
    : title.toLowerCase();
};

export const english: Sentences = {
  mayBeDone: "Yes, this can be done now.",
  mayBeTried: "Yes, as far as it can be said before anything is entered.",
  unseen: "There is no such record, or it is not for you to see.",
  unseenField: (name) => `There is no field “${name}” here, or it is not for you to see.`,
  dependsOn: (phrase, others) =>
    `Yes, if ${phrase}${others === 0 ? "" : others === 1 ? ", or in one other case" : `, or in ${others} other cases`}.`,
  hidden: "The reason is something that is not for you to see.",
  because: (phrase) => `${capital(phrase)}.`,
  isSet: (field) => `“${field}” is filled in automatically. Nobody types it in.`,
  isOnce: (field) => `“${field}” stays as it was when the record was added.`,
  onlyRoles: (who) => (who.length === 0 ? "Nobody can do this." : `Only ${listed(who, "or")} can do this.`),
  onlyRolesFor: (action, field, who) =>
    who.length === 0
      ? `Nobody can ${action === "create" ? "fill in" : doing[action]} “${field}”.`
      : `Only ${listed(who, "or")} can ${action === "create" ? "fill in" : doing[action]} “${field}”.`,
  whoMay: (action, thing, who, only) =>
    who.length === 0
      ? `Nobody can ${doing[action]} ${aThing(thing)}.`
      : ended(
          `Only ${listed(who, "or")} can ${doing[action]} ${aThing(thing)}${only === null ? "" : `, and only ${only}`}.`,
        ),
  whoMayMake: (title, thing, who, only) => {
    const verb = verbOf(title);
    const those = listed(who, "or");
    const when = only === null ? "" : `, and only ${only}`;
    return ended(
      verb === undefined
        ? `“${title}” is only for ${those}${when}.`
        : `Only ${those} can ${verb} ${aThing(thing)}${when}.`,
    );
  },
  followsFromOthers: (action, { one, many }) =>
    `Nobody can ${doing[action]} ${withArticle(one)}: ${many} follow from other records.`,
  accounts: {
    create: "People are invited by an administrator, not added here.",
    delete: "Accounts are not deleted. An administrator can deactivate one.",
  },
  platform: {
    "6.administrator": "Only an administrator can do this.",
    ADMINISTRATORS_ONLY: "Only an administrator can do this.",
    NO_TOKENS: "Tokens for programs are not made here.",
    "7.token": "Tokens for programs are not for you to make.",
  },
  onlyReads: "This token is for reading alone. Nothing can be changed with it.",
  byItself: (title) => `“${title}” happens by itself. Nobody does it by hand.`,
  undecided: (action, { one }, until) =>
    `Nobody has decided yet who can ${doing[action]} ${withArticle(one)}. Until then, ${until === "nobody" ? "nobody" : "only an administrator"} can.`,
  undecidedTransition: (title) =>
    `Nobody has decided yet who “${title}” is for. Until then, it is only for an administrator.`,
  otherState: (title, { one }, from, is) =>
    is === null
      ? `“${title}” is for ${withArticle(one)} at another stage.`
      : `“${title}” is for ${withArticle(one)} that is ${listed(from, "or")}; this one is ${is}.`,
  otherStateFor: (action, { one }, states, { is, who }) =>
    `${who ?? "You"} can ${doing[action]} ${withArticle(one)} while it is ${listed(states, "or")}; this one is ${is}.`,
  notNow: (title) => `“${title}” cannot be done at the moment.`,
  onlyLooking: (name) => `You are only looking as ${name}. Nothing can be changed meanwhile.`,
  notThis: (action, { one }) => `You cannot ${doing[action]} this ${one} at the moment.`,
  notAdded: ({ many }, to, state) =>
    state === null
      ? `No ${many} can be added to this ${to.one} at the moment.`
      : `${capital(many)} can be added to ${withArticle(to.one)} while it is ${listed(state.are, "or")}; this one is ${state.is}.`,
};

/** What is said otherwise in English where the document's words are of another language: its titles are no verbs there. */
export const aroundForeignWords: Pick<Sentences, "whoMayMake"> = {
  whoMayMake: (title, _, who, only) =>
    ended(`“${title}” is only for ${listed(who, "or")}${only === null ? "" : `, and only ${only}`}.`),
};

/** "Nur „Lohnbüro“ oder „Leitung“ kann …" */
const können = (who: readonly string[], then: string, only: string | null): string =>
  who.length === 0
    ? `Niemand kann ${then}.`
    : `Nur ${listed(who, "oder")} kann ${then}${only === null ? "" : `, und nur ${only}`}.`;

/** Several, for a noun without its gender has no article; or the one at hand. */
const etwas = ({ many, here }: Thing): string => (here ? "diesen Eintrag" : many);

/** "Zurückziehen" is something that one can do; "Es geht wieder" is not. */
const isTuwort = (title: string): boolean => /^\p{Lu}\p{Ll}+(?:en|ern|eln)$/u.test(title);

export const german: Sentences = {
  mayBeDone: "Ja, das geht jetzt.",
  mayBeTried: "Ja, soweit es sich vor der Eingabe sagen lässt.",
  unseen: "Diesen Eintrag gibt es nicht, oder er ist nicht für Sie bestimmt.",
  unseenField: (name) => `Ein Feld „${name}“ gibt es hier nicht, oder es ist nicht für Sie bestimmt.`,
  dependsOn: (phrase, others) =>
    `Ja, wenn Folgendes stimmt: ${phrase}${others === 0 ? "" : others === 1 ? "; oder in einem anderen Fall" : `; oder in ${others} anderen Fällen`}.`,
  hidden: "Der Grund ist etwas, das nicht für Sie bestimmt ist.",
  because: (phrase) => `${capital(phrase)}.`,
  isSet: (field) => `„${field}“ wird von selbst ausgefüllt. Niemand gibt es ein.`,
  isOnce: (field) => `„${field}“ bleibt, wie es beim Anlegen war.`,
  onlyRoles: (who) => können(who, "das tun", null),
  onlyRolesFor: (action, field, who) =>
    können(who, `„${field}“ ${action === "create" ? "ausfüllen" : tun[action]}`, null),
  whoMay: (action, thing, who, only) => können(who, `${etwas(thing)} ${tun[action]}`, only),
  whoMayMake: (title, _, who, only) => {
    const then = `${listed(who, "oder")}${only === null ? "" : `, und nur ${only}`}.`;
    return isTuwort(title) ? `${title} kann nur ${then}` : `„${title}“ ist nur für ${then}`;
  },
  followsFromOthers: (action, { many }) =>
    `Niemand kann ${many} ${tun[action]}: Sie ergeben sich aus anderen Einträgen.`,
  accounts: {
    create: "Personen werden von der Administration eingeladen, nicht hier angelegt.",
    delete: "Konten werden nicht gelöscht. Die Administration kann eines deaktivieren.",
  },
  platform: {
    "6.administrator": "Das kann nur die Administration.",
    ADMINISTRATORS_ONLY: "Das kann nur die Administration.",
    NO_TOKENS: "Schlüssel für Programme werden hier nicht ausgestellt.",
    "7.token": "Schlüssel für Programme können Sie nicht ausstellen.",
  },
  onlyReads: "Dieser Schlüssel ist nur zum Lesen. Ändern lässt sich damit nichts.",
  byItself: (title) => `„${title}“ geschieht von selbst. Niemand löst es von Hand aus.`,
  undecided: (action, { many }, until) =>
    `Noch hat niemand entschieden, wer ${many} ${tun[action]} kann. Bis dahin kann es ${until === "nobody" ? "niemand" : "nur die Administration"}.`,
  undecidedTransition: (title) =>
    `Noch hat niemand entschieden, für wen „${title}“ ist. Bis dahin ist es nur für die Administration.`,
  otherState: (title, _, from, is) =>
    is === null
      ? `„${title}“ ist in diesem Zustand nicht möglich.`
      : `„${title}“ ist nur möglich bei ${listed(from, "oder")}; dieser Eintrag ist ${is}.`,
  otherStateFor: (action, { many }, states, { is, who }) =>
    `${who === null ? "Sie können" : `${who} kann`} ${many} im Zustand ${listed(states, "oder")} ${tun[action]}; dieser Eintrag ist ${is}.`,
  notNow: (title) => `„${title}“ ist im Moment nicht möglich.`,
  onlyLooking: (name) => `Sie sehen das nur mit den Augen von ${name}. Solange lässt sich nichts ändern.`,
  notThis: (action) => `Diesen Eintrag können Sie im Moment nicht ${tun[action]}.`,
  notAdded: (_, __, state) =>
    state === null
      ? "Hier können Sie im Moment nichts hinzufügen."
      : `Hinzufügen geht im Zustand ${listed(state.are, "oder")}; dieser Eintrag ist ${state.is}.`,
};
