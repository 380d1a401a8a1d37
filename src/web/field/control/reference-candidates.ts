import { limitPage } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { RecordJson, ReferenceJson } from "../../../core/wire/records.ts";
import type { ScreenJson } from "../../../core/wire/screens.ts";
import { getValue } from "../../format/record-values.ts";

/** A record that can be chosen. */
export interface RecordOption extends ReferenceJson {
  /** Absent for somebody who is offered for another reason than the search. */
  readonly record?: RecordJson;
  /** The title of the part of the list in which it is; absent if the list has no parts. */
  readonly part?: string;
  /** A text below the label, in place of the columns of the record. */
  readonly note?: string;
  /** The text that contains the words typed, if the label does not. */
  readonly foundBy?: string;
}

/** Maximum number of records that are offered at once. */
const MOST_CANDIDATES = 20;

/** The query for possible targets of a reference. `place`: the field with their order, if they are parts of one record. */
export const candidateQuery = (
  screens: readonly ScreenJson[],
  typed: string,
  limits: readonly (readonly [string, string])[] = [],
  place = "_label",
): URLSearchParams => {
  const limit = String(limitPage(screens, MOST_CANDIDATES));
  const query = new URLSearchParams({ label: "true", limit, sort: place });
  for (const [name, value] of limits) query.append(name, value);
  if (typed.trim() !== "") query.set("search", typed.trim());
  return query;
};

/** The last choices of each person and field, newest first, until the page is loaded again. */
const recent = new Map<string, readonly string[]>();
const MOST_RECENT = 3;

const toRecentKey = (person: string | undefined, clause: string): string => `${person ?? ""} ${clause}`;

export const rememberChoice = (person: string | undefined, clause: string, id: string): void => {
  const key = toRecentKey(person, clause);
  recent.set(key, [id, ...(recent.get(key) ?? []).filter((one) => one !== id)].slice(0, MOST_RECENT));
};

/** The reader first, then the last choices for the field, then the others in their order. */
export const orderCandidates = <T extends ReferenceJson>(
  found: readonly T[],
  person: string | undefined,
  clause: string,
): readonly T[] => {
  const first = [person, ...(recent.get(toRecentKey(person, clause)) ?? [])];
  const top = first.flatMap((id) => found.find((one) => one.id === id) ?? []);
  return [...new Set([...top, ...found])];
};

const plain = (words: string) => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** Checks for every word typed. */
export const toMatcher = (typed: string) => {
  const words = plain(typed.trim()).split(/\s+/);
  return (text: string): boolean => words.every((word) => plain(text).includes(word));
};

/** The items with every word typed in their labels; those that begin with the input come first. */
export const searchLabels = <T extends { readonly label: string }>(
  items: readonly T[],
  typed: string,
): readonly T[] => {
  const query = plain(typed.trim());
  const matches = toMatcher(typed);
  const found = items.filter(({ label }) => matches(label));
  const begins = ({ label }: T) => plain(label).startsWith(query);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))];
};

/**
 * The place of the option that Enter and Tab choose after typing: the first by its label, else the creation at the end. -1
 * for none: a record found by another text than its label is chosen on purpose only.
 */
export const placeAfterTyping = (found: readonly RecordOption[], offersCreation: boolean): number =>
  found[0]?.foundBy === undefined ? 0 : offersCreation ? found.length : -1;

/** Texts of one line, such as numbers and addresses, by which people know a record as well as by its label. */
const identifying: ReadonlySet<FieldTypeName> = new Set(["text", "sequence", "slug", "email", "phone", "url"]);

/** The records with the words typed in their labels, then those with the words in another identifying text. */
export const findCandidates = (
  items: readonly RecordJson[],
  typed: string,
  of: EntityJson | null,
): readonly RecordOption[] => {
  const all = items.map((record) => ({ id: record.id, label: record._label ?? record.id, record }));
  const labelled = searchLabels(all, typed);
  if (typed.trim() === "" || of === null) return labelled;
  const matches = toMatcher(typed);
  const fields = of.fields.filter(({ type }) => identifying.has(type));
  const others = all.flatMap((one): readonly RecordOption[] => {
    if (labelled.includes(one)) return [];
    const texts = fields.map(({ name }) => getValue(one.record, name)).filter((text) => typeof text === "string");
    const foundBy = texts.find(matches);
    return foundBy === undefined ? [] : [{ ...one, foundBy }];
  });
  return [...labelled, ...others];
};
