import { useEffect, useState } from "react";
import type { DefaultTexts } from "../../core/i18n/catalogue.ts";
import { texts as english } from "../../core/i18n/en/defaults.ts";
import { useWords } from "./words.tsx";

const others: { readonly [language: string]: () => Promise<{ readonly texts: DefaultTexts }> } = {
  de: () => import("../../core/i18n/de/defaults.ts"),
  fr: () => import("../../core/i18n/fr/defaults.ts"),
};

/** The texts of the defaults in use, in the reader's language; in English until those are loaded. */
export const useDefaultTexts = (): DefaultTexts => {
  const { language } = useWords().language;
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly texts: DefaultTexts }>();
  useEffect(() => {
    if (!Object.hasOwn(others, language)) return;
    let isActive = true;
    others[language]?.().then(
      ({ texts }) => isActive && setLoaded({ of: language, texts }),
      // Better in English than not at all.
      () => undefined,
    );
    return () => {
      isActive = false;
    };
  }, [language]);
  return loaded?.of === language ? loaded.texts : english;
};
