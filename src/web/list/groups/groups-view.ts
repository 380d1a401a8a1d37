import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type GroupFieldJson, type ListPage, type ListSearch, pageSize } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { GroupedJson } from "../../../core/wire/groups.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { useNearScreen } from "../../ui/dom/use-near-screen.ts";
import { listQuery } from "../filter/list-search.ts";
import type { EditCell } from "../table/list-row.tsx";

export interface GroupedListProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly sort: (field: FieldJson) => void;
  /** The first rows of the list, on which the widths of the columns are measured. */
  readonly items: readonly RecordJson[];
  readonly addressOf: (id: string) => string | null;
  readonly onEdit: EditCell;
}

/** A grouped list with its fields resolved: the table and the phone layout draw it. */
export interface GroupsView extends GroupedListProps {
  readonly columns: readonly FieldJson[];
  readonly summed: readonly FieldJson[];
  /** The fields of the groups, outermost first. */
  readonly fields: readonly GroupFieldJson[];
  /** Paths of unfolded groups. */
  readonly open: ReadonlySet<string>;
  readonly toggle: (path: string) => void;
}

/** The groups inside one group, or the outermost groups. */
export interface GroupLevel {
  readonly groups: readonly GroupedJson[];
  readonly depth: number;
  /** The path of the group around these; "" at the outermost level. */
  readonly path: string;
  /** The records of that group. */
  readonly within: ListSearch;
}

/** Maximum number of groups that are unfolded together. */
const MOST_UNFOLDED = 40;

/** Up to this number of innermost groups, all of them begin unfolded. */
const UNFOLDED_AT_FIRST = 12;

/** Instead of paths: all groups are unfolded. No path has this form. */
const ALL = "*";

/** The path of a group within another, and the keys before it. */
export const groupPath = (path: string, { key }: GroupedJson): string => `${path}/${String(key)}`;

const allPaths = (groups: readonly GroupedJson[], path = ""): readonly string[] =>
  groups.flatMap((group) => {
    const own = groupPath(path, group);
    return [own, ...allPaths(group.groups ?? [], own)];
  });

const countInnermost = (groups: readonly GroupedJson[]): number =>
  groups.reduce((sum, group) => sum + (group.groups === undefined ? 1 : countInnermost(group.groups)), 0);

/** The unfolded groups, remembered with the list until it is grouped by other fields. */
export const useUnfoldedGroups = (screen: ListScreenJson, search: ListSearch, groups: readonly GroupedJson[]) => {
  const store = useClient().preferences.screen(screen.path);
  const { unfolded } = useStore(store);
  const by = search.grouped.join(",");
  const chosen = unfolded?.by === by ? unfolded.groups : countInnermost(groups) <= UNFOLDED_AT_FIRST ? [ALL] : [];
  const open = chosen.includes(ALL) ? allPaths(groups).slice(0, MOST_UNFOLDED) : chosen;
  return {
    open: new Set(open),
    toggle: (path: string) => {
      const others = open.filter((group) => group !== path);
      const next = others.length < open.length ? others : [...open, path].slice(-MOST_UNFOLDED);
      store.set({ ...store.get(), unfolded: { by, groups: next } });
    },
  };
};

/** Unfolds or folds all groups of a list. */
export const useFoldAll = (screen: ListScreenJson, { grouped }: ListSearch) => {
  const store = useClient().preferences.screen(screen.path);
  return (isOpen: boolean) =>
    store.set({ ...store.get(), unfolded: { by: grouped.join(","), groups: isOpen ? [ALL] : [] } });
};

/** The number of rows that a group begins with, in the order of the list. */
const FIRST_ROWS = 5;

/** The number of rows of a group that are loaded to be printed. */
const PRINTED_ROWS = 500;

/**
 * The rows of a group: the first few once the group is near the screen, and more page by page, or all to be printed. So a list with many
 * unfolded groups makes a request for each of those that are seen. `awaited`: the number of placeholders until then.
 */
export const useGroupRows = <Node extends HTMLElement>(
  { screen, entity }: GroupedListProps,
  within: ListSearch,
  count: number,
) => {
  const { calls, printing } = useClient();
  const isPrinting = useStore(printing);
  const { place, isNear } = useNearScreen<Node>();
  const begin: ListPage = { after: null, limit: FIRST_ROWS };
  const query = useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, `group ${listQuery(within, screen, begin)}`),
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(within, screen, pageParam), signal),
    initialPageParam: begin,
    enabled: isNear || isPrinting,
    getNextPageParam: ({ next }, pages): ListPage | null =>
      next === null ? null : { after: next, limit: pageSize(screen, pages.length) },
  });
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.items);
  const { fetchNextPage } = query;
  const isNextPrinted = isPrinting && query.hasNextPage && !query.isFetching && rows.length < PRINTED_ROWS;
  useEffect(() => {
    if (isNextPrinted) void fetchNextPage();
  }, [isNextPrinted, fetchNextPage]);
  // The count can be older than the rows.
  const more = Math.max(1, Math.min(count - rows.length, pageSize(screen, pages.length)));
  const awaited = query.isPending && !query.isError ? Math.min(count, FIRST_ROWS) : 0;
  return { query, rows, more, place, awaited };
};
