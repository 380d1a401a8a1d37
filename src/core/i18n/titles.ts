import { titles as de } from "./de/grammar.ts";
import { titles as en } from "./en/grammar.ts";
import { titles as fr } from "./fr/grammar.ts";
import type { TitleTexts } from "./grammar.ts";

const titles: { readonly [language: string]: TitleTexts } = { en, de, fr };

/** The title of a part that the program adds to a document, in the language of the document's locale; else in English. */
export const titleFor = (id: keyof TitleTexts, locale: string): string =>
  (titles[locale.split("-")[0] ?? ""] ?? en)[id];
