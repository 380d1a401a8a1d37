import { use } from "react";
import type { DefaultTexts } from "../../core/i18n/catalogue.ts";
import { importWithRetries } from "../util/import-with-retries.ts";
import { useWords } from "./words.tsx";

/** The text of a default; undefined for a code that this version of the page does not know. */
export const findDefaultText = (texts: DefaultTexts, code: string): DefaultTexts[keyof DefaultTexts] | undefined =>
  Object.hasOwn(texts, code) ? texts[code as keyof DefaultTexts] : undefined;

type Loader = () => Promise<{ readonly texts: DefaultTexts }>;

const loadEnglish: Loader = () => import("../../core/i18n/en/defaults.ts");
const others: { readonly [language: string]: Loader } = {
  de: () => import("../../core/i18n/de/defaults.ts"),
  fr: () => import("../../core/i18n/fr/defaults.ts"),
};

const known = new Map<string, Promise<DefaultTexts>>();

const load = (language: string): Promise<DefaultTexts> => {
  const loading = known.get(language);
  if (loading !== undefined) return loading;
  const promise = importWithRetries(others[language] ?? loadEnglish)
    // Better in English than not at all.
    .catch(loadEnglish)
    .then(({ texts }) => texts);
  known.set(language, promise);
  promise.catch(() => known.delete(language));
  return promise;
};

/** The texts of the defaults in use, in the reader's language. The part of the page that shows them waits for them. */
export const useDefaultTexts = (): DefaultTexts => use(load(useWords().language.language));
