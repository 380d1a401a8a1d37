import { createContext, type ReactNode, use, useContext, useMemo } from "react";
import { createIntl, type IntlShape } from "react-intl";
import { createShow, type Show } from "../client/show.ts";
import { languageOf, type WordId } from "./languages.ts";

type Plain = string | number | boolean | Date | null | undefined;

export interface Words {
  /** A whole sentence or label of the interface, with values put in. */
  say(id: WordId, values?: { readonly [name: string]: Plain }): string;
  /** The same where a value is itself drawn: a link, a mark, a name. */
  rich(id: WordId, values: { readonly [name: string]: ReactNode | ((chunks: ReactNode[]) => ReactNode) }): ReactNode;
  /** The document's values in words. */
  readonly show: Show;
  readonly locale: string;
  readonly timezone: string;
}

const Context = createContext<Words | null>(null);

const wordsOf = (intl: IntlShape, locale: string, timezone: string): Words => {
  const say: Words["say"] = (id, values) => String(intl.formatMessage({ id }, values));
  return {
    say,
    rich: (id, values) => intl.formatMessage({ id }, values as Parameters<IntlShape["formatMessage"]>[1]),
    show: createShow(locale, timezone, { yes: say("value.yes"), no: say("value.no") }),
    locale,
    timezone,
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
  const told = languageOf(locale);
  const { language, messages } = told instanceof Promise ? use(told) : told;
  const words = useMemo(() => {
    const regional = locale.startsWith(language) ? locale : language;
    return wordsOf(createIntl({ locale: regional, messages, timeZone: timezone }), locale, timezone);
  }, [locale, timezone, language, messages]);
  return <Context value={words}>{children}</Context>;
};

export const useWords = (): Words => {
  const words = useContext(Context);
  if (!words) throw new Error("Words are used outside their provider.");
  return words;
};
