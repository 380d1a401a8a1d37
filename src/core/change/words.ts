import { getPhrasesFor, type Phrases, phrasesAround } from "../explain/language.ts";
import { plainPhrase, valueNoun } from "../explain/phrase.ts";
import { findHolders } from "../explain/role-holders.ts";
import { roleTitle, withRoleTitles } from "../explain/roles.ts";
import type { Expr } from "../expression/expr.ts";
import { languages, messageText } from "../i18n/languages.ts";
import { andList, type MessageValue, quoted, say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import { createFormatter } from "../model/format.ts";
import { pluralize, toTitle, toValueTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import { ADMINISTRATOR } from "../model/permissions.ts";

/** The names and conditions of a document as values of messages. */
export interface DocumentWords {
  /** "loans" */
  readonly many: (entity: Entity) => MessageValue;
  /** "place and note" */
  readonly fields: (entity: Entity, names: readonly string[]) => MessageValue;
  /** "“Place”" */
  readonly field: (entity: Entity, name: string) => MessageValue;
  /** The holders of a role: "Keepers", "Payroll", "The borrower". */
  readonly holders: (role: string, entity: Entity, isHeld: boolean) => MessageValue;
  /** A condition as a phrase, if it has a short one. `isHeld`: about a person with a role on the record. */
  readonly condition: (condition: Expr, isHeld?: boolean) => MessageValue | undefined;
  /** A value as a noun, if it has a short one: "the borrower". */
  readonly noun: (value: Expr) => MessageValue | undefined;
  /** "“Lent”" */
  readonly state: (entity: Entity, name: string) => MessageValue;
  /** "“Hand over”" */
  readonly transition: (entity: Entity, name: string) => MessageValue;
}

export const createWords = (model: Model): DocumentWords => {
  const { locale } = model;
  const phrasings = languages.map((language) => {
    const phrases: Phrases = withRoleTitles(phrasesAround(getPhrasesFor(language), locale), model);
    return { language, phrases, format: createFormatter(language, model.timezone, phrases.booleans) };
  });
  const fieldTitle = (entity: Entity, name: string): string => entity.fields.get(name)?.title ?? toTitle(name);
  return {
    many: ({ called }) => ({ words: called.many, in: locale }),
    fields: (entity, names) => andList(names.map((name) => ({ noun: fieldTitle(entity, name), in: locale }))),
    field: (entity, name) => quoted(fieldTitle(entity, name)),
    holders: (role, entity, isHeld) => {
      if (role === ADMINISTRATOR) return say("holders.administrators", {});
      const title = roleTitle(model, role, entity);
      const condition = entity.roles.get(role)?.condition;
      const isOneself = condition !== undefined && findHolders(condition).some(({ kind }) => kind === "this");
      if (isHeld && isOneself) return say("holders.themselves", {});
      return { holders: title, plural: pluralize(title), isHeld, in: locale };
    },
    condition: (condition, isHeld = false) => {
      const texts = phrasings.map(({ language, phrases, format }) => {
        const person = messageText(say(isHeld ? "the.person" : "that.person", {}), language);
        return [language, plainPhrase(condition, { model, phrases, format, who: person })] as const;
      });
      return texts.every(([, phrase]) => phrase !== undefined)
        ? { phrases: Object.fromEntries(texts.map(([language, phrase]) => [language, phrase ?? ""])) }
        : undefined;
    },
    noun: (value) => {
      const texts = phrasings.map(
        ({ language, phrases, format }) => [language, valueNoun(value, { model, phrases, format, who: null })] as const,
      );
      return texts.every(([, noun]) => noun !== undefined)
        ? { phrases: Object.fromEntries(texts.map(([language, noun]) => [language, noun ?? ""])) }
        : undefined;
    },
    state: ({ states }, name) =>
      quoted(states?.states.find((state) => state.name === name)?.title ?? toValueTitle(name)),
    transition: ({ states }, name) => quoted(states?.transitions.get(name)?.title ?? toTitle(name)),
  };
};
