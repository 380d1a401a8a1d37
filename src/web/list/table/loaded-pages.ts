import type { ListPage, ListSearch } from "../../../core/derive/http/list-query.ts";
import type { ListJson } from "../../../core/wire/lists.ts";

/** Maximum number of selected rows. */
export const MOST_SELECTED = 1000;

/** Rows that are loaded, page by page, and how they were asked for. */
export interface LoadedPages {
  readonly search: ListSearch;
  readonly pages: readonly ListJson[];
  readonly params: readonly ListPage[];
}
