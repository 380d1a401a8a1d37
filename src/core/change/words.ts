import { type Phrases, phrasesFor } from "../explain/language.ts";
import { plainPhrase } from "../explain/phrase.ts";
import { findHolders } from "../explain/role-holders.ts";
import { roleTitle, withRoles } from "../explain/roles.ts";
import type { Expr } from "../expression/expr.ts";
import { createFormatter } from "../model/format.ts";
import { pluralize, toTitle } from "../model/inflection.ts";
import { ADMINISTRATOR, type Entity, type Model } from "../model/model.ts";

/** The names of a document in English sentences. Names in another language are quoted. */
export interface DocumentWords {
  /** "loans" */
  readonly many: (entity: Entity) => string;
  /** "the place and note" */
  readonly fields: (entity: Entity, names: readonly string[]) => string;
  /** "“Place”" */
  readonly field: (entity: Entity, name: string) => string;
  /** The holders of a role, at the beginning of a sentence: "Keepers", "Payroll", "The borrower". */
  readonly holders: (role: string, entity: Entity, isHeld: boolean) => string;
  /** "keeper" */
  readonly role: (name: string, entity?: Entity) => string;
  /** A condition as a phrase, if it has a short one. */
  readonly condition: (condition: Expr, person: string) => string | undefined;
  /** "“Lent”" */
  readonly state: (entity: Entity, name: string) => string;
  /** "“Hand over”" */
  readonly transition: (entity: Entity, name: string) => string;
}

const quoted = (text: string): string => `“${text}”`;

/** "a", "a and b", "a, b and c" */
export const andList = (names: readonly string[]): string => {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
};

export const createWords = (model: Model): DocumentWords => {
  const isForeign = !/^en\b/iu.test(model.locale);
  const phrases: Phrases = withRoles(phrasesFor("en"), model);
  const format = createFormatter("en", model.timezone);
  // Abbreviations stay in capitals.
  const lower = (title: string): string =>
    /^\p{Lu}(?:\p{Lu}|$)/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
  const noun = (title: string): string => (isForeign ? quoted(title) : lower(title));
  const titleOf = (entity: Entity, name: string): string => entity.fields.get(name)?.title ?? toTitle(name);
  return {
    many: ({ called }) => (isForeign ? quoted(called.many) : called.many),
    fields: (entity, names) => `the ${andList(names.map((name) => noun(titleOf(entity, name))))}`,
    field: (entity, name) => quoted(titleOf(entity, name)),
    holders: (role, entity, isHeld) => {
      if (role === ADMINISTRATOR) return "Administrators";
      const title = roleTitle(model, role, entity);
      const condition = entity.roles.get(role)?.condition;
      const isOneself = condition !== undefined && findHolders(condition).some(({ kind }) => kind === "this");
      if (isHeld && isOneself) return toTitle(phrases.oneself);
      if (isForeign) return `${isHeld ? "The" : "Holders of"} ${quoted(title)}`;
      if (isHeld) return `The ${lower(title)}`;
      return phrases.group(title) === title ? title : pluralize(title);
    },
    role: (name, entity) => noun(roleTitle(model, name, entity ?? null)),
    condition: (condition, person) => plainPhrase(condition, { model, phrases, format, who: person }),
    state: ({ states }, name) => quoted(states?.states.find((one) => one.name === name)?.title ?? toTitle(name)),
    transition: ({ states }, name) => quoted(states?.transitions.get(name)?.title ?? toTitle(name)),
  };
};
