import { useInfiniteQuery } from "@tanstack/react-query";
import { type ListPage, type ListSearch, pageSize } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { GroupedJson } from "../../../core/wire/groups.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { listQuery } from "../filter/list-search.ts";
import type { EditCell } from "../table/list-row.tsx";

export interface GroupedListProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly sort: (field: string) => void;
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
  readonly fields: readonly FieldJson[];
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

/** Maximum number of unfolded groups that are remembered. */
const MOST_UNFOLDED = 40;

/** The unfolded groups, remembered with the list until it is grouped by other fields. */
export const useUnfoldedGroups = (screen: ListScreenJson, search: ListSearch) => {
  const store = useClient().preferences.screen(screen.path);
  const { unfolded } = useStore(store);
  const by = search.grouped.join(",");
  const groups = unfolded?.by === by ? unfolded.groups : [];
  return {
    open: new Set(groups),
    toggle: (path: string) => {
      const others = groups.filter((group) => group !== path);
      const next = others.length < groups.length ? others : [...groups, path].slice(-MOST_UNFOLDED);
      store.set({ ...store.get(), unfolded: { by, groups: next } });
    },
  };
};

/** The rows of a group, page by page. */
export const useGroupRows = ({ screen, entity }: GroupedListProps, within: ListSearch) => {
  const { calls } = useClient();
  const begin: ListPage = { after: null, limit: pageSize(screen, 0) };
  return useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, `group ${listQuery(within, screen, begin)}`),
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(within, screen, pageParam), signal),
    initialPageParam: begin,
    getNextPageParam: ({ next }, pages): ListPage | null =>
      next === null ? null : { after: next, limit: pageSize(screen, pages.length) },
  });
};
