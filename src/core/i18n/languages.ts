import type { Catalogue } from "./catalogue.ts";
import { de } from "./de/catalogue.ts";
import { en } from "./en/catalogue.ts";
import { fr } from "./fr/catalogue.ts";

const catalogues: { readonly [language: string]: Catalogue } = { en, de, fr };

/** The available languages. */
export const languages: readonly string[] = Object.keys(catalogues);

/** The catalogue for a language tag (`de-AT`); undefined if there is none. */
export const findCatalogue = (tag: string): Catalogue | undefined => {
  const language = tag.split("-")[0]?.toLowerCase() ?? "";
  return Object.hasOwn(catalogues, language) ? catalogues[language] : undefined;
};

/** The catalogue for a language tag; English if there is none. */
export const catalogueFor = (tag: string): Catalogue => findCatalogue(tag) ?? en;
