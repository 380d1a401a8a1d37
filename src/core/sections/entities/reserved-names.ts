import type { FieldShape } from "../../expression/values/type.ts";

/** The fields of every record, whose names are reserved. */
export const systemFields: readonly FieldShape[] = [
  { name: "id", type: { kind: "text" }, optional: false, column: "id" },
  { name: "version", type: { kind: "integer" }, optional: false, column: "version" },
  { name: "created_at", type: { kind: "datetime" }, optional: false, column: "created_at" },
  { name: "updated_at", type: { kind: "datetime" }, optional: false, column: "updated_at" },
];

const reservedWords = [
  "user",
  "this",
  "input",
  "old",
  "limits",
  "now",
  "today",
  "may",
  "system",
  "true",
  "false",
  "null",
  "in",
  "state_since",
];
/** Columns that Postgres adds to every table. */
const postgresColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];
const reserved = new Set([...reservedWords, ...postgresColumns, ...systemFields.map((field) => field.name)]);

/** True if no field of a document can have this name. */
export const isReservedField = (name: string): boolean => reserved.has(name);
