import type { InterfaceTexts } from "../../core/i18n/catalogue.ts";
import * as en from "../../core/i18n/en/interface.ts";
import type { Grammar } from "../../core/i18n/grammar.ts";

/** The texts and grammar of a language. */
export interface Language {
  readonly language: string;
  readonly texts: InterfaceTexts;
  readonly grammar: Grammar;
}

const english: Language = { language: "en", texts: en.texts, grammar: en.grammar };

/**
 * Languages loaded on demand, one file each. Any other language gets English texts with its own formats of dates and
 * numbers.
 */
const others: { readonly [language: string]: () => Promise<Omit<Language, "language">> } = {
  de: () => import("../../core/i18n/de/interface.ts"),
  fr: () => import("../../core/i18n/fr/interface.ts"),
};

const known = new Map<string, Promise<Language>>();

/** The words of a locale: at once in English, else a promise that is the same each time. */
export const loadLanguage = (locale: string): Language | Promise<Language> => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  const fetch = Object.hasOwn(others, language) ? others[language] : undefined;
  if (fetch === undefined) return english;
  const loading = known.get(language);
  if (loading !== undefined) return loading;
  const promise = fetch().then(
    ({ texts, grammar }) => ({ language, texts, grammar }),
    // Better in English than not at all.
    () => english,
  );
  known.set(language, promise);
  return promise;
};
