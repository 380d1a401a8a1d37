import type { Entity, Field } from "../core/model/model.ts";
import { titleOf } from "../core/model/words.ts";
import type { Json } from "../core/wire/json.ts";
import type { RecordJson } from "../core/wire/records.ts";

/** A cell as RFC 4180 has it. */
const quoted = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** What a spreadsheet would take for a formula stays the text that somebody wrote. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text);

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(",")}\r\n`;

const isReference = (value: Json): value is { readonly id: string; readonly label: string } =>
  typeof value === "object" && value !== null && "label" in value;

const exact: readonly Field["type"][] = [
  "integer",
  "decimal",
  "money",
  "date",
  "datetime",
  "time",
  "duration",
  "position",
];

/** A value as a table of text has it: words for people, figures and days as the wire has them. */
const cellOf = (entity: Entity, field: Field, value: Json | undefined): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one: Json) => cellOf(entity, field, one)).join("; ");
  if (isReference(value)) return harmless(value.label);
  if (field.type === "boolean") return value === true ? "true" : "false";
  if (field.type === "state") return entity.states?.states.find(({ name }) => name === value)?.title ?? String(value);
  if (field.type === "choice") return titleOf(String(value));
  if (typeof value === "object") return harmless(JSON.stringify(value));
  return exact.includes(field.type) ? String(value) : harmless(String(value));
};

export const rowOf = (entity: Entity, fields: readonly Field[], record: RecordJson): string =>
  csvLine(fields.map((field) => cellOf(entity, field, record[field.name] as Json | undefined)));
