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
import type { EditCell, OpenMenu, RowSelection } from "../table/list-row.tsx";
import { MOST_SELECTED } from "../table/loaded-pages.ts";
import { ALL_GROUPS } from "./fold-all.ts";
import { narrowToGroup } from "./group-search.ts";
import type { GroupedRows } from "./grouped-rows.ts";

/** The loaded rows of the groups, and how to select those of some groups. */
export interface GroupSelection {
  readonly grouped: GroupedRows;
  /** Also selects rows that are not loaded yet. */
  readonly selectGroups: (paths: readonly string[], on: boolean) => void;
}

export interface GroupedListProps extends GroupSelection {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly sort: (field: FieldJson) => void;
  /** The first rows of the list, on which the widths of the columns are measured. */
  readonly items: readonly RecordJson[];
  /** Identifies the search whose rows these are. */
  readonly answer?: string;
  readonly addressOf: (id: string) => string | null;
  readonly selection: RowSelection;
  /** True if rows are checkboxes, on a phone. */
  readonly selecting?: boolean;
  readonly onMenu: OpenMenu;
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
  readonly innermost: readonly InnermostGroup[];
}

/** A group that contains rows instead of groups. */
export interface InnermostGroup {
  readonly path: string;
  /** Its records. */
  readonly within: ListSearch;
  readonly count: number;
  /** True if it and the groups around it are unfolded. */
  readonly isOpen: boolean;
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

/** The path of a group within another, and the keys before it. */
export const groupPath = (path: string, { key }: GroupedJson): string => `${path}/${String(key)}`;

const allPaths = (groups: readonly GroupedJson[], path = ""): readonly string[] =>
  groups.flatMap((group) => {
    const own = groupPath(path, group);
    return [own, ...allPaths(group.groups ?? [], own)];
  });

const countInnermost = (groups: readonly GroupedJson[]): number =>
  groups.reduce((sum, group) => sum + (group.groups === undefined ? 1 : countInnermost(group.groups)), 0);

/** The innermost groups, in the order of the list. */
export const findInnermost = (
  groups: readonly GroupedJson[],
  fields: readonly GroupFieldJson[],
  open: ReadonlySet<string>,
  around: Omit<InnermostGroup, "count">,
): readonly InnermostGroup[] => {
  const [field, ...others] = fields;
  if (field === undefined) return [];
  return groups.flatMap((group) => {
    const path = groupPath(around.path, group);
    const own = {
      path,
      within: narrowToGroup(around.within, field, group.key),
      isOpen: around.isOpen && open.has(path),
    };
    return group.groups === undefined
      ? [{ ...own, count: group.count }]
      : findInnermost(group.groups, others, open, own);
  });
};

/** True if the path is that of the group, or of one inside it. */
export const isInGroup = (path: string, group: string): boolean => path === group || path.startsWith(`${group}/`);

/** The unfolded groups, remembered with the list until it is grouped by other fields. */
export const useUnfoldedGroups = (screen: ListScreenJson, search: ListSearch, groups: readonly GroupedJson[]) => {
  const store = useClient().preferences.screen(screen.path);
  const { unfolded } = useStore(store);
  const by = search.grouped.join(",");
  const chosen =
    unfolded?.by === by ? unfolded.groups : countInnermost(groups) <= UNFOLDED_AT_FIRST ? [ALL_GROUPS] : [];
  const open = chosen.includes(ALL_GROUPS) ? allPaths(groups).slice(0, MOST_UNFOLDED) : chosen;
  return {
    open: new Set(open),
    toggle: (path: string) => {
      const others = open.filter((group) => group !== path);
      const next = others.length < open.length ? others : [...open, path].slice(-MOST_UNFOLDED);
      store.set({ ...store.get(), unfolded: { by, groups: next } });
    },
  };
};

/** The number of rows that a group begins with, in the order of the list. */
const FIRST_ROWS = 5;

/** Up to this number, one press shows all other rows of a group. */
const MOST_AT_ONCE = 200;

/** The number of rows of a group that are loaded to be printed. */
const PRINTED_ROWS = 500;

/**
 * The rows of a group: the first few once the group is near the screen, and more page by page, or all to be printed or
 * selected. So a list with many unfolded groups makes a request for each of those that are seen. `awaited`: the number of
 * placeholders until then.
 */
export const useGroupRows = <Node extends HTMLElement>(
  { screen, entity, grouped, selection, innermost }: GroupsView,
  path: string,
  within: ListSearch,
  count: number,
) => {
  const { calls, printing } = useClient();
  const isPrinting = useStore(printing);
  const { place, isNear } = useNearScreen<Node>();
  const isGathered = grouped.isNext(path);
  // The rows of a group alone push no other out of sight.
  const first = innermost.length === 1 ? pageSize(screen, 0) : FIRST_ROWS;
  const begin: ListPage = { after: null, limit: first };
  const asked = listQuery(within, screen, begin).toString();
  const query = useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, `group ${asked}`),
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(within, screen, pageParam), signal),
    initialPageParam: begin,
    enabled: isNear || isPrinting || isGathered || isHeld({ grouped, selection }, path),
    getNextPageParam: ({ next }, pages): ListPage | null =>
      next === null ? null : { after: next, limit: pageSize(screen, pages.length) },
  });
  const { data, fetchNextPage, hasNextPage, isFetching, isError } = query;
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  const isNextAwaited =
    (rows.length < (grouped.wanted.current.get(path) ?? 0) && !isError) ||
    (isPrinting && rows.length < PRINTED_ROWS) ||
    (isGathered && rows.length < MOST_SELECTED && !isError);
  useEffect(() => {
    if (isNextAwaited && hasNextPage && !isFetching) void fetchNextPage();
  }, [isNextAwaited, hasNextPage, isFetching, fetchNextPage]);

  const { report } = grouped;
  const nth = innermost.findIndex((group) => group.path === path);
  const isComplete = isError || (data !== undefined && (!hasNextPage || rows.length >= MOST_SELECTED));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is what the search says
  useEffect(() => {
    if (data === undefined && !isError) return;
    const params = data === undefined ? [] : (data.pageParams as ListPage[]);
    report(path, { place: nth, search: within, pages: data?.pages ?? [], params, isComplete });
  }, [report, path, nth, asked, data, isError, isComplete]);
  useEffect(() => () => report(path, null), [report, path]);

  // The count can be older than the rows.
  const rest = Math.max(1, count - rows.length);
  const more = rest <= MOST_AT_ONCE ? rest : pageSize(screen, data?.pages.length ?? 0);
  const awaited = query.isPending && !isError ? Math.min(count, first) : 0;
  const showMore = () => {
    grouped.wanted.current.set(path, rows.length + more);
    void fetchNextPage();
  };
  return { query, rows, more, showMore, place, awaited };
};

/** True if a group must keep its rows while it is folded: some are selected, or are being loaded to be selected. */
export const isHeld = (
  { grouped, selection }: Pick<GroupedListProps, "grouped" | "selection">,
  path: string,
): boolean => grouped.isGathered(path) || grouped.idsIn(path).some((id) => selection.selected.has(id));
