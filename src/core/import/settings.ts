import type { Entity } from "../model/entity.ts";
import type { Field } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import type { ImportColumn, ImportColumnSettings, ImportSettings } from "../wire/imports.ts";
import { matchHeaders } from "./map-columns.ts";

/** The initial settings of an import: columns are matched by their headers, and each row adds a record. */
export const suggestSettings = (
  model: Pick<Model, "translations">,
  entity: Pick<Entity, "name" | "called">,
  fields: readonly Field[],
  columns: readonly ImportColumn[],
): ImportSettings => ({
  columns: matchHeaders(
    model,
    entity,
    fields,
    columns.map(({ header }) => header),
  ).map((field) => ({ field: field ?? null })),
  match: [],
  mode: "fitting",
});

const numbers: ReadonlySet<string> = new Set(["integer", "decimal", "money"]);

const days: ReadonlySet<string> = new Set(["date", "datetime"]);

/** True if the format of a column is ambiguous and nobody has chosen one. */
const isOpen = (
  field: Field | undefined,
  column: ImportColumn,
  { days: order, decimal }: ImportColumnSettings,
): boolean =>
  field !== undefined &&
  ((days.has(field.type) && column.days === "ask" && (order ?? null) === null) ||
    (numbers.has(field.type) && column.decimal === "ask" && (decimal ?? null) === null));

/**
 * Indexes of the columns for which somebody must choose a format. A column of a field in `matchOnly` has no effect, and so
 * no question, unless rows are matched by it.
 */
export const findQuestions = (
  { fields, matchOnly }: { readonly fields: readonly Field[]; readonly matchOnly: ReadonlySet<string> },
  columns: readonly ImportColumn[],
  settings: ImportSettings,
): readonly number[] =>
  columns.flatMap((column, at) => {
    const chosen = settings.columns[at];
    const field = fields.find(
      ({ name }) => name === chosen?.field && (!matchOnly.has(name) || settings.match.includes(name)),
    );
    return chosen !== undefined && isOpen(field, column, chosen) ? [at] : [];
  });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses settings. Undefined if they are malformed, name an unknown field, or name one field twice. */
export const parseSettings = (
  input: unknown,
  fields: readonly Field[],
  columns: readonly ImportColumn[],
  before: ImportSettings,
): ImportSettings | undefined => {
  if (input === undefined || input === null) return before;
  if (!isObject(input)) return undefined;
  const { columns: chosen = before.columns, match = before.match, mode = before.mode } = input;
  const names = new Set(fields.map(({ name }) => name));
  if (!Array.isArray(chosen) || chosen.length !== columns.length) return undefined;
  const taken = new Set<string>();
  const read: ImportColumnSettings[] = [];
  for (const item of chosen as readonly unknown[]) {
    if (!isObject(item)) return undefined;
    const { field = null, days: order = null, decimal = null } = item;
    if (field !== null && (typeof field !== "string" || !names.has(field) || taken.has(field))) return undefined;
    if (order !== null && order !== "dmy" && order !== "mdy" && order !== "ymd") return undefined;
    if (decimal !== null && decimal !== "." && decimal !== ",") return undefined;
    if (field !== null) taken.add(field);
    read.push({ field, days: order, decimal });
  }
  if (!Array.isArray(match) || !match.every((name) => typeof name === "string" && taken.has(name))) return undefined;
  if (mode !== "fitting" && mode !== "all") return undefined;
  const { parent } = before;
  return { columns: read, match: match as readonly string[], mode, ...(parent === undefined ? {} : { parent }) };
};
