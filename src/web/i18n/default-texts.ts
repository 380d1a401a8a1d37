import { byLanguage } from "../../core/i18n/by-language.ts";
import type { DefaultTexts } from "../../core/i18n/catalogue.ts";
import { useLoaded } from "../util/loading-boundary.tsx";
import { importFor } from "./import-for.ts";
import { useWords } from "./words.tsx";

/** The text of a default; undefined for a code that this version of the page does not know. */
export const findDefaultText = (texts: DefaultTexts, code: string): DefaultTexts[keyof DefaultTexts] | undefined =>
  Object.hasOwn(texts, code) ? texts[code as keyof DefaultTexts] : undefined;

const files = byLanguage(import.meta.glob<{ readonly texts: DefaultTexts }>("../../core/i18n/*/defaults.ts"));

const known = new Map<string, Promise<DefaultTexts>>();

const load = (language: string): Promise<DefaultTexts> => {
  const loading = known.get(language);
  if (loading !== undefined) return loading;
  const promise = importFor(language, files)
    // Better in English than not at all.
    .catch(() => importFor("en", files))
    .then(({ texts }) => texts);
  known.set(language, promise);
  promise.catch(() => known.delete(language));
  return promise;
};

/** The texts of the defaults in use, in the reader's language. The part of the page that shows them waits for them. */
export const useDefaultTexts = (): DefaultTexts => useLoaded(load(useWords().language.language));
