import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { firstPage, type ListPage, type ListSearch, pageSize } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { keys } from "../../api/query-keys.ts";
import { useAddress, useClient } from "../../app/app-context.tsx";
import { countedQuery, listQuery } from "../filter/list-search.ts";
import type { Pages } from "./page-refresh.ts";
import { useFreshRows } from "./use-row-refresh.ts";

/**
 * Distance from the end at which the next page is loaded, in pixels: more than a page of rows, so that fast scrolling
 * does not reach the end.
 */
const ahead = "12000px";

/** The rows of a list, page by page, kept up to date; with its scroll position and the neighbours of each record. */
export const useRows = (
  screen: ListScreenJson,
  entity: EntityJson,
  search: ListSearch,
  region: RefObject<HTMLElement | null>,
) => {
  const { calls, trail } = useClient();
  const { path, search: written } = useAddress();
  const begin = firstPage(screen);
  const asked = listQuery(search, screen, begin).toString();
  const key = keys.list(entity.calls, asked);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(search, screen, pageParam), signal),
    initialPageParam: begin,
    getNextPageParam: ({ next }, pages): ListPage | null =>
      next === null ? null : { after: next, limit: pageSize(screen, pages.length) },
    placeholderData: keepPreviousData,
    // Later updates happen page by page.
    enabled: ({ state }) => state.data === undefined,
  });
  const { data, isPlaceholderData } = query;
  const pages = data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const count = pages?.[0]?.count;
  const about = pages?.[0]?.about;
  // Rows of the previous search are shown until those of the next arrive.
  const answer = useRef(asked);
  if (!isPlaceholderData) answer.current = asked;
  const fresh = useFreshRows({
    entity,
    key,
    data: isPlaceholderData ? undefined : (data as Pages | undefined),
    busy: query.isFetching,
    ask: (page) => calls.list(entity.calls, countedQuery(search, screen, page)),
    region,
  });

  useEffect(() => {
    if (!pages || isPlaceholderData) return;
    const address = written === "" ? path : `${path}?${written}`;
    trail.set({ entity: entity.name, title: screen.title, address, ids, count: count ?? null });
  }, [pages, isPlaceholderData, trail, entity.name, screen.title, path, written, ids, count]);

  const loaded =
    isPlaceholderData || !data ? undefined : { search, pages: data.pages, params: data.pageParams as ListPage[] };
  return { query, loaded, items, ids, count, about, fresh, answer: answer.current };
};

/** Loads further pages automatically once the user has asked for more. */
export const useInfiniteScroll = ({
  query,
}: Pick<ReturnType<typeof useRows>, "query">): RefObject<HTMLDivElement | null> => {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const scrolls = (query.data?.pages.length ?? 0) > 1;
  useEffect(() => {
    const node = end.current;
    if (!node || !hasNextPage || isFetching || isFetchNextPageError || !scrolls) return;
    // A busy page receives several entries at once, oldest first.
    const watch = new IntersectionObserver(
      (moments) => {
        if (moments.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage();
      },
      { rootMargin: ahead },
    );
    watch.observe(node);
    return () => watch.disconnect();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, scrolls]);
  return end;
};
