import { kindOf } from "../../field/multi-valued.ts";
import { titleOf } from "../../model/inflection.ts";
import { type Entity, type Field, isOfRecord, moments } from "../../model/model.ts";
import type { FieldJson, FieldTypeName } from "../../wire/entities.ts";

/** The words that a list's address takes beside its fields. A field of such a name cannot be filtered by. */
export const listWords = ["where", "limit", "sort", "after", "count", "search", "label", "may", "among"] as const;

const isListWord = (name: string): boolean => listWords.some((word) => word === name);

export const isFilteredBy = (field: Field): boolean =>
  isOfRecord(field) && kindOf(field).lists.filters && !isListWord(field.name);
export const isSortedBy = (field: Field): boolean => isOfRecord(field) && kindOf(field).lists.sorts;
export const isSearched = (field: Field): boolean => isOfRecord(field) && kindOf(field).lists.searches;

/** What a value of a choice, or a state, is called. */
export const titleOfValue = ({ states }: Entity, field: Field, value: string): string =>
  states?.states.find((state) => field.type === "state" && state.name === value)?.title ?? titleOf(value);

/**
 * What a list is narrowed by, beside values that a field must have: `due_day>=2026-01-01` and `due_day<=2026-12-31` are
 * the ends of a range, `fault~=wheel` is a word that a text holds.
 */
const ranged = /^(?:integer|bigint|numeric|date|time|timestamptz|interval)/u;
export const hasRange = (field: Field): boolean =>
  isFilteredBy(field) && !field.many && ranged.test(kindOf(field).column);
export const hasWords = (field: Field): boolean => isFilteredBy(field) && isSearched(field);

const named: ReadonlySet<FieldTypeName> = new Set(["choice", "state", "reference", "boolean"]);

/** The way to narrow a list that fits a field's type, where there is one. */
export const narrowingOf = (field: Field): FieldJson["filters"] => {
  if (!isFilteredBy(field)) return null;
  if (named.has(field.type)) return "values";
  return hasRange(field) ? "range" : hasWords(field) ? "words" : null;
};

/** What a list can be put in order by, of the fields that somebody reads: `due_day`, and `-due_day` downwards. */
export const sortsOf = (fields: readonly Field[]): readonly string[] =>
  [...fields.filter(isSortedBy).map((field) => field.name), ...moments].flatMap((name) => [name, `-${name}`]);
