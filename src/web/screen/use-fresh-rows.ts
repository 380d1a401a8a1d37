import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { EntityJson, ListJson, RecordJson } from "../../core/wire.ts";
import { useClient, useStore } from "../part/context.tsx";

const tintedFor = 2_000;

/**
 * Changes by others come into a list without disturbing it: rows that are there change in their place and are tinted for
 * a moment; where rows came, went or changed their order, nothing moves until the person asks for it.
 */
export const useFreshRows = (
  entity: EntityJson,
  key: readonly unknown[],
  first: () => Promise<ListJson>,
  data: InfiniteData<ListJson, unknown> | undefined,
) => {
  const { live } = useClient();
  const queries = useQueryClient();
  const heard = useStore(live.heard)[entity.name] ?? 0;
  const known = useRef(heard);
  const [waiting, setWaiting] = useState(false);
  const [tinted, setTinted] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef({ key, first, data });
  latest.current = { key, first, data };

  useEffect(() => {
    if (heard === known.current) return;
    known.current = heard;
    const { key: asked, first: ask, data: before } = latest.current;
    if (!before) return;
    let over = false;
    ask().then(
      (page) => {
        if (over) return;
        const fresh = new Map(page.items.map((item) => [item.id, item]));
        const shown = before.pages[0]?.items ?? [];
        const same = shown.length === page.items.length && shown.every(({ id }, at) => page.items[at]?.id === id);
        const changed = shown.filter(({ id, version }) => fresh.get(id) && fresh.get(id)?.version !== version);
        queries.setQueryData<InfiniteData<ListJson, unknown>>(asked, (now) => now && patched(now, fresh, page));
        setTinted(new Set(changed.map(({ id }) => id)));
        // With one page that holds everything, what is there is all there is.
        if (!same) setWaiting(true);
      },
      () => {},
    );
    return () => {
      over = true;
    };
  }, [heard, queries]);

  useEffect(() => {
    if (tinted.size === 0) return;
    const timer = setTimeout(() => setTinted(new Set()), tintedFor);
    return () => clearTimeout(timer);
  }, [tinted]);

  // Rows that were fetched anew, for whatever reason, are as they are now.
  const ids = data?.pages[0]?.items.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is over when the rows are others
  useEffect(() => setWaiting(false), [ids]);

  return { waiting, seen: () => setWaiting(false), tinted };
};

const patched = (
  data: InfiniteData<ListJson, unknown>,
  fresh: ReadonlyMap<string, RecordJson>,
  first: ListJson,
): InfiniteData<ListJson, unknown> => ({
  ...data,
  pages: data.pages.map((page, at) => ({
    ...page,
    ...(at === 0 && first.count !== undefined ? { count: first.count } : {}),
    items: page.items.map((item) => fresh.get(item.id) ?? item),
  })),
});
