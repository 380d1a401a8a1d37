import { getPhrasesFor, type Phrases } from "../../explain/language.ts";
import { entityNoun } from "../../explain/who-may.ts";
import type { Entity } from "../../model/entity.ts";
import { pluralize } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import { permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

type ProseWords = Phrases["prose"];

/** Roles of a person. */
interface WorkingRoles {
  readonly names: ReadonlySet<string>;
  /** Titles in the document's language, under which point 1 can speak of them. */
  readonly titles: readonly string[];
}

/** Maximum number of sentences for somebody with several roles. */
const MAX_SENTENCES = 2;

/**
 * Describes the work of some roles: in the words of point 1, if it has some in the reader's language, and otherwise from
 * their transitions and permissions. Empty if they can do nothing.
 */
export const describeWork = (
  model: Model,
  { names, titles }: WorkingRoles,
  phrases: Phrases,
  language: string,
): readonly string[] => {
  const written = titles.flatMap((title) => findSentence(model, title, phrases.say, language) ?? []);
  if (written.length > 0) return [...new Set(written)].slice(0, MAX_SENTENCES);
  const acts = describeActs(model, names, phrasesOfTitles(phrases, language));
  return acts === null ? [] : [acts];
};

/** The phrases of a line whose words are all in one language, that of the document's titles. */
export const phrasesOfTitles = (phrases: Phrases, language: string): Phrases =>
  phrases.language === language.split("-")[0] ? phrases : { ...getPhrasesFor(language), say: phrases.say };

/** The sentence of point 1 about the holders of a role, or its clause about them; null if there is none that stands alone. */
const findSentence = (
  { purpose, locale, translations }: Model,
  title: string,
  say: Phrases["say"],
  language: string,
): string | null => {
  const isOwn = language === locale;
  const read = (text: string | undefined): string | null =>
    text === undefined || !(isOwn || translations.get(language)?.has(text) === true) ? null : say(text);
  const prose = getPhrasesFor(language).prose;
  const nth = purpose.findIndex((text) => subjectOf(text, title, getPhrasesFor(locale).prose) !== null);
  const text = read(purpose[nth]);
  // The first sentence is about everybody.
  if (nth > 0) return text === null ? null : shorten(sayWhatTheyDo(text, read(purpose[nth + 1]), say(title), prose));
  const clause = findClause(read(purpose[0]) ?? "", say(title), prose);
  return clause === null ? null : shorten(clause);
};

/** The subject with which a sentence begins, if it is the holders of a role: “**Keepers**” or “The keepers”. */
const subjectOf = (text: string, title: string, { articles }: ProseWords): string | null => {
  const [, bold] = /^\*\*(.+?):?\*\*/u.exec(text) ?? [];
  if (bold !== undefined) return namesHolders(bold, title) ? bold : null;
  const words = text.split(" ");
  const [article = ""] = words;
  const from = articles.includes(article.toLowerCase()) ? 1 : 0;
  const subject = words.slice(0, from + title.split(" ").length);
  return namesHolders(subject.slice(from).join(" "), title) ? subject.join(" ") : null;
};

/** True for a title in singular or plural. Most plurals only have another end: “Keeper”, “Keepers”; “Prüfer”, “Prüfern”. */
const namesHolders = (words: string, title: string): boolean => {
  const [written, one] = [words.toLowerCase().replace(/[,:]$/u, ""), title.toLowerCase()];
  if (written === one || written === pluralize(one)) return true;
  const stem = one.length > 3 ? one.slice(0, -1) : one;
  return written.startsWith(stem) && written.length >= one.length && written.length <= one.length + MAX_ENDING;
};

const MAX_ENDING = 3;

const plain = (text: string): string => text.replaceAll(/[*_`]/gu, "").trim();

/** A sentence about persons. If it says which ones they are, and the next one what they do, it is the next one. */
const sayWhatTheyDo = (text: string, next: string | null, title: string, prose: ProseWords): string => {
  const subject = subjectOf(text, title, prose) ?? /^\*\*(.+?):?\*\*/u.exec(text)?.[1];
  const [they = "", ...rest] = next?.split(" ") ?? [];
  const [verb = ""] = subject === undefined ? [] : plain(text).slice(subject.length).trim().split(" ");
  return subject !== undefined && prose.are.includes(verb) && prose.they.includes(they.toLowerCase())
    ? `${subject} ${plain(rest.join(" "))}`
    : plain(text);
};

/** The clause of a sentence whose subject is the holders of a role; null without one that stands alone. */
const findClause = (sentence: string, title: string, prose: ProseWords): string | null => {
  const clauses = plain(sentence).split(new RegExp(`,? (?:${prose.and.join("|")}) |, `, "u"));
  const nth = clauses.findIndex((clause) => subjectOf(clause, title, prose) !== null);
  const clause = clauses[nth];
  if (clause === undefined || clause.split(" ").length < LEAST_WORDS) return null;
  return nth > 0 && prose.refersBack.test(clause) ? null : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
};

const LEAST_WORDS = 3;

const MAX_WHOLE = 80;
const MAX_BEGINNING = 64;

/** A long sentence ends with the last of its parts that fits. */
const shorten = (sentence: string): string | null => {
  const text = sentence.replace(/[.;:,]$/u, "");
  if (text.length <= MAX_WHOLE) return text;
  const end = text.lastIndexOf(", ", MAX_BEGINNING);
  return end < 0 ? null : `${text.slice(0, end)} …`;
};

/** The work of roles from the document's clauses; the transitions of one kind of record, else what they add or see. */
const describeActs = (model: Model, roles: ReadonlySet<string>, phrases: Phrases): string | null => {
  const isTheirs = ({ role }: { readonly role: string }): boolean => roles.has(role);
  const entities = [...model.entities.values()].filter(
    ({ name, fields, served }) => served && name !== "User" && [...fields.values()].every(({ partOf }) => !partOf),
  );
  const moves = entities
    .map((entity) => ({ entity, titles: titlesOfActs(entity, isTheirs) }))
    .toSorted((one, other) => other.titles.length - one.titles.length)[0];
  const { sentences, say } = phrases;
  const many = (entity: Entity): string => entityNoun(phrases, entity).many;
  const permitted = (action: "create" | "read") =>
    entities.filter((entity) => permissionRulesFor(entity, action).some(isTheirs));
  if (moves !== undefined && moves.titles.length > 0)
    return sentences.roleActs(
      moves.titles.map(say),
      many(moves.entity),
      permitted("create").includes(moves.entity) ? ["create"] : [],
    ).text;
  const [created] = permitted("create");
  if (created !== undefined) return sentences.roleActs([], many(created), ["create"]).text;
  const read = permitted("read").slice(0, MAX_KINDS).map(many);
  return read.length === 0 ? null : sentences.roleSees(read);
};

/** Maximum number of kinds of records that somebody sees. */
const MAX_KINDS = 2;

/** The titles of the transitions that roles make, main actions first. */
export const titlesOfActs = (
  entity: Entity,
  isTheirs: (rule: { readonly role: string }) => boolean,
): readonly string[] => [
  ...new Set(
    [...(entity.states?.transitions.values() ?? [])]
      .filter(
        (transition) =>
          transition.timeout === null &&
          transition.once === null &&
          transitionRulesFor(entity, transition).some(isTheirs),
      )
      .toSorted((one, other) => Number(other.main === true) - Number(one.main === true))
      .map(({ title }) => title),
  ),
];
