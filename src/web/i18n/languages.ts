import type { PlatformTexts, ScreenTexts } from "../../core/i18n/catalogue.ts";
import type { Grammar } from "../../core/i18n/grammar.ts";
import { importWithRetries } from "../util/import-with-retries.ts";

/** The texts and grammar of a language. */
export interface Language {
  readonly language: string;
  /** Those of accounts and of the workbench are missing until `loadWholeLanguage` has loaded them. */
  readonly texts: ScreenTexts & Partial<PlatformTexts>;
  readonly grammar: Grammar;
}

interface Parts {
  readonly screens: () => Promise<Omit<Language, "language">>;
  readonly platform: () => Promise<{ readonly texts: PlatformTexts }>;
}

/**
 * Languages loaded on demand, two files each, so that a reader loads only one language. Any other language gets English
 * texts with its own formats of dates and numbers.
 */
const languages = {
  en: {
    screens: () => import("../../core/i18n/en/screen-texts.ts"),
    platform: () => import("../../core/i18n/en/platform-texts.ts"),
  },
  de: {
    screens: () => import("../../core/i18n/de/screen-texts.ts"),
    platform: () => import("../../core/i18n/de/platform-texts.ts"),
  },
  fr: {
    screens: () => import("../../core/i18n/fr/screen-texts.ts"),
    platform: () => import("../../core/i18n/fr/platform-texts.ts"),
  },
} as const satisfies { readonly [language: string]: Parts };

type LanguageName = keyof typeof languages;

const findLanguage = (locale: string): LanguageName => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  return Object.hasOwn(languages, language) ? (language as LanguageName) : "en";
};

const loadScreens = async (language: LanguageName): Promise<Language> => {
  const { texts, grammar } = await importWithRetries(languages[language].screens);
  return { language, texts, grammar };
};

const known = new Map<LanguageName, Promise<Language>>();

/** The words of a locale that every page needs, as a promise that is the same each time. */
export const loadLanguage = (locale: string): Promise<Language> => {
  const language = findLanguage(locale);
  const loading = known.get(language);
  if (loading !== undefined) return loading;
  // Better in English than not at all.
  const promise = loadScreens(language).catch(() => loadScreens("en"));
  known.set(language, promise);
  return promise;
};

const whole = new Map<LanguageName, Promise<Language>>();

/** All words of a locale, as a promise that is the same each time; a failure is forgotten, so that it can be tried again. */
export const loadWholeLanguage = (locale: string): Promise<Language> => {
  const language = findLanguage(locale);
  const loading = whole.get(language);
  if (loading !== undefined) return loading;
  const promise = Promise.all([loadLanguage(locale), importWithRetries(languages[language].platform)]).then(
    ([{ texts, ...rest }, platform]) => ({ ...rest, texts: { ...texts, ...platform.texts } }),
  );
  whole.set(language, promise);
  promise.catch(() => whole.delete(language));
  return promise;
};
