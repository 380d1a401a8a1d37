import type { EntityJson, FieldJson, ListScreenJson } from "../../core/wire.ts";

/** What a list is asked for beyond its screen: it stands in the address, so that it can be shared and gone back to. */
export interface ListSearch {
  /** Values of a field are alternatives; fields narrow each other. */
  readonly filters: { readonly [field: string]: readonly string[] };
  /** `-due_day` sorts downwards. */
  readonly sort: readonly string[];
}

const sameList = (one: readonly string[], other: readonly string[]) => one.join(",") === other.join(",");

const fieldOf = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** The fields that a list can be narrowed by, in document order. */
export const filterFields = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  screen.filters.flatMap((name) => {
    const field = fieldOf(entity, name);
    return field?.filters ? [field] : [];
  });

/** Reads an address. What names no filter or column of this screen is left aside. */
export const readSearch = (search: string, screen: ListScreenJson, entity: EntityJson): ListSearch => {
  const given = new URLSearchParams(search);
  const filters = Object.fromEntries(
    filterFields(screen, entity)
      .map((field) => [field.name, given.getAll(field.name).filter((value) => value !== "")] as const)
      .filter(([, values]) => values.length > 0),
  );
  const sort = (given.get("sort") ?? "").split(",").filter((by) => fieldOf(entity, by.replace(/^-/, ""))?.sorts);
  return { filters, sort: sort.length > 0 ? sort : screen.sort };
};

/** The address's form: the screen's own order is not repeated in it. */
export const writeSearch = ({ filters, sort }: ListSearch, screen: ListScreenJson): string => {
  const written = new URLSearchParams();
  for (const [field, values] of Object.entries(filters)) for (const value of values) written.append(field, value);
  if (!sameList(sort, screen.sort)) written.set("sort", sort.join(","));
  return written.toString();
};

const pageSize = 50;

/** The query of the list's call. The count is asked for once, with the first page. */
export const listQuery = ({ filters, sort }: ListSearch, after: string | null): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [field, values] of Object.entries(filters)) for (const value of values) query.append(field, value);
  if (sort.length > 0) query.set("sort", sort.join(","));
  query.set("limit", String(pageSize));
  query.set("label", "true");
  if (after === null) query.set("count", "true");
  else query.set("after", after);
  return query;
};

/** Sorting by a column again turns it round. */
export const sortBy = (search: ListSearch, field: string): ListSearch => ({
  ...search,
  sort: [search.sort[0] === field ? `-${field}` : field],
});

export const filterBy = (search: ListSearch, field: string, values: readonly string[]): ListSearch => {
  const { [field]: _, ...others } = search.filters;
  return { ...search, filters: values.length > 0 ? { ...others, [field]: values } : others };
};

/** How many rows the next page brings: as many as remain, as far as that is known. */
export const rowsToCome = (count: number | "10,000+" | undefined, shown: number): number =>
  typeof count === "number" ? Math.min(pageSize, Math.max(0, count - shown)) : pageSize;
