import { createContext, useContext } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson, ReferenceJson } from "../../../core/wire/records.ts";
import type { LocaleContext } from "../../format/locale-context.ts";

/** Other values in the form, on which the targets of a reference can depend. */
export interface SiblingValues {
  /** Id of the record; null for a new one. */
  readonly record: string | null;
  /** The entity and the saved record, null for a new one; absent if the form is about something else. */
  readonly of?: { readonly entity: EntityJson; readonly record: RecordJson | null };
  /** The current value of a field as a query parameter; undefined if the form does not contain it. */
  readonly fieldValue: (field: string) => string | undefined;
  /** The day before this field's value in time; null if there is none. */
  readonly earlierDay?: (field: FieldJson) => EarlierDay | null;
  /** True if the field is the first day of a period, whose last day is in the same form. */
  readonly beginsPeriod?: (field: FieldJson) => boolean;
  /** Further filters on references, in addition to the document's. */
  readonly narrowed?: Narrowed;
  /**
   * Begins a field with a value. It is present in a dialog about one record, which asks for little: there, a limited
   * reference with a single possible target begins with it.
   */
  readonly begin?: ((field: string, value: ReferenceJson) => void) | undefined;
  /** True in a dialog whose first question is a choice: it begins with the open list. */
  readonly opensAtOnce?: boolean;
  /** True if a rule refuses this record for the reference, whatever else is entered: its picker leaves it out. */
  readonly isRefused?: (field: string, id: string) => boolean;
  /** The least number of characters that rules ask of a text; 0 if none does. */
  readonly leastLength?: (field: string) => number;
}

/**
 * The day of the begin of which a field is the end. Otherwise the day in the closest field before it: of its kind or,
 * before a date, also a datetime.
 */
export interface EarlierDay {
  readonly day: string;
  /** True if the document says that the field does not lie before it. */
  readonly isBegin: boolean;
  /** The context in which offsets and lengths are read; absent if they count from today. */
  readonly counting?: Pick<LocaleContext, "countsFrom" | "includesFrom">;
}

/** Query parameters, by field. */
export type Narrowed = { readonly [field: string]: readonly (readonly [name: string, value: string])[] };

const BesideContext = createContext<SiblingValues>({ record: null, fieldValue: () => undefined });
export const SiblingValuesProvider = BesideContext;

/** A moment without a day is assumed to be on this day, and the calendar begins there. */
export const useEarlierDay = (field: FieldJson): EarlierDay | null =>
  useContext(BesideContext).earlierDay?.(field) ?? null;

export const useBeginsPeriod = (field: FieldJson): boolean => useContext(BesideContext).beginsPeriod?.(field) ?? false;

/** Query parameters that limit a list to the possible targets of a reference. */
export const useLimits = ({
  name,
  among,
}: Pick<FieldJson, "name" | "among">): readonly (readonly [string, string])[] => {
  const { record, fieldValue, narrowed } = useContext(BesideContext);
  const own = narrowed?.[name] ?? [];
  if (among === undefined) return own;
  const entered = among.given.flatMap((name) => {
    const value = fieldValue(name);
    return value === undefined ? [] : [[`given.${name}`, value] as const];
  });
  return [["among", record === null ? among.of : `${among.of}/${record}`], ...entered, ...own];
};

export const useBegin = (): SiblingValues["begin"] => useContext(BesideContext).begin;

export const useOpensAtOnce = (): boolean => useContext(BesideContext).opensAtOnce === true;

export const useLeastLength = ({ name }: FieldJson): number => useContext(BesideContext).leastLength?.(name) ?? 0;

/** Returns a function that tells which records the picker of a reference leaves out. */
export const useRefused = ({ name, many }: Pick<FieldJson, "name" | "many">): ((record: { id: string }) => boolean) => {
  const { isRefused } = useContext(BesideContext);
  return ({ id }) => many !== true && isRefused?.(name, id) === true;
};
