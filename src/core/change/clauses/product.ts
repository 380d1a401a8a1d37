import { type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** Lines about the purpose and the texts of the application (point 1). */
export const compareProduct = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = (subject: string, message: Message, clauses: Pick<Partial<ComparedLine>, "before" | "after"> = {}) =>
    createLine({ point: 1, subject, effect: "changes", message, ...clauses }, { before: undefined, after: undefined });
  const value = (text: string | null): MessageValue => (text === null ? say("the.default", {}) : quoted(text));
  const lines = (["name", "locale", "timezone", "accent", "sentence"] as const).flatMap((member) => {
    return before[member] === after[member]
      ? []
      : [
          line(
            member,
            say("product.changed", { what: member, now: value(after[member]), before: value(before[member]) }),
          ),
        ];
  });
  const languages = [...new Set([...after.translations.keys(), ...before.translations.keys()])];
  const translations = languages.flatMap((language) => {
    const [one, other] = [before, after].map((model) => model.translations.get(language));
    const name = { language: { languageName: language } };
    const clause = `1.translations.${language}`;
    if (one === undefined) return [line(language, say("language.added", name), { after: clause })];
    if (other === undefined) return [line(language, say("language.removed", name), { before: clause })];
    if (hasSameMeaning(one, other)) return [];
    return [line(language, say("language.texts", name), { before: clause, after: clause })];
  });
  const logo = before.logo === after.logo ? [] : [line("logo", say("product.logo", {}))];
  return [...lines, ...logo, ...translations];
};
