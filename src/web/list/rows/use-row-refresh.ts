import { focusManager, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ListPage } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListJson } from "../../../core/wire/lists.ts";
import { countChanges } from "../../api/change-feed.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { findPagesWith, getPageToRefetch, type Pages, replaceInPlace, replacePage } from "./page-refresh.ts";

const tintedFor = 2_000;

/** Milliseconds after which data is refetched when the user returns to it. */
const freshFor = 5_000;

/** Milliseconds that rows must be in view before they are refetched while scrolling. */
const rests = 120;

/** How an outdated page is updated: rows in place, or the whole page. */
type Renewal = "in place" | "anew";

interface RefreshRequest {
  readonly entity: EntityJson;
  readonly key: readonly unknown[];
  /** The loaded pages; undefined while those of another list are shown. */
  readonly data: Pages | undefined;
  /** True while the list is loading. */
  readonly busy: boolean;
  readonly ask: (page: ListPage) => Promise<ListJson>;
  readonly region: RefObject<HTMLElement | null>;
}

/**
 * Refreshes only visible pages: one or two of forty loaded ones; the others when the user scrolls to them. Changes by
 * others do not disturb: changed rows are updated in place and highlighted briefly; if rows were added, removed or
 * reordered, nothing moves until the user asks for it. After the user's own actions, rows are updated at once.
 */
export const useFreshRows = ({ entity, key, data, busy, ask, region }: RefreshRequest) => {
  const { live } = useClient();
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState(false);
  const [asking, setAsking] = useState(false);
  const [tinted, setTinted] = useState<ReadonlySet<string>>(new Set());
  const due = useRef(new Map<number, Renewal>());
  const [turn, setTurn] = useState(0);
  const latest = useRef({ key, data, ask });
  latest.current = { key, data, ask };
  const name = JSON.stringify(key);

  const renew = useCallback((how: Renewal) => {
    const { pages = [] } = latest.current.data ?? {};
    for (const at of pages.keys()) if (how === "anew" || !due.current.has(at)) due.current.set(at, how);
    if (how === "anew") setWaiting(false);
    setTurn((turns) => turns + 1);
  }, []);

  // Another list, or the same again after a while.
  // biome-ignore lint/correctness/useExhaustiveDependencies: by the list's name
  useEffect(() => {
    due.current.clear();
    setWaiting(false);
    const state = queries.getQueryState(key);
    if (state?.data !== undefined && Date.now() - state.dataUpdatedAt > freshFor) renew("anew");
  }, [name, queries, renew]);

  const changes = countChanges(useStore(live.counts), entity.name);
  const known = useRef(changes);
  useEffect(() => {
    if (changes === known.current) return;
    known.current = changes;
    renew("in place");
  }, [changes, renew]);
  useEffect(() => focusManager.subscribe((focused) => focused && renew("in place")), [renew]);

  // The user changed something that the list shows.
  const cache = queries.getQueryCache();
  const outdated = useSyncExternalStore(
    useCallback((follower) => cache.subscribe(follower), [cache]),
    () => queries.getQueryState(key)?.isInvalidated === true,
  );
  useEffect(() => {
    if (!outdated || latest.current.data === undefined) return;
    const { key: queryKey } = latest.current;
    queries.setQueryData<Pages>(queryKey, (now) => now, { updatedAt: 0 });
    renew("anew");
  }, [outdated, queries, renew]);

  // One visible page at a time: each response changes the list, which runs this effect again.
  useEffect(() => {
    if (!data || busy || due.current.size === 0) return;
    const at = findPagesWith(data, inSight(region.current)).find((one) => due.current.has(one));
    const page = at === undefined ? null : getPageToRefetch(data, at);
    if (at === undefined || page === null) return;
    let over = false;
    setAsking(true);
    const { key: queryKey, ask: call } = latest.current;
    queries
      .fetchQuery({ queryKey: ["page", turn, ...queryKey, page], queryFn: () => call(page), staleTime: 0, gcTime: 0 })
      .then(
        (now) => {
          if (over) return;
          // An empty list cannot be disturbed.
          const still = due.current.get(at) === "in place" && data.pages.some(({ items }) => items.length > 0);
          due.current.delete(at);
          const updatedAt = due.current.size === 0 ? Date.now() : 0;
          if (still) {
            const renewed = replaceInPlace(data, at, now);
            setTinted(new Set(renewed.changed));
            if (renewed.moved) setWaiting(true);
            queries.setQueryData<Pages>(queryKey, renewed.data, { updatedAt });
          } else {
            const renewed = replacePage(data, at, now);
            for (const place of due.current.keys()) if (place >= renewed.data.pages.length) due.current.delete(place);
            for (const place of renewed.due) due.current.set(place, "anew");
            queries.setQueryData<Pages>(queryKey, renewed.data, { updatedAt });
          }
          setTurn((turns) => turns + 1);
        },
        () => {},
      )
      .finally(() => !over && setAsking(false));
    return () => {
      over = true;
      setAsking(false);
    };
  }, [turn, data, busy, queries, region]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      clearTimeout(timer);
      if (due.current.size > 0) timer = setTimeout(() => setTurn((turns) => turns + 1), rests);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);

  useEffect(() => {
    if (tinted.size === 0) return;
    const timer = setTimeout(() => setTinted(new Set()), tintedFor);
    return () => clearTimeout(timer);
  }, [tinted]);

  /** All pages are being loaded again, with the rows that wait to be shown. */
  const markShown = () => {
    due.current.clear();
    setWaiting(false);
  };
  return { waiting, asking, show: () => renew("anew"), markShown, tinted };
};

/** The records whose rows are visible. */
const inSight = (region: HTMLElement | null): ReadonlySet<string> => {
  const seen = new Set<string>();
  for (const row of region?.querySelectorAll<HTMLElement>("[data-row], [data-select]") ?? []) {
    const { top, bottom } = (row.closest("tr, li") ?? row).getBoundingClientRect();
    const id = row.dataset.row ?? row.dataset.select;
    if (id !== undefined && bottom > 0 && top < window.innerHeight) seen.add(id);
  }
  return seen;
};
