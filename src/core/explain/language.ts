import type { Catalogue, ErrorTexts } from "../i18n/catalogue.ts";
import type { BooleanWords, ProseWords } from "../i18n/grammar.ts";
import { createSentences } from "../i18n/icu-message.ts";
import { catalogueFor, findCatalogue } from "../i18n/languages.ts";
import type { Entity } from "../model/entity.ts";
import { toTitle } from "../model/inflection.ts";
import { buildSentences, type Explain, type Sentences } from "./sentences.ts";

/**
 * The phrases that explain conditions in one language. Each function takes complete phrases and returns one, so that a
 * language is free in word order. The reader gets sentences in familiar terms: titles of fields, formatted values, and
 * “you” for the reader.
 */
export interface Phrases {
  /** `en` */
  readonly language: string;
  readonly sentences: Sentences;
  readonly errors: ErrorTexts;
  readonly booleans: BooleanWords;
  readonly prose: ProseWords;
  /** Formats an ICU message of the language. */
  readonly format: (text: string, values: { readonly [name: string]: string }) => string;
  /** Translates a text of the document for the reader. */
  readonly say: (text: string) => string;
  /** The name of an entity in running text; `text` is the untranslated name. */
  readonly noun: (translated: string, text: string) => string;
  /** The title of a role: "Stock keeper". Roles held on the records of `entity` take precedence. */
  readonly role: (name: string, entity: Entity | null) => string;
  /** True for a role that deputies of people with another role have. */
  readonly isDeputy: (role: string, entity: Entity | null) => boolean;
  /** The holders of a global role, from its title: "a keeper", "Payroll". */
  readonly group: (title: string) => string;
  /** All holders of a global role: "every keeper", "everyone in Finance". */
  readonly groupAll: (title: string) => string;
  readonly administrator: string;
  /** The holder of a role on the record, or the person in one of its fields: "the employee". */
  readonly holder: (title: string) => string;
  /** The owner of an account. */
  readonly oneself: string;
  /** The record is in one of the states: "while it is “Draft”". */
  readonly inStates: (states: readonly string[]) => string;
  /** A permitted person with names and condition; `alone` if the sentence mentions no other person. */
  readonly through: (who: string, names: string | null, when: string | null, alone: boolean) => string;
  readonly you: string;
  readonly now: string;
  readonly today: string;
  /** A field of the current record: "the first day". */
  readonly own: (title: string) => string;
  /** The current record: "this request". */
  readonly record: (entity: string) => string;
  /** A value before the write: "the first day as it was". */
  readonly before: (what: string) => string;
  /** A field of a referenced record: "the employee's manager". */
  readonly of: (owner: string, title: string) => string;
  /** A field of the acting user: "your manager". */
  readonly yours: (title: string) => string;
  /** A constant with its name: "30 (yearly allowance)". */
  readonly limit: (value: string, name: string) => string;
  readonly youAre: (what: string, not: boolean) => string;
  /** The current record is the reader's own account. */
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
  /** A list that is empty or not: "“Proofs” is not empty". */
  readonly some: (title: string, not: boolean) => string;
  readonly plus: (what: string, more: string) => string;
  readonly minus: (what: string, less: string) => string;
  readonly numberOf: (title: string) => string;
  /** A duration before or after a time: "15 minutes before the first day". */
  readonly longBefore: (what: string, long: string) => string;
  readonly longAfter: (what: string, long: string) => string;
  /** A comparison of the current time: "it is earlier than 15 minutes before the first day". */
  readonly isEarlier: (than: string, orSame: boolean) => string;
  readonly isLater: (than: string, orSame: boolean) => string;
  /** The title of a choice's value or a state. */
  readonly named: (title: string) => string;
  /** Source text of the document, for expressions without a phrase. */
  readonly quoted: (source: string) => string;
  readonly holds: (quoted: string, not: boolean) => string;
  /** A condition without a phrase, for readers who are not authors. */
  readonly isMet: (not: boolean) => string;
  readonly and: (phrases: readonly string[]) => string;
  readonly or: (phrases: readonly string[]) => string;
  /** A requirement under a condition: "if the kind is “Sick”, the note is given". */
  readonly where: (condition: string, phrase: string) => string;
  /** The reader (`who` null) or another person holds a role on the record, for any reason. */
  readonly hasRole: (role: string, who: string | null, not: boolean) => string;
  /** A condition whose fields the reader cannot know. */
  readonly something: string;
  /** The record is in a state from which the transition is possible, which the reader cannot know. */
  readonly atItsStage: (transition: string) => string;
  /** A disjunction within a conjunction. */
  readonly either: (alternatives: string) => string;
  /** The time of an automatic event, after a comma: ", automatically after 14 days". */
  readonly comes: {
    readonly after: (time: string) => string;
    /** At the time in a field, or a duration before or after it. */
    readonly at: (title: string, away: { readonly time: string; readonly side: "before" | "after" } | null) => string;
    readonly once: (phrase: string) => string;
  };
}

/** "one, two or three" */
const listIn =
  (explain: Explain) =>
  (words: readonly string[], last: "list.and" | "list.or" | "list.nor"): string => {
    const [end, ...before] = words.toReversed();
    if (end === undefined || before.length === 0) return end ?? "";
    const more = last === "list.nor" ? last : "list.more";
    const all = before.toReversed().reduce((all, word) => explain(more, { before: all, last: word }));
    return explain(last, { before: all, last: end });
  };

/** Builds the phrases of a catalogue; `isForeign` if the document is in another language. */
const createPhrases = (catalogue: Catalogue, isForeign: boolean): Phrases => {
  const { language, grammar, aroundForeignWords, errors } = catalogue;
  const texts = isForeign ? { ...catalogue.explain, ...aroundForeignWords } : catalogue.explain;
  const sentences = createSentences(language, grammar);
  const format: Phrases["format"] = (text, values) => sentences(text, values).join("");
  const explain: Explain = (id, values) => sentences<unknown>(texts[id], values).join("");
  const list = listIn(explain);
  // Names of entities are lower-cased in running text, except in languages with capitalized nouns and around foreign
  // words.
  const keepsNouns = !isForeign && !grammar.capitalNouns;
  return {
    language,
    errors,
    booleans: grammar.booleans,
    prose: grammar.prose,
    format,
    sentences: buildSentences(explain, list),
    noun: (translated, text) => (translated === text && !keepsNouns ? toTitle(translated) : translated),
    role: toTitle,
    isDeputy: () => false,
    group: (title) => explain("group", { title }),
    groupAll: (title) => explain("group.all", { title }),
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
    numberOf: (title) => explain("number.of", { title }),
    longBefore: (what, long) => explain("long.before", { what, long }),
    longAfter: (what, long) => explain("long.after", { what, long }),
    isEarlier: (than, same) => explain("is.earlier", { than, same }),
    isLater: (than, same) => explain("is.later", { than, same }),
    named: (title) => explain("named", { title }),
    quoted: (source) => explain("quoted", { source }),
    holds: (quoted, not) => explain("holds", { quoted, not }),
    isMet: (not) => explain("is.met", { not }),
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

const getPhrases = (catalogue: Catalogue) => {
  const before = built.get(catalogue) ?? {
    own: createPhrases(catalogue, false),
    foreign: createPhrases(catalogue, true),
  };
  built.set(catalogue, before);
  return before;
};

/** The sentences of a language around foreign words. */
export const phrasesAround = (phrases: Phrases, language: string): Phrases =>
  language.split("-")[0] === phrases.language
    ? phrases
    : { ...getPhrases(catalogueFor(phrases.language)).foreign, say: phrases.say };

/** The phrases with titles of fields in quotation marks, for titles that are no nouns: "1 hour after “Begins”". */
export const withQuotedTitles = (phrases: Phrases): Phrases => {
  const { own, of, yours } = getPhrases(catalogueFor(phrases.language)).foreign;
  return { ...phrases, own, of, yours };
};

/** The phrases for a locale (`de-AT`); English if there is no catalogue. */
export const getPhrasesFor = (locale: string): Phrases => getPhrases(catalogueFor(locale)).own;

/** The locale of values within sentences: the document's if it speaks their language, otherwise their language. */
export const localeAmong = ({ language }: Phrases, locale: string): string =>
  locale.startsWith(language) ? locale : language;

/** Parses `Accept-Language` (RFC 9110), best language first. */
export const parseAcceptLanguage = (accepted: string | undefined): readonly string[] =>
  (accepted ?? "")
    .split(",")
    .flatMap((item) => {
      const [tag = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
      return tag === "" || !(weight > 0) ? [] : [{ tag, weight }];
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);

/** The first accepted language with a catalogue. */
export const negotiatePhrases = (accepted: string | undefined, locale: string): Phrases => {
  for (const tag of parseAcceptLanguage(accepted)) {
    const catalogue = findCatalogue(tag);
    if (catalogue !== undefined) return getPhrases(catalogue).own;
  }
  return getPhrasesFor(locale);
};
