import type { Catalogue } from "./catalogue.ts";
import { de } from "./de/catalogue.ts";
import { en } from "./en/catalogue.ts";
import { fr } from "./fr/catalogue.ts";

const catalogues: { readonly [language: string]: Catalogue } = { en, de, fr };

/** The languages in which the program speaks. */
export const languages: readonly string[] = Object.keys(catalogues);

/** What is said in the language of a tag (`de-AT`), where there is one. */
export const findCatalogue = (tag: string): Catalogue | undefined => {
  const language = tag.split("-")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(catalogues, language) ? catalogues[language] : undefined;
};

/** The same; English where there is none. */
export const catalogueFor = (tag: string): Catalogue => findCatalogue(tag) ?? en;
