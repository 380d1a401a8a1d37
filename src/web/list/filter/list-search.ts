import {
  type Filters,
  filteredField,
  filterParameters,
  isOwnGroup,
  type ListPage,
  type ListSearch,
  listCall,
  readSearch,
  sortedQuery,
  writeFigure,
} from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { sortOrders } from "../../field/sort-orders.ts";

/** No filters, newest first. */
export const unfilteredSearch: ListSearch = {
  filters: {},
  sort: [],
  words: "",
  where: null,
  grouped: [],
  figure: null,
  layout: null,
  at: null,
  scale: null,
};

const sameList = (one: readonly string[], other: readonly string[]) => one.join(",") === other.join(",");

const findSearchField = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** The fields that the screen offers as filters. */
export const filterFields = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  screen.filters.flatMap((name) => {
    const field = findSearchField(entity, name);
    return field?.filters ? [field] : [];
  });

export const otherFilters = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  entity.fields.filter(({ name, filters }) => filters !== null && !screen.filters.includes(name));

/** Fields in the order of the list: its columns first, then the others as in the document. */
export const orderByColumns = (fields: readonly FieldJson[], columns: readonly string[]): readonly FieldJson[] => {
  const place = ({ name }: FieldJson) => (columns.includes(name) ? columns.indexOf(name) : columns.length);
  return fields.toSorted((one, other) => place(one) - place(other));
};

/** The filters on one field. */
export const getFieldFilters = (field: FieldJson, filters: Filters): Filters =>
  Object.fromEntries(filterParameters(field).flatMap((key) => (filters[key] ? [[key, filters[key]]] : [])));

export const isNarrowed = ({ filters, words, where }: ListSearch): boolean =>
  Object.keys(filters).length > 0 || words !== "" || where !== null;

/** Clears the filters and keeps order and layout. */
export const clearFilters = (search: ListSearch): ListSearch => ({ ...search, filters: {}, words: "", where: null });

/** Parses an address. Unknown filters and columns are ignored. */
export const searchIn = (search: string, screen: ListScreenJson, entity: EntityJson): ListSearch =>
  readSearch(new URLSearchParams(search), screen, entity);

const ofEveryList: readonly string[] = ["layout", "at", "scale", "where", "search", "sort", "grouped", "figure"];

/** The unknown parts of an address, such as a removed field, each once. */
export const findUnknownParts = (search: string, screen: ListScreenJson, entity: EntityJson): readonly string[] => {
  const params = new URLSearchParams(search);
  const known = new Set(entity.fields.filter(({ filters }) => filters !== null).flatMap(filterParameters));
  const filters = [...params.keys()].filter((key) => !known.has(key) && !ofEveryList.includes(key)).map(filteredField);
  const sorts = (params.get("sort") ?? "").split(",").map((by) => by.replace(/^-/u, ""));
  const layout = params.get("layout") ?? "";
  return [
    ...new Set([
      ...filters,
      ...sorts.filter((name) => name !== "" && findSearchField(entity, name)?.sorts !== true),
      // A chart asks for the groups of a table, also of a list without one.
      ...(layout === "" || layout === "table" || readSearch(params, screen, entity).layout !== null ? [] : [layout]),
    ]),
  ];
};

/** The query string; the order and the groups of the document are left out. */
export const writeSearch = (
  { filters, sort, words, where, grouped, figure, layout, at, scale }: ListSearch,
  screen: ListScreenJson,
): string => {
  const written = new URLSearchParams();
  if (!isOwnGroup(screen, grouped)) written.set("grouped", grouped.join(","));
  if (figure !== null) written.set("figure", writeFigure(figure));
  if (layout !== null) written.set("layout", layout);
  if (at !== null) written.set("at", at);
  if (scale !== null) written.set("scale", scale);
  if (where !== null) written.set("where", where);
  if (words !== "") written.set("search", words);
  for (const [field, values] of Object.entries(filters)) for (const value of values) written.append(field, value);
  if (!sameList(sort, screen.sort)) written.set("sort", sort.join(","));
  return written.toString();
};

export const listQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams =>
  new URLSearchParams(listCall(search, screen, page));

/** The query of a page, with the total count. */
export const countedQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams => {
  const query = listQuery(search, screen, page);
  query.set("count", "true");
  return query;
};

/** The query of the exact number of rows, with the fewest of them. */
export const exactQuery = (search: ListSearch, screen: ListScreenJson): URLSearchParams => {
  const query = listQuery(search, screen, { after: null, limit: 1 });
  query.set("count", "exact");
  return query;
};

/** The query of a page, with permissions. */
export const mayQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams => {
  const query = listQuery(search, screen, page);
  query.set("may", "true");
  query.delete("count");
  return query;
};

/** The query of all rows, for callers that choose their own page size. */
export const wholeQuery = (search: ListSearch, screen: ListScreenJson): URLSearchParams =>
  new URLSearchParams(sortedQuery(search, screen));

export const cardsAtOnce = 20;

/** The query of one column of a board, with permissions. */
export const cardsQuery = (
  search: ListSearch,
  screen: ListScreenJson,
  field: string,
  value: string,
  after: string | null,
): URLSearchParams => {
  const page = { after, limit: Math.min(cardsAtOnce, screen.atOnce) };
  const query = listQuery({ ...search, filters: { ...search.filters, [field]: [value] } }, screen, page);
  query.set("may", "true");
  return query;
};

const spanAtOnce = 200;

/** The query of a period. The calendar's own range replaces user filters on these fields. */
export const spanQuery = (
  search: ListSearch,
  screen: ListScreenJson,
  span: Filters,
  after: string | null,
): URLSearchParams => {
  const own = new Set(Object.keys(span).map(filteredField));
  const others = Object.entries(search.filters).filter(([key]) => !own.has(filteredField(key)));
  const [first] = Object.keys(span);
  const sort = first === undefined ? [] : [filteredField(first)];
  const narrowed = { ...search, sort, filters: { ...Object.fromEntries(others), ...span } };
  return mayQuery(narrowed, screen, { after, limit: Math.min(spanAtOnce, screen.atOnce) });
};

/**
 * Sorts by a column, and in reverse if the list is sorted by it already. Begins with A, the largest amount or the newest
 * date, but with the earliest deadline.
 */
export const sortBy = (search: ListSearch, { name, type, deadline }: FieldJson): ListSearch => {
  const [up, down] = [name, `-${name}`];
  const first = sortOrders[type].first === "down" && deadline === undefined ? down : up;
  return { ...search, sort: [search.sort[0] === first ? (first === up ? down : up) : first] };
};

/** Replaces the filters on a field. */
export const filterBy = (search: ListSearch, field: FieldJson, filters: Filters): ListSearch => {
  const own = new Set(filterParameters(field));
  const others = Object.entries(search.filters).filter(([key]) => !own.has(key));
  const nonEmpty = Object.entries(filters).filter(([, values]) => values.length > 0);
  return { ...search, filters: Object.fromEntries([...others, ...nonEmpty]) };
};

/** Number of rows on the next page, as far as known. */
export const rowsToCome = (count: Count | undefined, shown: number, page: number): number =>
  typeof count === "number" ? Math.min(page, Math.max(0, count - shown)) : page;
