import type { LocatedRow } from "../../core/draft/table.ts";
import { getZone, localTimeAt, type Zone } from "../../core/expression/values/calendar.ts";
import { readDuration } from "../../core/expression/values/iso-duration.ts";
import { USUAL_CURRENCY } from "../../core/field/money.ts";
import { durationText } from "../../core/import/duration-words.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { toValueTitle } from "../../core/model/inflection.ts";
import type { Model } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";

/** Quotes a cell according to RFC 4180. */
const quoteCell = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Positions where a spreadsheet would start a formula: the beginning of a text, and wherever a reader with another
 * separator, or without quoted line breaks, would begin a cell. Includes full-width signs.
 */
const FORMULA = /(^|[;\t\r\n])(?=[\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r\n])/gu;

/** Prefixes an apostrophe, so that user input is not interpreted as a formula. */
const harmless = (text: string): string => text.replace(FORMULA, "$1'");

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoteCell).join(",")}\r\n`;

/**
 * A table of numbered rows, the header of which is row 1. Each row has its number in this table as well, because empty
 * rows fill the gaps.
 */
export const csvTable = (header: readonly string[], rows: readonly LocatedRow[]): string => {
  const lines = [csvLine(header)];
  let next = 2;
  for (const { number, cells } of rows) {
    lines.push("\r\n".repeat(number - next), csvLine(cells));
    next = number + 1;
  }
  return lines.join("");
};

const isReference = (value: Json): value is { readonly id: string; readonly label: string } =>
  typeof value === "object" && value !== null && "label" in value;

const isMoney = (value: Json): value is { readonly amount: string; readonly currency: string } =>
  typeof value === "object" && value !== null && "amount" in value && "currency" in value;

/** The document's time zone and language. */
export interface CsvFormat {
  readonly zone: Zone;
  readonly locale: string;
}

export const toCsvFormat = ({ timezone, locale }: Pick<Model, "timezone" | "locale">): CsvFormat => ({
  zone: getZone(timezone),
  locale,
});

/**
 * A duration as a spreadsheet calculates with it, or in words: elapsed time as 36:30:00, calendar time as “1 month, 14
 * days”. A mixture with parts of a second, which occurs in no form, stays in wire format. An import reads each of them
 * except negative ones, which are only computed and so never imported.
 */
const formatDuration = (iso: string, locale: string): string => {
  const duration = readDuration(iso.replace(/^-/u, ""));
  if (duration === undefined) return iso;
  const { months, days, milliseconds } = duration;
  const sign = iso.startsWith("-") ? "-" : "";
  if (months !== 0 || days !== 0) return milliseconds % 1_000 === 0 ? `${sign}${durationText(iso, locale)}` : iso;
  const two = (count: number) => String(count).padStart(2, "0");
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1_000].map((unit) => Math.floor(milliseconds / unit));
  const fraction = milliseconds % 1_000 === 0 ? "" : `.${String(milliseconds % 1_000).padStart(3, "0")}`;
  return `${sign}${hours}:${two((minutes ?? 0) % 60)}:${two((seconds ?? 0) % 60)}${fraction}`;
};

/** Formats a cell: labels for people, numbers and dates in wire format, times in the local zone. */
const formatCell = (entity: Entity, field: Field, value: Json | undefined, format: CsvFormat): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: Json) => formatCell(entity, field, item, format)).join("; ");
  if (isReference(value)) return harmless(value.label);
  if (isMoney(value)) return value.amount;
  if (typeof value === "object") return harmless(JSON.stringify(value));
  const text = String(value);
  switch (field.type) {
    case "state":
      return harmless(entity.states?.states.find(({ name }) => name === value)?.title ?? text);
    case "choice":
      return harmless(toValueTitle(text));
    case "datetime":
      return localTimeAt(text, format.zone);
    case "boolean":
    case "integer":
    case "decimal":
    case "date":
    case "time":
    case "position":
      return text;
    case "duration":
      return formatDuration(text, format.locale);
    case "text":
    case "long text":
    case "rich text":
    case "email":
    case "url":
    case "phone":
    case "json":
    case "money":
    case "file":
    case "image":
    case "sequence":
    case "integer sequence":
    case "slug":
    case "reference":
      return harmless(text);
  }
};

/** The header of a column. It names the currency, so that the amounts below stay numeric. */
export const formatHead = ({ title, type, currency }: Field): string =>
  harmless(type === "money" ? `${title} (${currency ?? USUAL_CURRENCY})` : title);

/** The cells of a record. */
export const csvCells = (
  entity: Entity,
  fields: readonly Field[],
  values: { readonly [field: string]: Json | undefined },
  format: CsvFormat,
): readonly string[] => fields.map((field) => formatCell(entity, field, values[field.name], format));

export const csvRow = (entity: Entity, fields: readonly Field[], record: RecordJson, format: CsvFormat): string =>
  csvLine(csvCells(entity, fields, record as { readonly [field: string]: Json | undefined }, format));
