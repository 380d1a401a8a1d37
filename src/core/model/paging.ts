/**
 * The pages of a list. `limit` and `start` are the query parameters of its caller: the number of records of a page, and the
 * place where it starts.
 */
export type Paging = { readonly by: "none" } | PagingBy;

export interface PagingBy {
  /** The start is the token of the previous page, a number of records, or the number of the page. */
  readonly by: "cursor" | "offset" | "pages";
  readonly start: string;
  readonly limit: string;
  /** The number of records of a page whose caller does not say it; null: that of the document. */
  readonly size: number | null;
}

/** The usual names of the query parameters of a list. */
export const usualStart = { cursor: "after", offset: "offset", pages: "page" } as const satisfies Readonly<
  Record<PagingBy["by"], string>
>;
export const USUAL_LIMIT = "limit";

/** The query parameters that choose a page of a list. */
export const getPagingWords = (paging: Paging): readonly string[] =>
  paging.by === "none" ? [] : [paging.limit, paging.start];

/** The order that the caller of a list can choose. */
export interface Sorting {
  /** The query parameter with fields, such as `sort`. */
  readonly by: string;
  /** The query parameter with the direction of the first field, `asc` or `desc`; null if there is none. */
  readonly order: string | null;
  /** The fields by their names in the address; empty if the caller cannot choose. */
  readonly fields: ReadonlyMap<string, string>;
}

export const USUAL_SORT = "sort";
export const noSorting: Sorting = { by: USUAL_SORT, order: null, fields: new Map() };

/** The query parameters that choose the order of a list. */
export const getSortingWords = ({ by, order, fields }: Sorting): readonly string[] =>
  fields.size === 0 ? [] : order === null ? [by] : [by, order];

/** The query parameter of a response whose caller chooses its members. */
export const FIELDS_WORD = "fields";
