import { createContext, createElement, Fragment, type ReactNode, useContext, useMemo } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { createSentences } from "../../core/i18n/icu-message.ts";
import { formatLocale } from "../../core/model/format.ts";
import { createShow, type Show } from "../format/format.ts";
import { useLoaded } from "../util/loading-boundary.tsx";
import { type Language, loadLanguage, loadWholeLanguage } from "./languages.ts";

type Plain = string | number | boolean | null | undefined;

export interface Words {
  /** A whole sentence or label of the interface, with values put in. */
  say(id: WordId, values?: { readonly [name: string]: Plain }): string;
  /** Like `say`, with rendered values: links, icons, names. */
  rich(id: WordId, values: { readonly [name: string]: ReactNode }): ReactNode;
  /** The document's values in words. */
  readonly show: Show;
  readonly locale: string;
  readonly timezone: string;
  /** The language of the texts. */
  readonly language: Pick<Language, "language" | "grammar">;
}

const Context = createContext<Words | null>(null);

const getWords = (language: Language, spoken: string, locale: string, timezone: string): Words => {
  const { texts, grammar } = language;
  const sentences = createSentences(spoken, grammar);
  // A test checks that pages use no text that they have not loaded.
  const textOf = (id: WordId): string => texts[id] ?? id;
  const say: Words["say"] = (id, values) => {
    const text = textOf(id);
    return values === undefined ? text : sentences(text, values).join("");
  };
  return {
    say,
    rich: (id, values) => createElement(Fragment, null, ...sentences(textOf(id), values)),
    show: createShow(locale, timezone, grammar.booleans),
    locale,
    timezone,
    language,
  };
};

export const WordsProvider = ({
  locale,
  timezone,
  children,
}: {
  locale: string;
  timezone: string;
  children: ReactNode;
}) => {
  return <Context value={useLanguageWords(useLoaded(loadLanguage(locale)), locale, timezone)}>{children}</Context>;
};

/** Loads the texts of accounts, imports and the workbench for what is inside. */
export const PlatformWordsProvider = ({ children }: { children: ReactNode }) => {
  const { locale, timezone } = useWords();
  return <Context value={useLanguageWords(useLoaded(loadWholeLanguage(locale)), locale, timezone)}>{children}</Context>;
};

const useLanguageWords = (language: Language, locale: string, timezone: string): Words =>
  useMemo(() => {
    const spoken = locale.startsWith(language.language) ? locale : language.language;
    return getWords(language, spoken, formatLocale(locale), timezone);
  }, [locale, timezone, language]);

export const useWords = (): Words => {
  const words = useContext(Context);
  if (!words) throw new Error("Words are used outside their provider.");
  return words;
};
