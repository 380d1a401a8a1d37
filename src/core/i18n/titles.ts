/// <reference types="vite/types/importMeta.d.ts" />
import { byLanguage } from "./by-language.ts";
import { titles as english } from "./en/titles.ts";
import type { TitleTexts } from "./grammar.ts";

const languages = byLanguage(import.meta.glob<{ readonly titles: TitleTexts }>("./*/titles.ts", { eager: true }));

/** The title of a part that the program adds to a document, in the language of the document's locale; else in English. */
export const titleFor = (id: keyof TitleTexts, locale: string): string =>
  (languages[locale.split("-")[0] ?? ""]?.titles ?? english)[id];
