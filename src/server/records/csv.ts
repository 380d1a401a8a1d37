import { localTimeAt, type Zone } from "../../core/expression/values/calendar.ts";
import { USUAL_CURRENCY } from "../../core/field/money.ts";
import { titleOf } from "../../core/model/inflection.ts";
import type { Entity, Field } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";

/** A cell as RFC 4180 has it. */
const quoted = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Where a spreadsheet would begin a cell with a formula: at the beginning of the text, and wherever a reader whose separator
 * is a semicolon or a tab, and who knows no quoted line breaks, would begin one. The full-width signs count as the plain ones.
 */
const FORMULA = /(^|[;\t\r\n])(?=[\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r\n])/gu;

/** What a spreadsheet would take for a formula stays the text that somebody wrote. */
const harmless = (text: string): string => text.replace(FORMULA, "$1'");

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(",")}\r\n`;

const isReference = (value: Json): value is { readonly id: string; readonly label: string } =>
  typeof value === "object" && value !== null && "label" in value;

const isMoney = (value: Json): value is { readonly amount: string; readonly currency: string } =>
  typeof value === "object" && value !== null && "amount" in value && "currency" in value;

const exact: readonly Field["type"][] = ["integer", "decimal", "date", "time", "duration", "position"];

/** A value as a table of text has it: words for people, figures and days as the wire has them, moments as clocks show them. */
const cellOf = (entity: Entity, field: Field, value: Json | undefined, zone: Zone): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one: Json) => cellOf(entity, field, one, zone)).join("; ");
  if (isReference(value)) return harmless(value.label);
  if (field.type === "boolean") return value === true ? "true" : "false";
  if (field.type === "state")
    return harmless(entity.states?.states.find(({ name }) => name === value)?.title ?? String(value));
  if (field.type === "choice") return harmless(titleOf(String(value)));
  if (field.type === "datetime") return localTimeAt(String(value), zone);
  if (isMoney(value)) return value.amount;
  if (typeof value === "object") return harmless(JSON.stringify(value));
  return exact.includes(field.type) ? String(value) : harmless(String(value));
};

/** The head of a column. The amounts below it have one currency, which is said here so that they stay numbers. */
export const headOf = ({ title, type, currency }: Field): string =>
  harmless(type === "money" ? `${title} (${currency ?? USUAL_CURRENCY})` : title);

export const rowOf = (entity: Entity, fields: readonly Field[], record: RecordJson, zone: Zone): string =>
  csvLine(fields.map((field) => cellOf(entity, field, record[field.name] as Json | undefined, zone)));
