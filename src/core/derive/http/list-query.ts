import type { EntityJson, FieldJson } from "../../wire/entities.ts";
import type { LayoutJson, ListScreenJson } from "../../wire/screens.ts";

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
  /** A day of the month or the week that a calendar shows; null: today. */
  readonly at: string | null;
  /** How much of its time a calendar shows, and whether as a grid of days; null: as it is shown first. */
  readonly scale: CalendarScale | null;
}

export const calendarScales = ["month", "week", "agenda"] as const;
export type CalendarScale = (typeof calendarScales)[number];

export type Filters = { readonly [key: string]: readonly string[] };

/** What follows an address's question mark, as `URLSearchParams` reads it on either side. */
export interface Given {
  get(name: string): string | null;
  getAll(name: string): readonly string[];
}

/** What is to follow a call's question mark, in its order. */
export type Query = [name: string, value: string][];

const fieldOf = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** `due_day>` narrows due_day. */
export const fieldIn = (key: string): string => key.replace(/[<>~]$/u, "");

/** The keys under which a field is narrowed. */
export const keysOf = ({ name, filters }: FieldJson): readonly string[] => {
  if (filters === "range") return [name, `${name}>`, `${name}<`];
  return filters === "words" ? [name, `${name}~`] : [name];
};

/** Reads an address. What names no filter or column of this screen is left aside. */
export const readSearch = (given: Given, screen: ListScreenJson, entity: EntityJson): ListSearch => {
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
    scale: calendarScales.find((scale) => scale === given.get("scale")) ?? null,
    at: /^\d{4}-\d\d-\d\d$/u.test(given.get("at") ?? "") ? given.get("at") : null,
  };
};

/** A screenful, and somewhat more. */
const FIRST = 50;
/** Who scrolls on wants many; each of the pages costs the way to the server. */
const FURTHER = 200;

/** How many rows a page of a list holds: the first comes soon, and those that one scrolls to come seldom. */
export const pageSize = ({ atOnce }: ListScreenJson, page: number): number =>
  Math.min(page < 2 ? FIRST : FURTHER, atOnce);

/** A page of a list: behind which row it begins, and how many rows it holds. */
export interface ListPage {
  readonly after: string | null;
  readonly limit: number;
}

export const firstPage = (screen: ListScreenJson): ListPage => ({ after: null, limit: pageSize(screen, 0) });

/** What narrows a list's call, without its paging. */
const narrowing = ({ filters, words, where }: ListSearch, screen: ListScreenJson): Query => {
  const condition = where ?? screen.where;
  const query: Query = [];
  if (condition !== null) query.push(["where", condition]);
  if (words !== "") query.push(["search", words]);
  for (const [field, values] of Object.entries(filters)) for (const value of values) query.push([field, value]);
  return query;
};

/** The same in the list's order. */
export const ordered = (search: ListSearch, screen: ListScreenJson): Query => {
  const query = narrowing(search, screen);
  if (search.sort.length > 0) query.push(["sort", search.sort.join(",")]);
  return query;
};

/** The query of a list's call. The count is asked for once, with the first page. */
export const listCall = (search: ListSearch, screen: ListScreenJson, { after, limit }: ListPage): Query => [
  ...ordered(search, screen),
  ["limit", String(limit)],
  ["label", "true"],
  after === null ? ["count", "true"] : ["after", after],
];
