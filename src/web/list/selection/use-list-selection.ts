import { useEffect, useState } from "react";
import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useGroupedRows } from "../groups/grouped-rows.ts";
import type { Pages } from "../rows/page-refresh.ts";
import type { useRows } from "../rows/use-rows.ts";
import { MOST_SELECTED } from "../table/loaded-pages.ts";
import { useSelectedRecords, useSelection } from "./use-selection.ts";

type Rows = ReturnType<typeof useRows>;

interface SelectionProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
}

/** The selected rows of a list, in groups or not, and ways to select more than those that are loaded. */
export const useListSelection = (place: SelectionProps, rows: Rows) => {
  const isInGroups = place.search.grouped.length > 0;
  const { filters, words, where, grouped: by } = place.search;
  const grouped = useGroupedRows(JSON.stringify([filters, words, where, by]));
  const shown = isInGroups ? grouped : rows;
  const selection = useSelection(shown.ids);
  const { selected, keep, add } = selection;
  // More rows can arrive after all that were there have been selected.
  const [areAllWanted, setAllWanted] = useState(false);
  const loaded = isInGroups ? grouped.groups : rows.loaded ? [rows.loaded] : [];
  const { records, pending } = useSelectedRecords(place, loaded, selected);

  const { loaded: groups, gathered, setGathered, idsIn } = grouped;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of a group change with those that are loaded
  useEffect(() => {
    const isFull = selected.size >= MOST_SELECTED;
    const done = gathered.filter((path) => isFull || groups.get(path)?.isComplete);
    if (done.length === 0) return;
    setGathered((now) => now.filter((path) => !done.includes(path)));
    add(done.flatMap(idsIn));
  }, [groups, gathered, selected, setGathered, add]);

  const selectOnly = (ids: readonly string[]) => {
    setGathered([]);
    setAllWanted(false);
    keep(ids);
  };
  /** Selects or deselects all rows of groups, also those that are not loaded yet. */
  const selectGroups = (paths: readonly string[], on: boolean) => {
    setGathered((now) => [...now.filter((path) => !paths.includes(path)), ...(on ? paths : [])]);
    if (on) return;
    const ids = new Set(paths.flatMap(idsIn));
    keep([...selected].filter((id) => !ids.has(id)));
  };
  /** In groups, more rows are loaded as they come near the screen: all of them are selected, as the box of a group does. */
  const selectAll = (on: boolean) => {
    if (on && isInGroups) selectGroups(grouped.innermost.current, true);
    else selectOnly(on ? shown.ids : []);
    setAllWanted(on);
  };
  const { gathering, gather } = useGather(rows, keep);
  const areAllSelected = records.length > 0 && records.length === new Set(shown.ids).size;
  // The count includes rows that have arrived since, which are shown on demand.
  const hasMore =
    typeof rows.count === "number"
      ? records.length < rows.count
      : isInGroups || rows.query.hasNextPage === true || records.length < shown.ids.length;
  /** Selects all matching rows, also those that are not loaded. */
  const selectMatching = () => {
    if (isInGroups) selectGroups(grouped.innermost.current, true);
    else if (hasMore) void gather();
  };
  return {
    ...selection,
    selectMatching,
    select: (id: string, extend: boolean) => {
      setAllWanted(false);
      selection.select(id, extend);
    },
    selectAll,
    /** The number of rows that are selected if all are. */
    most: Math.min(isInGroups && typeof rows.count === "number" ? rows.count : shown.ids.length, MOST_SELECTED),
    selectOnly,
    selectGroups,
    grouped,
    isInGroups,
    items: shown.items,
    ids: shown.ids,
    records,
    pending,
    /** How to select all matching rows, if more match than are selected. */
    more:
      (areAllSelected || (areAllWanted && records.length > 0)) && hasMore && records.length < MOST_SELECTED
        ? {
            count: String(rows.count ?? ""),
            select: selectMatching,
            busy: gathering || gathered.length > 0,
          }
        : null,
  };
};

/**
 * Returns a function that selects all matching rows, up to the maximum selection. It loads those that are not shown, also
 * those that have arrived since. If it fails, those that were loaded are selected.
 */
const useGather = ({ query, fresh }: Pick<Rows, "query" | "fresh">, onGathered: (ids: readonly string[]) => void) => {
  const [gathering, setGathering] = useState(false);
  const gather = async () => {
    setGathering(true);
    const idsIn = ({ pages }: Pick<Pages, "pages">) => pages.flatMap(({ items }) => items.map(({ id }) => id));
    const isWhole = ({ pages }: Pick<Pages, "pages">) => pages.at(-1)?.next === null;
    // Loaded pages can be outdated as long as nobody scrolls to them.
    fresh.markShown();
    let { data, isError } = await query.refetch();
    while (data && !isError && !isWhole(data) && idsIn(data).length < MOST_SELECTED)
      ({ data, isError } = await query.fetchNextPage());
    setGathering(false);
    if (data) onGathered(idsIn(data).slice(0, MOST_SELECTED));
  };
  return { gathering, gather };
};
