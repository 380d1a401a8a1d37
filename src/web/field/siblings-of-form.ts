import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { splitMoment } from "../format/input-value.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { readDate } from "../format/typed-dates.ts";
import type { SiblingValues } from "./control/sibling-values.tsx";
import { type FormValues, findBeginDay, readFormField, withBegin } from "./form-values.ts";

/** The values of a form as the context of its controls. Only forms read what was typed, so pages load no parsers for it. */
export const getSiblingsOfForm = (
  form: FormValues & { readonly fields: readonly FieldJson[] },
  record: string | null,
  context: LocaleContext,
  also: { readonly [name: string]: string } = {},
): SiblingValues => getSiblingsOfRow(form.fields, form, record, context, also);

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
  values: FormValues,
  record: string | null,
  context: LocaleContext,
  also: { readonly [name: string]: string },
): SiblingValues => ({
  record,
  fieldValue: (name) => {
    if (name in also) return also[name];
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    const read = readFormField(field, values, context);
    return read.kind === "value" ? inAddress(read.value) : "";
  },
  beginsPeriod: ({ name }) => fields.some(({ begin }) => begin?.field === name && begin.period === true),
  earlierDay: (field) => {
    const begun = findBeginDay(field, values, context);
    if (begun !== null) {
      const { countsFrom, includesFrom } = withBegin(field, values, context);
      const counting = { countsFrom, ...(includesFrom && { includesFrom }) };
      return { day: begun, isBegin: true, ...(countsFrom !== undefined && { counting }) };
    }
    const place = fields.findIndex(({ name }) => name === field.name);
    const before = fields
      .slice(0, Math.max(place, 0))
      .findLast(({ type }) => type === "datetime" || (field.type === "date" && type === "date"));
    const typed = values.entered[before?.name ?? ""];
    if (before === undefined || typeof typed !== "string") return null;
    const day = readDate(before.type === "datetime" ? splitMoment(typed).date : typed, context);
    return day === null ? null : { day, isBegin: false };
  },
});

const inAddress = (value: Json): string => (value === null || typeof value === "object" ? "" : String(value));
