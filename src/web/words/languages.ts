import { en } from "./en.ts";

export type WordId = keyof typeof en;
export type Messages = { readonly [id in WordId]: string };

/** One file per language. A language that is not here is shown in English, with its own dates and numbers. */
const languages: { readonly [language: string]: Messages } = { en };

export const messagesFor = (locale: string): { readonly language: string; readonly messages: Messages } => {
  const language = locale.split("-")[0]?.toLowerCase() ?? "en";
  const messages = languages[language];
  return messages ? { language, messages } : { language: "en", messages: en };
};
