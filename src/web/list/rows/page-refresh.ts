import type { InfiniteData } from "@tanstack/react-query";
import type { ListPage } from "../../../core/derive/http/list-query.ts";
import type { ListJson } from "../../../core/wire/lists.ts";
import type { RecordJson } from "../../../core/wire/records.ts";

/** The loaded pages of a list: each begins after the last row of the previous one. */
export type Pages = InfiniteData<ListJson, ListPage>;

/**
 * Indexes of the pages that contain some of these records, and of empty pages between them; the first page if none
 * does.
 */
export const findPagesWith = ({ pages }: Pages, ids: ReadonlySet<string>): readonly number[] => {
  const holds = (at: number) => pages[at]?.items.some(({ id }) => ids.has(id)) === true;
  const found: number[] = [];
  for (const [at, { items }] of pages.entries())
    if (holds(at) || (items.length === 0 && found.includes(at - 1))) found.push(at);
  return found.length > 0 ? found : [0];
};

/** A page is refetched with as many rows as it has; the last one with as many as it may have. */
export const getPageToRefetch = ({ pages, pageParams }: Pages, at: number): ListPage | null => {
  const [page, param] = [pages[at], pageParams[at]];
  if (!page || !param) return null;
  const length = page.items.length;
  return { ...param, limit: at === pages.length - 1 || length === 0 ? param.limit : length };
};

const replaceCount = (pages: readonly ListJson[], { count }: ListJson): ListJson[] =>
  pages.map((page, at) => (at === 0 && count !== undefined ? { ...page, count } : page));

/**
 * Updates the rows of a page in place. `moved` is true if rows were added, removed or reordered, here or on other
 * pages; that is not shown yet.
 */
export const replaceInPlace = (
  data: Pages,
  at: number,
  now: ListJson,
): { readonly data: Pages; readonly changed: readonly string[]; readonly moved: boolean } => {
  const shown = data.pages[at]?.items ?? [];
  const fresh = new Map(now.items.map((item) => [item.id, item]));
  const refreshed = (item: RecordJson) => fresh.get(item.id) ?? item;
  const before = data.pages[0]?.count;
  return {
    data: {
      ...data,
      pages: replaceCount(data.pages, now).map((page) => ({ ...page, items: page.items.map(refreshed) })),
    },
    changed: shown.filter((item) => refreshed(item).version !== item.version).map(({ id }) => id),
    moved:
      (now.count !== undefined && now.count !== before) ||
      shown.length !== now.items.length ||
      shown.some(({ id }, place) => now.items[place]?.id !== id),
  };
};

/**
 * Replaces a page by its current content, including new and removed rows, without duplicating rows of other pages. If
 * its end has moved, the next page begins there. `due` lists the pages to refetch as a consequence.
 */
export const replacePage = (
  { pages, pageParams }: Pages,
  at: number,
  now: ListJson,
): { readonly data: Pages; readonly due: readonly number[] } => {
  const presentIds = new Set(now.items.map(({ id }) => id));
  const others = replaceCount(pages, now).map((page, place) =>
    place === at
      ? { ...now, ...(page.count === undefined ? {} : { count: page.count }) }
      : { ...page, items: page.items.filter(({ id }) => !presentIds.has(id)) },
  );
  const { next } = now;
  const left = next === null ? others.slice(0, at + 1) : others;
  const moved = pageParams[at + 1]?.after !== next;
  const due = [...left.keys()].filter((place) => {
    if (place === at) return false;
    return (place === at + 1 && moved) || others[place]?.items.length !== pages[place]?.items.length;
  });
  if (next === null) return { data: { pages: left, pageParams: pageParams.slice(0, at + 1) }, due };
  return {
    data: {
      pages: others,
      pageParams: pageParams.map((param, place) => (place === at + 1 ? { ...param, after: next } : param)),
    },
    due,
  };
};
