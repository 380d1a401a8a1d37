import type { TitleId, TitleTexts } from "./catalogue.ts";
import { texts as de } from "./de/titles.ts";
import { texts as en } from "./en/titles.ts";
import { texts as fr } from "./fr/titles.ts";

const titles: { readonly [language: string]: TitleTexts } = { en, de, fr };

/** The title of a part that the program adds to a document, in the language of the document's locale; else in English. */
export const titleFor = (id: TitleId, locale: string): string => (titles[locale.split("-")[0] ?? ""] ?? en)[id];
