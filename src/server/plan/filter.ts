import { isFilteredBy, isSearched } from "../../core/derive/lists.ts";
import { specOf } from "../../core/derive/spec.ts";
import { typeOfColumn } from "../../core/derive/tables.ts";
import { kinds } from "../../core/field/kinds.ts";
import type { Field } from "../../core/model/model.ts";
import { join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Json } from "../../core/wire.ts";
import type { ListIntent } from "../ask.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { Eyes } from "./eyes.ts";

/** What a list is narrowed to: the values that a field may have. */
export interface Filter {
  readonly field: Field;
  readonly slot: string;
  /** In their stored form, each once. */
  readonly values: readonly unknown[];
  /** Whether it may be missing too. */
  readonly missing: boolean;
}

/** In an address everything is text; a boolean is one of two words, and any other is refused by its type. */
const filterValue = (field: Field, value: string): Json =>
  field.type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;

/** Equality on what the person may read; a field that they may not is refused as one that is not there. */
export const filtersOf = (eyes: Eyes, { filters }: ListIntent): readonly Filter[] | Refusal => {
  const found: Filter[] = [];
  for (const [i, [name, values]] of filters.entries()) {
    const field = eyes.fields.find((one) => one.name === name);
    if (field === undefined || !isFilteredBy(field))
      return refuse("BAD_QUERY", undefined, { detail: `nothing can be filtered by “${name}”` });
    const given = values.filter((value) => value !== "");
    const read = given.map((value) =>
      kinds[field.type].read(filterValue(field, value), specOf(eyes.entity, { ...field, min: null, max: null })),
    );
    if (read.some((one) => !one.ok))
      return refuse("BAD_QUERY", undefined, { detail: `“${name}” cannot have that value` });
    found.push({
      field,
      slot: `filter:${i}`,
      values: [...new Set(read.map((one) => (one.ok ? one.value : null)))],
      missing: given.length < values.length,
    });
  }
  return found;
};

/** What of filters decides a statement's text: their fields, and whether one value or several are given. */
export const shapeOf = (filters: readonly Filter[]): string =>
  filters
    .map(({ field, values, missing }) => `${field.name}${Math.min(values.length, 2)}${missing ? "?" : ""}`)
    .join("&");

export const filterSlots = (filters: readonly Filter[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(filters.map(({ slot, values }) => [slot, values.length === 1 ? values[0] : values]));

/** One value is compared by itself: of several, Postgres would not know the order in which an index has them. */
export const filterCondition = (filter: Filter, column: Sql): Sql => {
  const type = typeOfColumn(filter.field);
  const some =
    filter.values.length === 0
      ? []
      : filter.values.length === 1
        ? [sql`${column} = ${slot(filter.slot, type)}`]
        : [sql`${column} = ANY(${slot(filter.slot, `${type}[]`)})`];
  return sql`(${join([...some, ...(filter.missing ? [sql`${column} IS NULL`] : [])], " OR ")})`;
};

/** The words anywhere in a text that the person may read, in any case. */
export const searchCondition = (eyes: Eyes): Sql => {
  const found = eyes.fields.filter(isSearched).flatMap((field) => {
    const column = eyes.column(field.name);
    return column === undefined ? [] : [sql`strpos(lower(${column}), lower(${slot("search", "text")})) > 0`];
  });
  return found.length === 0 ? sql`FALSE` : sql`(${join(found, " OR ")})`;
};
