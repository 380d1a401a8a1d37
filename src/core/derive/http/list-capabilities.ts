import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity } from "../../model/entity.ts";
import { isListWord } from "../../model/facts/grouping.ts";
import { type Field, isOfRecord, timestampFields } from "../../model/field.ts";
import { toValueTitle } from "../../model/inflection.ts";
import type { FieldJson } from "../../wire/entities.ts";

export const isFilteredBy = (field: Field): boolean =>
  isOfRecord(field) && getFieldKind(field).lists.filters !== false && !isListWord(field.name);
export const isSortedBy = (field: Field): boolean => isOfRecord(field) && getFieldKind(field).lists.sorts !== false;
export const isSearched = (field: Field): boolean => isOfRecord(field) && getFieldKind(field).lists.searches;

/** The title of a state or a value of a choice. A previous state has the title of the state. */
export const titleOfValue = ({ states }: Entity, field: Field, value: string): string => {
  const isState =
    field.type === "state" || [...(states?.transitions.values() ?? [])].some(({ previous }) => previous === field.name);
  return states?.states.find((state) => isState && state.name === value)?.title ?? toValueTitle(value);
};

/**
 * The kind of filter for a field; null if there is none. `due_day>=2026-01-01` and `due_day<=2026-12-31` are the bounds
 * of a range; `fault~=wheel` filters by a word in a text.
 */
export const filterKind = (field: Field): FieldJson["filters"] => {
  const { filters } = getFieldKind(field).lists;
  if (!isFilteredBy(field) || filters === false) return null;
  return filters === "range" && field.many ? null : filters;
};
export const hasRange = (field: Field): boolean => filterKind(field) === "range";
/** True if periods such as `last_month` filter the field: `due_day@=last_month`. */
export const hasPeriods = (field: Field): boolean =>
  hasRange(field) && (field.type === "date" || field.type === "datetime");
export const hasWords = (field: Field): boolean => filterKind(field) === "words";

/** A field that is a deadline while the field of the states has one of these values. */
export interface Deadline {
  readonly field: string;
  readonly states: readonly string[];
}

/** The deadline, for readers of the state. Other readers see an ordinary date. */
export const findStateDeadline = (
  { states }: Entity,
  { name }: Field,
  isReadable: (field: string) => boolean,
): Deadline | undefined => {
  if (states === null || !isReadable(states.field)) return undefined;
  const open = states.states.filter(({ deadline }) => deadline === name).map((state) => state.name);
  return open.length === 0 ? undefined : { field: states.field, states: open };
};

/** Sorts records by their labels. No field has this name. */
export const LABEL_KEY = "_label";

/** The sort keys of a list for readers of these fields: `due_day`, and `-due_day` for descending order. */
export const listSortKeys = (fields: readonly Field[]): readonly string[] =>
  [...fields.filter(isSortedBy).map((field) => field.name), ...timestampFields, LABEL_KEY].flatMap((name) => [
    name,
    `-${name}`,
  ]);
