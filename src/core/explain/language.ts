import { titleOf, withArticle } from "../model/inflection.ts";
import type { Entity } from "../model/model.ts";
import { englishMessages, germanMessages, type Messages } from "./messages.ts";
import { aroundForeignWords, english as inEnglish, german as inGerman, listed, type Sentences } from "./sentences.ts";

/**
 * How conditions are said in one language. Every function takes whole phrases and gives a whole one, so that a language
 * may order them as it likes. What the reader is told is a sentence about things they know: fields by their titles,
 * values in their own words, themselves as “you”.
 */
export interface Phrases {
  /** `en` */
  readonly language: string;
  readonly sentences: Sentences;
  readonly messages: Messages;
  /** A text of the document's as the reader reads it. */
  readonly say: (text: string) => string;
  /** What records are called in running text, as the reader reads it; `text`: as the document has it. */
  readonly noun: (said: string, text: string) => string;
  /** What a role is called: "Stock keeper". One that is held record by record is looked for on those of `entity` first. */
  readonly role: (name: string, entity: Entity | null) => string;
  /** Who holds a role everywhere, by what that is called: "a keeper", "Payroll". */
  readonly group: (title: string) => string;
  readonly administrator: string;
  /** Who holds a role on the record, or stands in one of its fields: "the employee". */
  readonly holder: (title: string) => string;
  /** Whose account it is. */
  readonly oneself: string;
  /** In some states: "while it is “Draft”". */
  readonly inStates: (states: readonly string[]) => string;
  /** Somebody with their names and with when they may; `alone`, if no other stands beside them in the sentence. */
  readonly through: (who: string, names: string | null, when: string | null, alone: boolean) => string;
  readonly you: string;
  readonly now: string;
  readonly today: string;
  /** A field of the record at hand: "the first day". */
  readonly own: (title: string) => string;
  /** The record at hand: "this request". */
  readonly record: (entity: string) => string;
  /** The same before the write: "the first day as it was". */
  readonly before: (what: string) => string;
  /** A field of what a reference leads to: "the employee's manager". */
  readonly of: (owner: string, title: string) => string;
  /** A field of who asks: "your manager". */
  readonly yours: (title: string) => string;
  /** A constant with its name: "30 (yearly allowance)". */
  readonly limit: (value: string, name: string) => string;
  readonly youAre: (what: string, not: boolean) => string;
  /** The record at hand is one's own account. */
  readonly thisIsYou: (not: boolean) => string;
  readonly is: (what: string, value: string, not: boolean) => string;
  readonly isOneOf: (what: string, values: readonly string[], not: boolean) => string;
  readonly isGiven: (what: string, not: boolean) => string;
  /** A boolean field. */
  readonly isSet: (what: string, not: boolean) => string;
  readonly earlier: (what: string, than: string, orSame: boolean) => string;
  readonly later: (what: string, than: string, orSame: boolean) => string;
  readonly less: (what: string, than: string, orSame: boolean) => string;
  readonly more: (what: string, than: string, orSame: boolean) => string;
  /** A number of things compared with none: "there is at least one proof". */
  readonly some: (title: string, not: boolean) => string;
  readonly plus: (what: string, more: string) => string;
  readonly minus: (what: string, less: string) => string;
  /** A time and how long before or after it: "15 minutes before the first day". */
  readonly longBefore: (what: string, long: string) => string;
  readonly longAfter: (what: string, long: string) => string;
  /** The moment at which it is asked, compared with another: "it is earlier than 15 minutes before the first day". */
  readonly isEarlier: (than: string, orSame: boolean) => string;
  readonly isLater: (than: string, orSame: boolean) => string;
  /** A choice or a state by its title. */
  readonly named: (title: string) => string;
  /** What no phrase is known for, as the document has it. */
  readonly quoted: (source: string) => string;
  readonly holds: (quoted: string, not: boolean) => string;
  readonly and: (phrases: readonly string[]) => string;
  readonly or: (phrases: readonly string[]) => string;
  /** Judged only where something else holds: "if the kind is “Sick”, the note is given". */
  readonly where: (condition: string, phrase: string) => string;
  /** A role is held on the record by the reader (`who` null) or by somebody else, whatever that rests on. */
  readonly hasRole: (role: string, who: string | null, not: boolean) => string;
  /** What is not for the reader to know even by name. */
  readonly something: string;
  /** The record is in a state from which the transition leads, which the reader may not know. */
  readonly atItsStage: (transition: string) => string;
  /** Alternatives that stand within what holds together. */
  readonly either: (alternatives: string) => string;
  /** When something happens by itself, behind a comma: "by itself, after 14 days". */
  readonly comes: {
    readonly after: (time: string) => string;
    /** At the moment that stands in a field, or so long before or after it. */
    readonly at: (title: string, away: { readonly time: string; readonly side: "before" | "after" } | null) => string;
    readonly once: (phrase: string) => string;
  };
}

const lower = (title: string): string =>
  /^\p{Lu}\p{Lu}/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

/** Words for one person, as far as their ending tells: "a keeper" is somebody, and "Payroll" is several. */
const isSomebody = (title: string): boolean => {
  const word = title.toLowerCase().split(/ (?:of|for|in|at|on) /u)[0] ?? "";
  return /(?:er|or|ist|ee|ian|man|woman|person|(?<!m)ent|ant)$|\b(?:boss|chair|chief|clerk|deputy|guest|head|host|judge|lead|nurse|secretary|steward|warden|citizen|guard|partner|colleague)$/u.test(
    word,
  );
};

const aside = (words: readonly (string | null)[]): string => {
  const said = words.filter((one) => one !== null);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
};

/** The names of entities are small letters to whom they are no foreign words. */
const asTheyStand: Phrases["noun"] = (said, text) => (said === text ? titleOf(said) : said);

const english: Phrases = {
  language: "en",
  noun: (said) => said,
  role: titleOf,
  group: (title) => (isSomebody(title) ? withArticle(lower(title)) : title),
  administrator: "an administrator",
  holder: (title) => `the ${lower(title)}`,
  oneself: "the person concerned",
  inStates: (states) => `while it is ${listed(states, "or")}`,
  through: (who, names, when, alone) =>
    alone && names !== null && when === null ? `${who}, ${names},` : `${who}${aside([names, when])}`,
  sentences: inEnglish,
  messages: englishMessages,
  say: (text) => text,
  you: "you",
  now: "now",
  today: "today",
  own: (title) => `the ${lower(title)}`,
  record: (entity) => `this ${entity}`,
  before: (what) => `${what} as it was`,
  of: (owner, title) => `${owner}${owner.endsWith("s") ? "’" : "’s"} ${lower(title)}`,
  yours: (title) => `your ${lower(title)}`,
  limit: (value, name) => `${value} (${lower(name)})`,
  youAre: (what, not) => `you are${not ? " not" : ""} ${what}`,
  thisIsYou: (not) => `this is ${not ? "somebody else" : "you"}`,
  is: (what, value, not) => `${what} is${not ? " not" : ""} ${value}`,
  isOneOf: (what, values, not) => {
    if (!not) return `${what} is ${listed(values, "or")}`;
    return values.length < 2 ? `${what} is not ${values.join()}` : `${what} is neither ${values.join(" nor ")}`;
  },
  isGiven: (what, not) => `${what} is ${not ? "missing" : "given"}`,
  isSet: (what, not) => `${what} is ${not ? "no" : "yes"}`,
  earlier: (what, than, orSame) => (orSame ? `${what} is ${than} or earlier` : `${what} is before ${than}`),
  later: (what, than, orSame) => (orSame ? `${what} is ${than} or later` : `${what} is after ${than}`),
  less: (what, than, orSame) => `${what} is ${orSame ? "at most" : "less than"} ${than}`,
  more: (what, than, orSame) => `${what} is ${orSame ? "at least" : "more than"} ${than}`,
  some: (title, not) => (not ? `nothing is in “${title}”` : `something is in “${title}”`),
  plus: (what, more) => `${what} plus ${more}`,
  minus: (what, less) => `${what} less ${less}`,
  longBefore: (what, long) => `${long} before ${what}`,
  longAfter: (what, long) => `${long} after ${what}`,
  isEarlier: (than, orSame) => (orSame ? `it is not yet later than ${than}` : `it is earlier than ${than}`),
  isLater: (than, orSame) => (orSame ? `it is no earlier than ${than}` : `it is later than ${than}`),
  named: (title) => `“${title}”`,
  quoted: (source) => `“${source}”`,
  holds: (quoted, not) => `${quoted} ${not ? "does not hold" : "holds"}`,
  and: (phrases) => listed(phrases, "and"),
  or: (phrases) => listed(phrases, "or"),
  where: (condition, phrase) => `if ${condition}, ${phrase}`,
  hasRole: (role, who, not) => `${who === null ? "you are" : `${who} is`}${not ? " not" : ""} the ${lower(role)} here`,
  something: "something is true that is not for you to see",
  atItsStage: (transition) => `it is at a stage that “${transition}” is for`,
  either: (alternatives) => `either ${alternatives}`,
  comes: {
    after: (time) => `after ${time}`,
    at: (title, away) => (away === null ? `at “${title}”` : `${away.time} ${away.side} “${title}”`),
    once: (phrase) => `once ${phrase}`,
  },
};

/** Over a document whose words are of another language: each stands as it is, in quotes, and none is bent into a sentence. */
const englishAround: Phrases = {
  ...english,
  sentences: { ...inEnglish, ...aroundForeignWords },
  noun: asTheyStand,
  group: english.named,
  holder: english.named,
  own: english.named,
  of: (owner, title) => `${english.named(title)} of ${owner}`,
  yours: (title) => `your ${english.named(title)}`,
  limit: (value, name) => `${value} (${name})`,
  hasRole: (role, who, not) =>
    `${who === null ? "you have" : `${who} has`} ${not ? "not " : ""}the role ${english.named(role)} here`,
};

const german: Phrases = {
  language: "de",
  noun: asTheyStand,
  role: titleOf,
  group: (title) => `„${title}“`,
  administrator: "die Administration",
  holder: (title) => `„${title}“`,
  oneself: "die betreffende Person",
  inStates: (states) => `im Zustand ${listed(states, "oder")}`,
  through: (who, names, when) => `${who}${aside([names, when])}`,
  sentences: inGerman,
  messages: germanMessages,
  say: (text) => text,
  you: "Sie",
  now: "jetzt",
  today: "heute",
  own: (title) => `„${title}“`,
  record: (entity) => `dieser Eintrag (${entity})`,
  before: (what) => `${what} (vorher)`,
  of: (owner, title) => `„${title}“ von ${owner}`,
  yours: (title) => `Ihr „${title}“`,
  limit: (value, name) => `${value} (${name})`,
  youAre: (what, not) => `${what} sind ${not ? "nicht " : ""}Sie`,
  thisIsYou: (not) => (not ? "das ist jemand anders" : "das sind Sie"),
  is: (what, value, not) => `${what} ist ${not ? "nicht " : ""}${value}`,
  isOneOf: (what, values, not) => {
    if (!not) return `${what} ist ${listed(values, "oder")}`;
    return values.length < 2 ? `${what} ist nicht ${values.join()}` : `${what} ist weder ${values.join(" noch ")}`;
  },
  isGiven: (what, not) => `${what} ${not ? "fehlt" : "ist angegeben"}`,
  isSet: (what, not) => `${what} ist ${not ? "nein" : "ja"}`,
  earlier: (what, than, orSame) => `${what} liegt ${orSame ? "nicht nach" : "vor"} ${than}`,
  later: (what, than, orSame) => `${what} liegt ${orSame ? "nicht vor" : "nach"} ${than}`,
  less: (what, than, orSame) => `${what} ist ${orSame ? "höchstens" : "kleiner als"} ${than}`,
  more: (what, than, orSame) => `${what} ist ${orSame ? "mindestens" : "größer als"} ${than}`,
  some: (title, not) => (not ? `in „${title}“ steht nichts` : `in „${title}“ steht etwas`),
  plus: (what, more) => `${what} plus ${more}`,
  minus: (what, less) => `${what} minus ${less}`,
  longBefore: (what, long) => `${long} vor ${what}`,
  longAfter: (what, long) => `${long} nach ${what}`,
  isEarlier: (than, orSame) => `es ist ${orSame ? "nicht später" : "früher"} als ${than}`,
  isLater: (than, orSame) => `es ist ${orSame ? "nicht früher" : "später"} als ${than}`,
  named: (title) => `„${title}“`,
  quoted: (source) => `„${source}“`,
  holds: (quoted, not) => `${quoted} ${not ? "trifft nicht zu" : "trifft zu"}`,
  and: (phrases) => listed(phrases, "und"),
  or: (phrases) => listed(phrases, "oder"),
  where: (condition, phrase) => `wenn ${condition}: ${phrase}`,
  hasRole: (role, who, not) =>
    `die Rolle „${role}“ ${who === null ? "haben Sie" : `hat ${who}`} hier${not ? " nicht" : ""}`,
  something: "etwas stimmt, das nicht für Sie bestimmt ist",
  atItsStage: (transition) => `der Zustand passt zu „${transition}“`,
  either: (alternatives) => `entweder ${alternatives}`,
  comes: {
    after: (time) => `Frist: ${time}`,
    at: (title, away) =>
      away === null ? `zu „${title}“` : `${away.time} ${away.side === "before" ? "vor" : "nach"} „${title}“`,
    once: (phrase) => `sobald gilt: ${phrase}`,
  },
};

const tongues: { readonly [language: string]: Phrases } = { en: english, de: german };

/** The sentences of a language around words that are not of it. German puts all words in quotes as it is. */
export const phrasesAround = (phrases: Phrases, language: string): Phrases =>
  phrases.language === "en" && language.split("-")[0] !== "en"
    ? { ...phrases, ...englishAround, say: phrases.say }
    : phrases;

/** The tongue of a locale (`de-AT`); English where none is written. */
export const phrasesFor = (locale: string): Phrases => tongues[locale.split("-")[0] ?? "en"] ?? english;

/** The languages that somebody reads, best first (RFC 9110's `Accept-Language`). */
export const acceptedLanguages = (accepted: string | undefined): readonly string[] =>
  (accepted ?? "")
    .split(",")
    .flatMap((one) => {
      const [tag = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
      return tag === "" || !(weight > 0) ? [] : [{ tag, weight }];
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);

/** The first of the languages that somebody reads that is spoken here. */
export const negotiatePhrases = (accepted: string | undefined, locale: string): Phrases => {
  for (const tag of acceptedLanguages(accepted)) {
    const phrases = tongues[tag.split("-")[0] ?? ""];
    if (phrases !== undefined) return phrases;
  }
  return phrasesFor(locale);
};
