import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity, States } from "../../model/entity.ts";
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
  /** The values with which it is over: what it is about has been done, or nobody will do it. */
  readonly over: readonly string[];
}

/** The deadline, for readers of the state. Other readers see an ordinary date. */
export const findStateDeadline = (
  { states }: Entity,
  { name }: Field,
  isReadable: (field: string) => boolean,
): Deadline | undefined => {
  if (states === null || !isReadable(states.field)) return undefined;
  const open = states.states.filter(({ deadline }) => deadline === name).map((state) => state.name);
  return open.length === 0
    ? undefined
    : { field: states.field, states: open, over: findStatesAfter(states, new Set(open)) };
};

/** The other states in which records end, or into which none gets without having been in one of these. */
const findStatesAfter = (
  { initial, final, states, transitions }: States,
  open: ReadonlySet<string>,
): readonly string[] => {
  const before = new Set(open.has(initial) ? [] : [initial]);
  for (const state of before)
    for (const { from, to } of transitions.values())
      if (from.includes(state)) for (const next of to) if (!open.has(next)) before.add(next);
  return states.map(({ name }) => name).filter((name) => !open.has(name) && (final.has(name) || !before.has(name)));
};

/** Sorts records by their labels. No field has this name. */
export const LABEL_KEY = "_label";

/** The sort keys of a list for readers of these fields: `due_day`, and `-due_day` for descending order. */
export const listSortKeys = (fields: readonly Field[]): readonly string[] =>
  [...fields.filter(isSortedBy).map((field) => field.name), ...timestampFields, LABEL_KEY].flatMap((name) => [
    name,
    `-${name}`,
  ]);
