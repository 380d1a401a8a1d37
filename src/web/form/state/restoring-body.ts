import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Body } from "../../api/requests.ts";
import type { RecordValues } from "../../api/show-in-lists.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getValue } from "../../format/record-values.ts";
import { openForm } from "./open-form.ts";
import { readForm } from "./send-form.ts";

/** The values of fields of a record, as its row shows them. */
export const pickValues = (record: RecordJson, fields: readonly FieldJson[]): RecordValues => {
  const values = fields.flatMap(({ name }) => (Object.hasOwn(record, name) ? [[name, getValue(record, name)]] : []));
  return { id: record.id, ...Object.fromEntries(values) };
};

/** The body that restores the values that a record had; undefined if this person cannot read all of them. */
export const restoringBody = (
  record: RecordJson,
  fields: readonly FieldJson[],
  context: LocaleContext,
): Body | undefined => {
  if (!fields.every(({ name }) => Object.hasOwn(record, name))) return undefined;
  const read = readForm(openForm("ask", fields, record, context), context);
  return read.kind === "body" ? read.body : undefined;
};

/** A record after a change of fields, and how it gets back the values that it had; null if this person cannot read them. */
export const toRestored = (
  before: RecordJson,
  after: RecordJson,
  fields: readonly FieldJson[],
  context: LocaleContext,
) => {
  const body = restoringBody(before, fields, context);
  if (body === undefined) return null;
  const hasValues = (now: RecordJson): boolean =>
    JSON.stringify(restoringBody(now, fields, context)) === JSON.stringify(body);
  return { after, body, hasValues, values: pickValues(before, fields), label: before._label };
};
