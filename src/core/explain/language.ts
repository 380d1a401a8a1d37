import type { Catalogue, ErrorTexts } from "../i18n/catalogue.ts";
import { createSentences } from "../i18n/icu-message.ts";
import { catalogueFor, findCatalogue } from "../i18n/languages.ts";
import { titleOf } from "../model/inflection.ts";
import type { Entity } from "../model/model.ts";
import { createSentencesOf, type Explain, type Sentences } from "./sentences.ts";

/**
 * How conditions are said in one language. Every function takes whole phrases and gives a whole one, so that a language
 * may order them as it likes. What the reader is told is a sentence about things they know: fields by their titles,
 * values in their own words, themselves as “you”.
 */
export interface Phrases {
  /** `en` */
  readonly language: string;
  readonly sentences: Sentences;
  readonly errors: ErrorTexts;
  /** An ICU message of the language with its values. */
  readonly format: (text: string, values: { readonly [name: string]: string }) => string;
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

/** "one, two or three". */
const listIn =
  (explain: Explain) =>
  (words: readonly string[], last: "list.and" | "list.or" | "list.nor"): string => {
    const [end, ...before] = words.toReversed();
    if (end === undefined || before.length === 0) return end ?? "";
    const more = last === "list.nor" ? last : "list.more";
    const all = before.toReversed().reduce((all, word) => explain(more, { before: all, last: word }));
    return explain(last, { before: all, last: end });
  };

/** How a catalogue explains; `isForeign`: the document's words are of another language. */
const createPhrases = (catalogue: Catalogue, isForeign: boolean): Phrases => {
  const { language, grammar, aroundForeignWords, errors } = catalogue;
  const texts = isForeign ? { ...catalogue.explain, ...aroundForeignWords } : catalogue.explain;
  const sentences = createSentences(language, grammar);
  const format: Phrases["format"] = (text, values) => sentences(text, values).join("");
  const explain: Explain = (id, values) => sentences<unknown>(texts[id], values).join("");
  const list = listIn(explain);
  // The names of entities are small letters to whom they are no foreign words.
  const keepsNouns = !isForeign && !grammar.capitalNouns;
  return {
    language,
    errors,
    format,
    sentences: createSentencesOf(explain, list),
    noun: (said, text) => (said === text && !keepsNouns ? titleOf(said) : said),
    role: titleOf,
    group: (title) => explain("group", { title }),
    administrator: explain("administrator", {}),
    holder: (title) => explain("holder", { title }),
    oneself: explain("oneself", {}),
    inStates: (states) => explain("in.states", { states: list(states, "list.or") }),
    through: (who, names, when, alone) => {
      if (names === null) return when === null ? who : explain("holder.with.when", { who, when });
      if (when !== null) return explain("holder.with.names.when", { who, names, when });
      return explain(alone ? "holder.with.names.alone" : "holder.with.names", { who, names });
    },
    say: (text) => text,
    you: explain("you", {}),
    now: explain("now", {}),
    today: explain("today", {}),
    own: (title) => explain("own", { title }),
    record: (entity) => explain("record", { entity }),
    before: (what) => explain("before", { what }),
    of: (owner, title) => explain("of", { owner, title }),
    yours: (title) => explain("yours", { title }),
    limit: (value, name) => explain("limit", { value, name }),
    youAre: (what, not) => explain("you.are", { what, not }),
    thisIsYou: (not) => explain("this.is.you", { not }),
    is: (what, value, not) => explain("is", { what, value, not }),
    isOneOf: (what, values, not) => {
      if (!not) return explain("is.one.of", { what, values: list(values, "list.or") });
      if (values.length < 2) return explain("is", { what, value: values.join(), not });
      return explain("is.none.of", { what, values: list(values, "list.nor") });
    },
    isGiven: (what, not) => explain("is.given", { what, not }),
    isSet: (what, not) => explain("is.set", { what, not }),
    earlier: (what, than, same) => explain("earlier", { what, than, same }),
    later: (what, than, same) => explain("later", { what, than, same }),
    less: (what, than, same) => explain("less", { what, than, same }),
    more: (what, than, same) => explain("more", { what, than, same }),
    some: (title, not) => explain("some", { title, not }),
    plus: (what, more) => explain("plus", { what, more }),
    minus: (what, less) => explain("minus", { what, less }),
    longBefore: (what, long) => explain("long.before", { what, long }),
    longAfter: (what, long) => explain("long.after", { what, long }),
    isEarlier: (than, same) => explain("is.earlier", { than, same }),
    isLater: (than, same) => explain("is.later", { than, same }),
    named: (title) => explain("named", { title }),
    quoted: (source) => explain("quoted", { source }),
    holds: (quoted, not) => explain("holds", { quoted, not }),
    and: (phrases) => list(phrases, "list.and"),
    or: (phrases) => list(phrases, "list.or"),
    where: (condition, phrase) => explain("where", { condition, phrase }),
    hasRole: (role, who, not) =>
      who === null ? explain("has.role", { role, not }) : explain("has.role.other", { role, who, not }),
    something: explain("something", {}),
    atItsStage: (transition) => explain("at.its.stage", { transition }),
    either: (alternatives) => explain("either", { alternatives }),
    comes: {
      after: (time) => explain("comes.after", { time }),
      at: (title, away) => {
        if (away === null) return explain("comes.at", { title });
        const { time, side } = away;
        return explain(side === "before" ? "comes.before.field" : "comes.after.field", { time, title });
      },
      once: (phrase) => explain("comes.once", { phrase }),
    },
  };
};

const built = new WeakMap<Catalogue, { readonly own: Phrases; readonly foreign: Phrases }>();

const phrasesOf = (catalogue: Catalogue) => {
  const before = built.get(catalogue) ?? {
    own: createPhrases(catalogue, false),
    foreign: createPhrases(catalogue, true),
  };
  built.set(catalogue, before);
  return before;
};

/** The sentences of a language around words that are not of it. */
export const phrasesAround = (phrases: Phrases, language: string): Phrases =>
  language.split("-")[0] === phrases.language
    ? phrases
    : { ...phrasesOf(catalogueFor(phrases.language)).foreign, say: phrases.say };

/** The phrases of a locale (`de-AT`); English where none is written. */
export const phrasesFor = (locale: string): Phrases => phrasesOf(catalogueFor(locale)).own;

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

/** The first of the languages that somebody reads in which the program speaks. */
export const negotiatePhrases = (accepted: string | undefined, locale: string): Phrases => {
  for (const tag of acceptedLanguages(accepted)) {
    const catalogue = findCatalogue(tag);
    if (catalogue !== undefined) return phrasesOf(catalogue).own;
  }
  return phrasesFor(locale);
};
