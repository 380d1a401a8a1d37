import { filteredField, type ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { toMatcher } from "../../field/control/reference-candidates.ts";
import { getValue } from "../../format/record-values.ts";
import { isReference } from "../../format/value-shapes.ts";

/** The field by which rows are sorted first: `due_day` for `-due_day`. */
export const getSortField = ([first]: readonly string[]): string | undefined => first?.replace(/^-/u, "");

/** Columns that a card has room for, with the one that names the record. */
const ON_A_CARD = 4;

/** The columns for a card: the one that decides the order of the cards is not left out because it comes late. */
export const advanceSorted = (columns: readonly FieldJson[], sort: readonly string[]): readonly FieldJson[] => {
  const by = columns.findIndex(({ name }) => name === getSortField(sort));
  if (by < ON_A_CARD) return columns;
  const ahead = columns.toSpliced(by, 1);
  return ahead.toSpliced(2, 0, ...columns.slice(by, by + 1));
};

type Place = Pick<ListScreenJson, "sort">;
/** The part of a search that decides which rows are shown, and in which order. */
export type ActingSearch = Pick<ListSearch, "filters" | "sort">;

/**
 * The fields that decide which rows a list shows, and in which order: those of its filters, and of an order that is not the
 * document’s.
 */
export const findActingFields = (
  { sort: own }: Place,
  { fields }: EntityJson,
  { filters, sort }: ActingSearch,
): readonly FieldJson[] => {
  const acting = new Set(Object.keys(filters).map(filteredField));
  const by = getSortField(sort);
  if (by !== undefined && sort.join() !== own.join()) acting.add(by);
  return fields.filter(({ name }) => acting.has(name));
};

/** True if the filter leaves one value of the field, which its chip names: the rows need not repeat it. */
export const isNarrowedToOne = ({ name }: FieldJson, { filters, sort }: ActingSearch): boolean => {
  const own = Object.entries(filters).filter(([key]) => filteredField(key) === name);
  return own.length === 1 && own[0]?.[0] === name && own[0][1].length === 1 && getSortField(sort) !== name;
};

/** Each field beside the last column of its type, so that dates are compared with dates; otherwise at the end. */
const insertFields = (columns: readonly FieldJson[], added: readonly FieldJson[]): readonly FieldJson[] => {
  const all = [...columns];
  for (const field of added) {
    if (all.some(({ name }) => name === field.name)) continue;
    const alike = all.findLastIndex(({ type }) => type === field.type);
    all.splice(alike < 1 ? all.length : alike + 1, 0, field);
  }
  // Without further fields, the columns stay the same value.
  return all.length === columns.length ? columns : all;
};

/** The columns, and for as long as they act the other fields by which the rows are filtered or sorted. */
export const addActingFields = (
  columns: readonly FieldJson[],
  screen: Place,
  entity: EntityJson,
  search: ActingSearch,
): readonly FieldJson[] => insertFields(columns, findActingFields(screen, entity, search));

/** Further columns for a search: more would take the width of those that the reader chose. */
const MOST_HITS = 2;

/** Types whose values are text in JSON, but are not searched. */
const unsearched: ReadonlySet<FieldTypeName> = new Set(["date", "time", "datetime", "duration", "decimal"]);

/** The text of a value that a search reads. */
const readText = ({ name, type, values }: FieldJson, record: RecordJson): string => {
  if (unsearched.has(type)) return "";
  const value = getValue(record, name);
  if (isReference(value)) return value.label ?? "";
  return typeof value === "string" ? (values?.find((one) => one.value === value)?.label ?? value) : "";
};

/** The columns, and the fields in which alone a search found words of some rows. */
export const addFoundFields = (
  columns: readonly FieldJson[],
  { fields }: EntityJson,
  words: string,
  items: readonly RecordJson[],
): readonly FieldJson[] => {
  if (words.trim() === "") return columns;
  const matchers = words.trim().split(/\s+/u).map(toMatcher);
  const hidden = fields.filter((field) => !columns.includes(field));
  const found = new Set<FieldJson>();
  for (const record of items) {
    const shown = [record._label ?? "", ...columns.map((field) => readText(field, record))].join("\n");
    for (const matches of matchers) {
      if (matches(shown)) continue;
      const field = hidden.find((one) => matches(readText(one, record)));
      if (field !== undefined) found.add(field);
    }
    if (found.size >= MOST_HITS) break;
  }
  return insertFields(columns, [...found].slice(0, MOST_HITS));
};
