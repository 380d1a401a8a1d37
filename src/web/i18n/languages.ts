import { byLanguage } from "../../core/i18n/by-language.ts";
import type { PlatformTexts, ScreenTexts } from "../../core/i18n/catalogue.ts";
import type { Grammar } from "../../core/i18n/grammar.ts";
import { RENEWAL_DELAY } from "../util/import-with-retries.ts";
import { importFor } from "./import-for.ts";

/** The texts and grammar of a language. */
export interface Language {
  readonly language: string;
  /** Those of accounts, imports and the workbench are missing until `loadWholeLanguage` has loaded them. */
  readonly texts: ScreenTexts & Partial<PlatformTexts>;
  readonly grammar: Grammar;
}

/*
 * Two files of each language, loaded on demand, so that a reader loads only one language. Every folder with these files is
 * a language. Any other language gets English texts with its own formats of dates and numbers.
 */
const screens = byLanguage(import.meta.glob<Omit<Language, "language">>("../../core/i18n/*/screen-texts.ts"));
const platforms = byLanguage(
  import.meta.glob<{ readonly texts: PlatformTexts }>("../../core/i18n/*/platform-texts.ts"),
);

const findLanguage = (locale: string): string => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  return Object.hasOwn(screens, language) ? language : "en";
};

const loadScreens = async (language: string): Promise<Language> => {
  const { texts, grammar } = await importFor(language, screens);
  return { language, texts, grammar };
};

const known = new Map<string, Promise<Language>>();

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

const loadedLanguages = new Map<string, Promise<Language>>();

/** All words of a locale, as a promise that is the same each time; a failure is forgotten, so that it can be tried again. */
export const loadWholeLanguage = (locale: string): Promise<Language> => {
  const language = findLanguage(locale);
  const loading = loadedLanguages.get(language);
  if (loading !== undefined) return loading;
  const promise = Promise.all([loadLanguage(locale), importFor(language, platforms)]).then(
    ([{ texts, ...rest }, platform]) => ({ ...rest, texts: { ...texts, ...platform.texts } }),
  );
  loadedLanguages.set(language, promise);
  promise.catch(() => setTimeout(() => loadedLanguages.delete(language), RENEWAL_DELAY));
  return promise;
};
