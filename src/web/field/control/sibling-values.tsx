import { createContext, useContext } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { RecordJson, ReferenceJson } from "../../../core/wire/records.ts";
import { type EnteredValues, readEntered, splitMoment } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";

/** Other values in the form, on which the targets of a reference can depend. */
export interface SiblingValues {
  /** Id of the record; null for a new one. */
  readonly record: string | null;
  /** The entity and the saved record, null for a new one; absent if the form is about something else. */
  readonly of?: { readonly entity: EntityJson; readonly record: RecordJson | null };
  /** The current value of a field as a query parameter; undefined if the form does not contain it. */
  readonly fieldValue: (field: string) => string | undefined;
  /**
   * The day that is typed in the closest field before this one: of its kind or, before a date, also a datetime; "" if
   * there is none.
   */
  readonly earlierDay?: (field: string) => string;
  /** Further filters on references, in addition to the document's. */
  readonly narrowed?: Narrowed;
  /**
   * Begins a field with a value. It is present in a dialog about one record, which asks for little: there, a limited
   * reference with a single possible target begins with it.
   */
  readonly begin?: ((field: string, value: ReferenceJson) => void) | undefined;
  /** True if a rule refuses this record for the reference, whatever else is entered: its picker leaves it out. */
  readonly isRefused?: (field: string, id: string) => boolean;
}

/** Query parameters, by field. */
export type Narrowed = { readonly [field: string]: readonly (readonly [name: string, value: string])[] };

const BesideContext = createContext<SiblingValues>({ record: null, fieldValue: () => undefined });
export const SiblingValuesProvider = BesideContext;

/**
 * The day in the field before, such as the begin of a range: a moment without a day is assumed to be on it, and the
 * calendar begins there.
 */
export const useEarlierDay = ({ name }: Pick<FieldJson, "name">): string =>
  useContext(BesideContext).earlierDay?.(name) ?? "";

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

/** Returns a function that tells which records the picker of a reference leaves out. */
export const useRefused = ({ name, many }: Pick<FieldJson, "name" | "many">): ((record: { id: string }) => boolean) => {
  const { isRefused } = useContext(BesideContext);
  return ({ id }) => many !== true && isRefused?.(name, id) === true;
};

export const getSiblingsOfForm = (
  form: { readonly fields: readonly FieldJson[]; readonly entered: EnteredValues },
  record: string | null,
  context: LocaleContext,
  also: { readonly [name: string]: string } = {},
): SiblingValues => getSiblingsOfRow(form.fields, form.entered, record, context, also);

/** The context in a form of a saved record, or of a new one. */
export const getSiblingsOfRecord = (
  form: Parameters<typeof getSiblingsOfForm>[0],
  entity: EntityJson,
  record: RecordJson | null,
  context: LocaleContext,
): SiblingValues => ({ ...getSiblingsOfForm(form, record?.id ?? null, context), of: { entity, record } });

/** The context for a control in a form or in a row. */
export const getSiblingsOfRow = (
  fields: readonly FieldJson[],
  entered: EnteredValues,
  record: string | null,
  context: LocaleContext,
  also: { readonly [name: string]: string },
): SiblingValues => ({
  record,
  fieldValue: (name) => {
    if (name in also) return also[name];
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    const read = readEntered(field, entered[name] ?? null, context);
    return read.kind === "value" ? inAddress(read.value) : "";
  },
  earlierDay: (name) => {
    const place = fields.findIndex((field) => field.name === name);
    const isDate = fields[place]?.type === "date";
    const before = fields
      .slice(0, Math.max(place, 0))
      .findLast(({ type }) => type === "datetime" || (isDate && type === "date"));
    const typed = entered[before?.name ?? ""];
    if (typeof typed !== "string") return "";
    return before?.type === "datetime" ? splitMoment(typed).date : typed;
  },
});

const inAddress = (value: Json): string => (value === null || typeof value === "object" ? "" : String(value));
