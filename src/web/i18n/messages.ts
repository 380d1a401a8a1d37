import { useEffect, useState } from "react";
import { byLanguage } from "../../core/i18n/by-language.ts";
import type { ChangeTexts } from "../../core/i18n/change-arguments.ts";
import { createMessageText, type Message } from "../../core/i18n/message.ts";
import { useWords } from "./words.tsx";

/** The texts of messages about changes, loaded on demand. English ones come with their messages. */
const { en: _, ...others } = byLanguage(
  import.meta.glob<{ readonly texts: ChangeTexts }>("../../core/i18n/*/change.ts"),
);

const loaded = new Map<string, ChangeTexts>();

/** A sentence, and its language if that is not the reader's. */
interface Sentence {
  readonly text: string;
  readonly lang: "en" | undefined;
}

/** Puts messages about changes into the reader's language; `english` is shown until its texts are loaded. */
export const useMessages = (): ((message: Message | undefined, english: string) => Sentence) => {
  const {
    language: { language, grammar },
  } = useWords();
  const [texts, setTexts] = useState(() => loaded.get(language));
  useEffect(() => {
    setTexts(loaded.get(language));
    if (loaded.has(language) || !Object.hasOwn(others, language)) return;
    let isActive = true;
    others[language]?.().then(
      (found) => {
        loaded.set(language, found.texts);
        if (isActive) setTexts(found.texts);
      },
      () => undefined,
    );
    return () => {
      isActive = false;
    };
  }, [language]);
  if (texts === undefined) return (_, english) => ({ text: english, lang: language === "en" ? undefined : "en" });
  const format = createMessageText({ language, grammar, texts });
  return (message, english) =>
    message === undefined ? { text: english, lang: "en" } : { text: format(message), lang: undefined };
};
