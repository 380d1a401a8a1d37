import {
  type Filters,
  fieldIn,
  keysOf,
  type ListPage,
  type ListSearch,
  listCall,
  ordered,
  readSearch,
} from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";

/** Everything, the newest first. */
export const everything: ListSearch = {
  filters: {},
  sort: [],
  words: "",
  where: null,
  layout: null,
  at: null,
  scale: null,
};

const sameList = (one: readonly string[], other: readonly string[]) => one.join(",") === other.join(",");

const fieldOf = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** The fields that a list can be narrowed by: those that its screen shows, then all others. */
export const filterFields = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  screen.filters.flatMap((name) => {
    const field = fieldOf(entity, name);
    return field?.filters ? [field] : [];
  });

export const otherFilters = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  entity.fields.filter(({ name, filters }) => filters !== null && !screen.filters.includes(name));

/** What of the filters is about one field. */
export const filtersOf = (field: FieldJson, filters: Filters): Filters =>
  Object.fromEntries(keysOf(field).flatMap((key) => (filters[key] ? [[key, filters[key]]] : [])));

export const isNarrowed = ({ filters, words, where }: ListSearch): boolean =>
  Object.keys(filters).length > 0 || words !== "" || where !== null;

/** Nothing narrowed, and the order and the layout as they were. */
export const whole = (search: ListSearch): ListSearch => ({ ...search, filters: {}, words: "", where: null });

/** Reads an address. What names no filter or column of this screen is left aside. */
export const searchIn = (search: string, screen: ListScreenJson, entity: EntityJson): ListSearch =>
  readSearch(new URLSearchParams(search), screen, entity);

const ofEveryList: readonly string[] = ["layout", "at", "scale", "where", "search", "sort"];

/** What an address names that this list does not have, such as a field that is gone: each once. */
export const leftAside = (search: string, screen: ListScreenJson, entity: EntityJson): readonly string[] => {
  const given = new URLSearchParams(search);
  const known = new Set(entity.fields.filter(({ filters }) => filters !== null).flatMap(keysOf));
  const filters = [...given.keys()].filter((key) => !known.has(key) && !ofEveryList.includes(key)).map(fieldIn);
  const sorts = (given.get("sort") ?? "").split(",").map((by) => by.replace(/^-/u, ""));
  const layout = given.get("layout") ?? "";
  return [
    ...new Set([
      ...filters,
      ...sorts.filter((name) => name !== "" && fieldOf(entity, name)?.sorts !== true),
      ...(layout === "" || screen.layouts.some(({ kind }) => kind === layout) ? [] : [layout]),
    ]),
  ];
};

/** The address's form: the screen's own order is not repeated in it. */
export const writeSearch = (
  { filters, sort, words, where, layout, at, scale }: ListSearch,
  screen: ListScreenJson,
): string => {
  const written = new URLSearchParams();
  if (layout !== null) written.set("layout", layout);
  if (at !== null) written.set("at", at);
  if (scale !== null) written.set("scale", scale);
  if (where !== null) written.set("where", where);
  if (words !== "") written.set("search", words);
  for (const [field, values] of Object.entries(filters)) for (const value of values) written.append(field, value);
  if (!sameList(sort, screen.sort)) written.set("sort", sort.join(","));
  return written.toString();
};

/** A list with a tile's condition. */
export const whereAddress = (path: string, clause: string): string =>
  `${path}?${new URLSearchParams({ where: clause })}`;

export const listQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams =>
  new URLSearchParams(listCall(search, screen, page));

/** The same with the count, on whichever page. */
export const countedQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams => {
  const query = listQuery(search, screen, page);
  query.set("count", "true");
  return query;
};

/** The same rows with what may be done with each. */
export const mayQuery = (search: ListSearch, screen: ListScreenJson, page: ListPage): URLSearchParams => {
  const query = listQuery(search, screen, page);
  query.set("may", "true");
  query.delete("count");
  return query;
};

/** The whole list, for what asks for as much at a time as it likes. */
export const wholeQuery = (search: ListSearch, screen: ListScreenJson): URLSearchParams =>
  new URLSearchParams(ordered(search, screen));

export const cardsAtOnce = 20;

/** The cards of one column of a board, with what may be done with each. */
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

/** The records of a span of time. What a calendar narrows by itself stands in the place of what people said of these fields. */
export const spanQuery = (
  search: ListSearch,
  screen: ListScreenJson,
  span: Filters,
  after: string | null,
): URLSearchParams => {
  const own = new Set(Object.keys(span).map(fieldIn));
  const others = Object.entries(search.filters).filter(([key]) => !own.has(fieldIn(key)));
  const [first] = Object.keys(span);
  const sort = first === undefined ? [] : [fieldIn(first)];
  const narrowed = { ...search, sort, filters: { ...Object.fromEntries(others), ...span } };
  return mayQuery(narrowed, screen, { after, limit: Math.min(spanAtOnce, screen.atOnce) });
};

/** Sorting by a column again turns it round. */
export const sortBy = (search: ListSearch, field: string): ListSearch => ({
  ...search,
  sort: [search.sort[0] === field ? `-${field}` : field],
});

/** Takes what is said of a field out, and puts this in its place. */
export const filterBy = (search: ListSearch, field: FieldJson, filters: Filters): ListSearch => {
  const own = new Set(keysOf(field));
  const others = Object.entries(search.filters).filter(([key]) => !own.has(key));
  const given = Object.entries(filters).filter(([, values]) => values.length > 0);
  return { ...search, filters: Object.fromEntries([...others, ...given]) };
};

/** How many rows the next page brings: as many as remain, as far as that is known. */
export const rowsToCome = (count: Count | undefined, shown: number, page: number): number =>
  typeof count === "number" ? Math.min(page, Math.max(0, count - shown)) : page;
