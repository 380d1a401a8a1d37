import { en } from "./en.ts";

export type WordId = keyof typeof en;
export type Messages = { readonly [id in WordId]: string };

/** What a language says; a sentence that it has not yet is English. */
export interface Language {
  readonly language: string;
  readonly messages: Messages;
}

const english: Language = { language: "en", messages: en };

/** One file per language, fetched when somebody reads it. A language that is not here is shown in English, with its own dates and numbers. */
const others: { readonly [language: string]: () => Promise<Partial<Messages>> } = {
  de: async () => (await import("./de.ts")).de,
};

const known = new Map<string, Promise<Language>>();

/** The words of a locale: at once in English, else a promise that is the same each time. */
export const languageOf = (locale: string): Language | Promise<Language> => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  const fetch = others[language];
  if (!fetch) return english;
  const asked = known.get(language);
  if (asked) return asked;
  const promise = fetch().then(
    (messages) => ({ language, messages: { ...en, ...messages } }),
    // Better in English than not at all.
    () => english,
  );
  known.set(language, promise);
  return promise;
};
