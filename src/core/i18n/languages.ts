/// <reference types="vite/types/importMeta.d.ts" />
import { byLanguage } from "./by-language.ts";
import type { Catalogue, LanguageTexts } from "./catalogue.ts";
import { translation as english } from "./en/catalogue.ts";
import { createMessageText, type Message } from "./message.ts";

/** Every folder with a catalogue is a language, so that no list names them. */
const translations = byLanguage(
  import.meta.glob<{ readonly translation: LanguageTexts }>("./*/catalogue.ts", { eager: true }),
);

const en: Catalogue = { language: "en", ...english };
const catalogues: { readonly [language: string]: Catalogue } = {
  ...Object.fromEntries(
    Object.entries(translations).map(([language, { translation }]) => [language, { language, ...translation }]),
  ),
  en,
};

/** The available languages. */
export const languages: readonly string[] = Object.keys(catalogues);

/** The catalogue for a language tag (`de-AT`); undefined if there is none. */
export const findCatalogue = (tag: string): Catalogue | undefined => {
  const language = tag.split("-")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(catalogues, language) ? catalogues[language] : undefined;
};

/** The catalogue for a language tag; English if there is none. */
export const catalogueFor = (tag: string): Catalogue => findCatalogue(tag) ?? en;

const formats = new Map<Catalogue, (message: Message) => string>();

/** A stored sentence. Its English text is used if this release does not know the message. */
export interface StoredSentence {
  readonly says: string;
  readonly message?: Message;
}

export const storedText = ({ says, message }: StoredSentence, tag: string): string =>
  message === undefined || !Object.hasOwn(en.change, message.id) ? says : messageText(message, tag);

/** A message in the language of a tag, or in English if there is no tag or no catalogue. */
export const messageText = (message: Message, tag = "en"): string => {
  const catalogue = catalogueFor(tag);
  const { language, grammar, change: texts } = catalogue;
  const format = formats.get(catalogue) ?? createMessageText({ language, grammar, texts });
  formats.set(catalogue, format);
  return format(message);
};
