import { kinds } from "../field/kinds.ts";
import { type Field, isOfRecord, moments } from "../model/model.ts";

/** The words that a list's address takes beside its fields. A field of such a name cannot be filtered by. */
export const listWords = ["limit", "sort", "after", "count", "search", "label", "may"] as const;

const isListWord = (name: string): boolean => listWords.some((word) => word === name);

export const isFilteredBy = (field: Field): boolean =>
  isOfRecord(field) && kinds[field.type].lists.filters && !isListWord(field.name);
export const isSortedBy = (field: Field): boolean => isOfRecord(field) && kinds[field.type].lists.sorts;
export const isSearched = (field: Field): boolean => isOfRecord(field) && kinds[field.type].lists.searches;

/** What a list can be put in order by, of the fields that somebody reads: `due_day`, and `-due_day` downwards. */
export const sortsOf = (fields: readonly Field[]): readonly string[] =>
  [...fields.filter(isSortedBy).map((field) => field.name), ...moments].flatMap((name) => [name, `-${name}`]);
