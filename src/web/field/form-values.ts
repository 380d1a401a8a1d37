import type { FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { type EnteredValues, type ParsedEntry, readEntered, splitMoment, toEntered } from "../format/input-value.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { getValue } from "../format/record-values.ts";
import { readDate } from "../format/typed-dates.ts";

/** A record in a form, as far as its values are concerned. */
export interface FormValues {
  readonly entered: EnteredValues;
  readonly record: RecordJson | null;
}

/** The day of the begin of which a field is the end, as it is entered or saved; null without one. */
export const findBeginDay = (
  { begin, ...field }: FieldJson,
  { entered, record }: FormValues,
  context: LocaleContext,
): string | null => {
  if (begin === undefined) return null;
  const { [begin.field]: typed = record && toEntered(field, getValue(record, begin.field), context) } = entered;
  if (typeof typed !== "string") return null;
  return readDate(field.type === "datetime" ? splitMoment(typed).date : typed, context);
};

/**
 * The context in which the value of a field is read. A saved begin in the past is not what somebody counts from who moves
 * only the end, such as that of a loan: that is today.
 */
export const withBegin = (field: FieldJson, values: FormValues, context: LocaleContext): LocaleContext => {
  const begun = findBeginDay(field, values, context);
  if (begun === null) return context;
  const isEntered = field.begin !== undefined && field.begin.field in values.entered;
  if (!isEntered && begun <= context.today) return context;
  const isLastDay = field.type === "date" && field.begin?.period === true;
  return { ...context, countsFrom: begun, ...(isLastDay && { includesFrom: true }) };
};

/** The value that is entered in a field. Offsets in the end of a period count from its begin. */
export const readFormField = (field: FieldJson, values: FormValues, context: LocaleContext): ParsedEntry =>
  readEntered(field, values.entered[field.name] ?? null, withBegin(field, values, context));
