import type { ChangeId, ChangeTexts, changeArguments } from "./change-arguments.ts";
import type { Grammar } from "./grammar.ts";
import { createSentences } from "./icu-message.ts";

/*
 * Sentences as data: a message id and its values. They are stored and sent in this form, and become text in the
 * reader's language.
 */

/** A sentence or phrase of the catalogue, as plain JSON. */
export interface Message {
  readonly id: ChangeId;
  readonly values: { readonly [name: string]: MessageValue };
}

/**
 * `in`: the locale of the document that the words come from. Languages put quotation marks around words of another
 * language.
 */
export type MessageValue =
  | string
  | number
  | boolean
  | Message
  /** Words as in the document: "loans". */
  | { readonly words: string; readonly in: string }
  /** A title in running text: "due day". */
  | { readonly noun: string; readonly in: string }
  | { readonly quoted: string }
  /** A list, with a conjunction before the last item; null for commas only. */
  | { readonly list: readonly MessageValue[]; readonly last: "and" | "or" | "semicolon" | null }
  /** The holders of a role, by its title; `plural` is an English word. */
  | { readonly holders: string; readonly plural: string; readonly isHeld: boolean; readonly in: string }
  /** Words inside a sentence, which would begin it with a capital: "the keeper" for "The keeper". */
  | { readonly inside: MessageValue }
  /** A language by its tag, in the language of the reader: "German". */
  | { readonly languageName: string }
  /** A phrase in each language: a condition. */
  | { readonly phrases: { readonly [language: string]: string } };

/** The values that a message needs. */
type ChangeArguments<Id extends ChangeId> = {
  readonly [name in (typeof changeArguments)[Id][number]]: MessageValue;
};

/** A message with all values that it needs. */
export const say = <Id extends ChangeId>(id: Id, values: ChangeArguments<Id>): Message => ({ id, values });

/** "a", "a and b", "a, b and c" */
export const andList = (list: readonly MessageValue[]): MessageValue => ({ list, last: "and" });
export const alternatives = (list: readonly MessageValue[]): MessageValue => ({ list, last: "or" });
/** "a, b, c" */
export const commaList = (list: readonly MessageValue[]): MessageValue => ({ list, last: null });
/** "a; b; c" */
export const semicolonList = (list: readonly MessageValue[]): MessageValue => ({ list, last: "semicolon" });
export const quoted = (text: string): MessageValue => ({ quoted: text });

/** The texts of one language that messages need. */
export interface MessageLanguage {
  readonly language: string;
  readonly grammar: Grammar;
  readonly texts: ChangeTexts;
}

/** Formats messages in a language. */
export const createMessageText = ({ language, grammar, texts }: MessageLanguage): ((message: Message) => string) => {
  const sentences = createSentences(language, grammar);
  const format = (id: ChangeId, values: { readonly [name: string]: unknown }): string =>
    sentences<unknown>(texts[id], values).join("");
  const names = new Intl.DisplayNames([language], { type: "language" });
  const isForeign = (locale: string): boolean => locale.split("-")[0]?.toLowerCase() !== language;
  const quote = (text: string): string => format("quoted", { text });
  // Abbreviations stay in capitals.
  const lower = (title: string): string =>
    grammar.capitalNouns || /^\p{Lu}(?:\p{Lu}|$)/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
  const join = (words: readonly string[], last: "and" | "or" | "semicolon" | null): string => {
    if (last === null) return words.join(", ");
    if (last === "semicolon") return words.join(format("list.separator", {}));
    const [end, ...before] = words.toReversed();
    if (end === undefined || before.length === 0) return end ?? "";
    return format(last === "and" ? "list.and" : "list.or", { before: before.toReversed().join(", "), last: end });
  };
  const value = (input: MessageValue): string | number | boolean => {
    if (typeof input !== "object") return input;
    if ("id" in input) return text(input);
    if ("quoted" in input) return quote(input.quoted);
    if ("words" in input) return isForeign(input.in) ? quote(input.words) : input.words;
    if ("noun" in input) return isForeign(input.in) ? quote(input.noun) : lower(input.noun);
    if ("inside" in input) return lower(String(value(input.inside)));
    if ("languageName" in input) return names.of(input.languageName) ?? input.languageName;
    if ("phrases" in input) return input.phrases[language] ?? input.phrases.en ?? "";
    if ("holders" in input) {
      const { holders: title, plural, isHeld } = input;
      if (isForeign(input.in)) return format(isHeld ? "holders.held.foreign" : "holders.group.foreign", { title });
      return format(isHeld ? "holders.held" : "holders.group", { title, plural });
    }
    return join(
      input.list.map((other) => String(value(other))),
      input.last,
    );
  };
  const text = ({ id, values }: Message): string =>
    format(id, Object.fromEntries(Object.entries(values).map(([name, messageValue]) => [name, value(messageValue)])));
  return text;
};
