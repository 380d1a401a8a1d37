import { type Action, ADMINISTRATOR } from "../model/model.ts";
import { withArticle } from "../model/words.ts";

/**
 * The whole sentences in which a refusal is told, one language beside the other: what the document does not word itself.
 * `thing` is an entity in running text, `title` a transition's, `roles` are named as the document names them.
 */
export interface Sentences {
  readonly mayBeDone: string;
  /** What is entered with it may still be refused. */
  readonly mayBeTried: string;
  /** Of a record that is not there or that may not be seen: the same, whichever it is. */
  readonly unseen: string;
  readonly unseenField: (name: string) => string;
  /** Without a record, or before anything is given: what it depends on, as a phrase. */
  readonly dependsOn: (phrase: string) => string;
  /** The same where it is too long for a sentence: so many alternatives. */
  readonly dependsOnCase: (count: number) => string;
  readonly hidden: string;
  /** What stands against it is a phrase: "you are not the employee". */
  readonly because: (phrase: string) => string;
  readonly isSet: (field: string) => string;
  readonly isOnce: (field: string) => string;
  readonly onlyRoles: (roles: readonly string[]) => string;
  readonly whoMay: (action: Action, thing: string, roles: readonly string[], narrowed: boolean) => string;
  readonly whoMayMake: (title: string, roles: readonly string[]) => string;
  readonly whoMayCall: (call: string, roles: readonly string[]) => string;
  /** Until somebody decides, administrators alone may, or nobody. */
  readonly undecided: (action: Action, thing: string, until: "administrators" | "nobody") => string;
  readonly undecidedTransition: (title: string) => string;
  /** A transition that the clock or another clause makes, and nobody by hand. */
  readonly byItself: (title: string) => string;
  /** `is`: the state that it is in, where that may be told. */
  readonly otherState: (title: string, thing: string, from: readonly string[], is: string | null) => string;
  readonly notNow: (title: string) => string;
  /** To an administrator who looks as somebody else. */
  readonly onlyLooking: (name: string) => string;
  /** To somebody who may on other records. */
  readonly notThis: (action: Action, thing: string) => string;
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

const those = (roles: readonly string[]): string =>
  listed(
    [...new Set(roles)].map((role) => (role === ADMINISTRATOR ? "an administrator" : `the ${role}`)),
    "or",
  );

export const english: Sentences = {
  mayBeDone: "Yes, this can be done now.",
  mayBeTried: "Yes, as far as it can be said before anything is entered.",
  unseen: "There is no such record, or it is not for you to see.",
  unseenField: (name) => `There is no field “${name}” here, or it is not for you to see.`,
  dependsOn: (phrase) => `Yes, if ${phrase}.`,
  dependsOnCase: (count) => `Yes, in one of ${count} cases.`,
  hidden: "The reason is something that is not for you to see.",
  because: (phrase) => `${capital(phrase)}.`,
  isSet: (field) => `“${field}” is filled in automatically. Nobody types it in.`,
  isOnce: (field) => `“${field}” stays as it was when the record was added.`,
  onlyRoles: (roles) => (roles.length === 0 ? "Nobody can do this." : `Only ${those(roles)} can do this.`),
  whoMay: (action, thing, roles, narrowed) =>
    roles.length === 0
      ? `Nobody can ${doing[action]} ${withArticle(thing)}.`
      : `Only ${those(roles)} can ${doing[action]} ${withArticle(thing)}${narrowed ? ", and not in every case" : ""}.`,
  whoMayMake: (title, roles) => `“${title}” is only for ${those(roles)}.`,
  byItself: (title) => `“${title}” happens by itself. Nobody does it by hand.`,
  whoMayCall: (call, roles) => `${call} is only for ${those(roles)}.`,
  undecided: (action, thing, until) =>
    `Nobody has decided yet who can ${doing[action]} ${withArticle(thing)}. Until then, ${until === "nobody" ? "nobody" : "only an administrator"} can.`,
  undecidedTransition: (title) =>
    `Nobody has decided yet who “${title}” is for. Until then, it is only for an administrator.`,
  otherState: (title, thing, from, is) =>
    is === null
      ? `“${title}” is for ${withArticle(thing)} at another stage.`
      : `“${title}” is for ${withArticle(thing)} that is ${listed(from, "or")}; this one is ${is}.`,
  notNow: (title) => `“${title}” cannot be done at the moment.`,
  onlyLooking: (name) => `You are only looking as ${name}. Nothing can be changed meanwhile.`,
  notThis: (action, thing) => `You cannot ${doing[action]} this ${thing} at the moment.`,
};

const rollen = (roles: readonly string[]): { readonly who: string; readonly several: boolean } => {
  const names = [...new Set(roles)].map((role) => `„${role === ADMINISTRATOR ? "Administration" : role}“`);
  return { who: `die ${names.length > 1 ? "Rollen" : "Rolle"} ${listed(names, "und")}`, several: names.length > 1 };
};

const können = (roles: readonly string[], then: string): string => {
  const { who, several } = rollen(roles);
  return roles.length === 0 ? `Niemand kann ${then}` : `Nur ${who} ${several ? "können" : "kann"} ${then}`;
};

export const german: Sentences = {
  mayBeDone: "Ja, das geht jetzt.",
  mayBeTried: "Ja, soweit es sich vor der Eingabe sagen lässt.",
  unseen: "Diesen Eintrag gibt es nicht, oder er ist nicht für Sie bestimmt.",
  unseenField: (name) => `Ein Feld „${name}“ gibt es hier nicht, oder es ist nicht für Sie bestimmt.`,
  dependsOn: (phrase) => `Ja, wenn Folgendes stimmt: ${phrase}.`,
  dependsOnCase: (count) => `Ja, in einem von ${count} Fällen.`,
  hidden: "Der Grund ist etwas, das nicht für Sie bestimmt ist.",
  because: (phrase) => `${capital(phrase)}.`,
  isSet: (field) => `„${field}“ wird von selbst ausgefüllt. Niemand gibt es ein.`,
  isOnce: (field) => `„${field}“ bleibt, wie es beim Anlegen war.`,
  onlyRoles: (roles) => `${können(roles, "das tun")}.`,
  whoMay: (action, thing, roles, narrowed) =>
    `${können(roles, `einen Eintrag in „${thing}“ ${tun[action]}`)}${narrowed && roles.length > 0 ? ", und auch das nicht in jedem Fall" : ""}.`,
  whoMayMake: (title, roles) => `„${title}“ ist nur für ${rollen(roles).who}.`,
  byItself: (title) => `„${title}“ geschieht von selbst. Niemand löst es von Hand aus.`,
  whoMayCall: (call, roles) => `${call} ist nur für ${rollen(roles).who}.`,
  undecided: (action, thing, until) =>
    `Noch hat niemand entschieden, wer einen Eintrag in „${thing}“ ${tun[action]} kann. Bis dahin kann es ${until === "nobody" ? "niemand" : "nur die Administration"}.`,
  undecidedTransition: (title) =>
    `Noch hat niemand entschieden, für wen „${title}“ ist. Bis dahin ist es nur für die Administration.`,
  otherState: (title, _, from, is) =>
    is === null
      ? `„${title}“ ist in diesem Zustand nicht möglich.`
      : `„${title}“ ist nur möglich bei ${listed(from, "oder")}; dieser Eintrag ist ${is}.`,
  notNow: (title) => `„${title}“ ist im Moment nicht möglich.`,
  onlyLooking: (name) => `Sie sehen nur wie ${name}. Solange lässt sich nichts ändern.`,
  notThis: (action, thing) => `Diesen Eintrag in „${thing}“ können Sie im Moment nicht ${tun[action]}.`,
};
