import type { PlatformTexts, ScreenTexts } from "../../core/i18n/catalogue.ts";
import * as en from "../../core/i18n/en/screen-texts.ts";
import type { Grammar } from "../../core/i18n/grammar.ts";
import { importWithRetries } from "../util/import-with-retries.ts";

/** The texts and grammar of a language. */
export interface Language {
  readonly language: string;
  /** Those of accounts and of the workbench are missing until `loadWholeLanguage` has loaded them. */
  readonly texts: ScreenTexts & Partial<PlatformTexts>;
  readonly grammar: Grammar;
}

const english: Language = { language: "en", texts: en.texts, grammar: en.grammar };

interface Parts {
  readonly screens: () => Promise<Omit<Language, "language">>;
  readonly platform: () => Promise<{ readonly texts: PlatformTexts }>;
}

const englishPlatform: Parts["platform"] = () => import("../../core/i18n/en/platform-texts.ts");

/**
 * Languages loaded on demand, two files each. Any other language gets English texts with its own formats of dates and
 * numbers.
 */
const others: { readonly [language: string]: Parts } = {
  de: {
    screens: () => import("../../core/i18n/de/screen-texts.ts"),
    platform: () => import("../../core/i18n/de/platform-texts.ts"),
  },
  fr: {
    screens: () => import("../../core/i18n/fr/screen-texts.ts"),
    platform: () => import("../../core/i18n/fr/platform-texts.ts"),
  },
};

const findOther = (locale: string): readonly [language: string, parts: Parts | undefined] => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  return [language, Object.hasOwn(others, language) ? others[language] : undefined];
};

const known = new Map<string, Promise<Language>>();

/** The words of a locale that every page needs: at once in English, else a promise that is the same each time. */
export const loadLanguage = (locale: string): Language | Promise<Language> => {
  const [language, parts] = findOther(locale);
  if (parts === undefined) return english;
  const loading = known.get(language);
  if (loading !== undefined) return loading;
  const promise = parts.screens().then(
    ({ texts, grammar }) => ({ language, texts, grammar }),
    // Better in English than not at all.
    () => english,
  );
  known.set(language, promise);
  return promise;
};

const whole = new Map<string, Promise<Language>>();

/** All words of a locale, as a promise that is the same each time; a failure is forgotten, so that it can be tried again. */
export const loadWholeLanguage = (locale: string): Promise<Language> => {
  const [language, parts] = findOther(locale);
  const key = parts === undefined ? "en" : language;
  const loading = whole.get(key);
  if (loading !== undefined) return loading;
  const promise = Promise.all([loadLanguage(locale), importWithRetries(parts?.platform ?? englishPlatform)]).then(
    ([{ texts, ...rest }, platform]) => ({ ...rest, texts: { ...texts, ...platform.texts } }),
  );
  whole.set(key, promise);
  promise.catch(() => whole.delete(key));
  return promise;
};
