import type { Count, EntityJson, FieldJson, LayoutJson, ListScreenJson } from "../../core/wire.ts";

/** What a list is asked for beyond its screen: it stands in the address, so that it can be shared and gone back to. */
export interface ListSearch {
  /**
   * By what the call takes: a field's name with its values, `due_day>` and `due_day<` with the ends of a range,
   * `fault~` with words. What is said of one field are alternatives; fields narrow each other.
   */
  readonly filters: Filters;
  /** `-due_day` sorts downwards. */
  readonly sort: readonly string[];
  /** Words that stand somewhere in the record. */
  readonly words: string;
  /** The clause of the tile whose records these are, in the place of the list's own condition. */
  readonly where: string | null;
  /** Null: the one that is shown first. */
  readonly layout: LayoutJson["kind"] | null;
  /** A day of the month that a calendar shows; null: today. */
  readonly at: string | null;
}

/** Everything, the newest first. */
export const everything: ListSearch = { filters: {}, sort: [], words: "", where: null, layout: null, at: null };

export type Filters = { readonly [key: string]: readonly string[] };

const sameList = (one: readonly string[], other: readonly string[]) => one.join(",") === other.join(",");

const fieldOf = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** `due_day>` narrows due_day. */
const fieldIn = (key: string): string => key.replace(/[<>~]$/u, "");

/** The keys under which a field is narrowed. */
const keysOf = ({ name, filters }: FieldJson): readonly string[] => {
  if (filters === "range") return [name, `${name}>`, `${name}<`];
  return filters === "words" ? [name, `${name}~`] : [name];
};

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
export const readSearch = (search: string, screen: ListScreenJson, entity: EntityJson): ListSearch => {
  const given = new URLSearchParams(search);
  const filters = Object.fromEntries(
    entity.fields
      .filter((field) => field.filters !== null)
      .flatMap(keysOf)
      .map((key) => [key, given.getAll(key).filter((value) => value !== "" || key === fieldIn(key))] as const)
      .filter(([, values]) => values.length > 0),
  );
  const sort = (given.get("sort") ?? "").split(",").filter((by) => fieldOf(entity, by.replace(/^-/, ""))?.sorts);
  const layout = screen.layouts.find(({ kind }) => kind === given.get("layout"))?.kind ?? null;
  return {
    filters,
    sort: sort.length > 0 ? sort : screen.sort,
    words: given.get("search") ?? "",
    where: given.get("where"),
    layout,
    at: /^\d{4}-\d\d-\d\d$/u.test(given.get("at") ?? "") ? given.get("at") : null,
  };
};

/** The address's form: the screen's own order is not repeated in it. */
export const writeSearch = (
  { filters, sort, words, where, layout, at }: ListSearch,
  screen: ListScreenJson,
): string => {
  const written = new URLSearchParams();
  if (layout !== null) written.set("layout", layout);
  if (at !== null) written.set("at", at);
  if (where !== null) written.set("where", where);
  if (words !== "") written.set("search", words);
  for (const [field, values] of Object.entries(filters)) for (const value of values) written.append(field, value);
  if (!sameList(sort, screen.sort)) written.set("sort", sort.join(","));
  return written.toString();
};

/** A list with a tile's condition. */
export const whereAddress = (path: string, clause: string): string =>
  `${path}?${new URLSearchParams({ where: clause })}`;

export const pageSize = 50;

/** The query of the list's call, without its paging: what may be asked again and again. */
const narrowedQuery = ({ filters, words, where }: ListSearch, screen: ListScreenJson): URLSearchParams => {
  const query = new URLSearchParams();
  const condition = where ?? screen.where;
  if (condition !== null) query.set("where", condition);
  if (words !== "") query.set("search", words);
  for (const [field, values] of Object.entries(filters)) for (const value of values) query.append(field, value);
  return query;
};

/** The query of the list's call. The count is asked for once, with the first page. */
export const listQuery = (search: ListSearch, screen: ListScreenJson, after: string | null): URLSearchParams => {
  const query = narrowedQuery(search, screen);
  if (search.sort.length > 0) query.set("sort", search.sort.join(","));
  query.set("limit", String(pageSize));
  query.set("label", "true");
  query.set("may", "true");
  if (after === null) query.set("count", "true");
  else query.set("after", after);
  return query;
};

export const cardsAtOnce = 20;

/** The cards of one column of a board, with what may be done with each. */
export const cardsQuery = (
  search: ListSearch,
  screen: ListScreenJson,
  field: string,
  value: string,
  after: string | null,
): URLSearchParams => {
  const query = listQuery({ ...search, filters: { ...search.filters, [field]: [value] } }, screen, after);
  query.set("limit", String(cardsAtOnce));
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
  const query = listQuery({ ...search, sort, filters: { ...Object.fromEntries(others), ...span } }, screen, after);
  query.set("limit", String(spanAtOnce));
  query.delete("count");
  return query;
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
export const rowsToCome = (count: Count | undefined, shown: number, page = pageSize): number =>
  typeof count === "number" ? Math.min(page, Math.max(0, count - shown)) : page;
