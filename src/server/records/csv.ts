import type { LocatedRow } from "../../core/draft/table.ts";
import { localTimeAt, type Zone } from "../../core/expression/values/calendar.ts";
import { USUAL_CURRENCY } from "../../core/field/money.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { toValueTitle } from "../../core/model/inflection.ts";
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

/** Formats a cell: labels for people, numbers and dates in wire format, times in the local zone. */
const formatCell = (entity: Entity, field: Field, value: Json | undefined, zone: Zone): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: Json) => formatCell(entity, field, item, zone)).join("; ");
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
      return localTimeAt(text, zone);
    case "boolean":
    case "integer":
    case "decimal":
    case "date":
    case "time":
    case "duration":
    case "position":
      return text;
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
  zone: Zone,
): readonly string[] => fields.map((field) => formatCell(entity, field, values[field.name], zone));

export const csvRow = (entity: Entity, fields: readonly Field[], record: RecordJson, zone: Zone): string =>
  csvLine(csvCells(entity, fields, record as { readonly [field: string]: Json | undefined }, zone));
