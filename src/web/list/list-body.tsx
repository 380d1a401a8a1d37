import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { type ListSearch, pageSize } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { type Failure, toFailureOf } from "../api/api-error.ts";
import { showInLists } from "../api/show-in-lists.ts";
import { useAddress, useApplication, useClient, useCommands, useDelayed, usePhone } from "../app/app-context.tsx";
import { CommentCounts } from "../field/comment-count.tsx";
import { useWords } from "../i18n/words.tsx";
import { findNewScreen, recordAddress } from "../routing/routes.ts";
import { asksForAllRows } from "../routing/select-all.ts";
import { Button } from "../ui/control/button.tsx";
import { lazyComponent, lazyDialog, PageNotLoaded } from "../ui/page/lazy.tsx";
import { FailedRegion, Progress } from "../ui/page/region-status.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { useExport } from "./export/export.tsx";
import { clearFilters, isNarrowed, rowsToCome } from "./filter/list-search.ts";
import type { GroupSelection } from "./groups/groups-view.ts";
import { BadSearch, Empty, NoMatch } from "./late-empty-states.tsx";
import { useInfiniteScroll, useRows } from "./rows/use-rows.ts";
import { useListSelection } from "./selection/use-list-selection.ts";
import { CompactRows, RowsSkeleton } from "./table/compact-rows.tsx";
import type { CellToEdit, EditCell, OpenMenu, RowSelection } from "./table/list-row.tsx";
import { getPageWidth, ListTable, type RowsProps, TableSkeleton } from "./table/list-table.tsx";
import { useBoxDrag } from "./table/use-box-drag.ts";
import { useRowHandover } from "./table/use-row-handover.ts";
import { useReturnRow, useRowKeys } from "./table/use-row-keyboard.ts";
import { useBarFocus } from "./use-bar-focus.ts";
import { useRowMenu } from "./use-row-menu.ts";
import { useSorting, useSortTools } from "./use-sorting.ts";

const GroupedList = lazyComponent(() => import("./groups/grouped-list.tsx"), PageNotLoaded);
const BulkBar = lazyComponent(() => import("./bulk/bulk-bar.tsx"), PageNotLoaded);
const RowMenu = lazyDialog(() => import("./row-menu.tsx"));
const CellEditor = lazyDialog(() => import("./table/cell-editor.tsx"));

interface BodyProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
  /** `isOfSearch`: false while the rows of the previous search are shown until those of the next arrive. */
  readonly onCount: (count: Count | undefined, about: number | undefined, isOfSearch: boolean) => void;
  /** True if rows are checkboxes rather than links, on a phone. */
  readonly selecting: boolean;
  readonly onSelecting: (selecting: boolean) => void;
}

type Rows = ReturnType<typeof useRows>;

/** The rows of a list, their selection, and actions on it. */
export const ListBody = ({ screen, entity, search, seek, onCount, selecting, onSelecting }: BodyProps) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const phone = usePhone();
  const region = useRef<HTMLElement>(null);
  const rows = useRows(screen, entity, search, region);
  const { query, items, ids, count, fresh } = rows;
  const hadRows = useRef(false);
  hadRows.current ||= items.length > 0;
  const failure = toFailureOf(query);
  const loading = useDelayed(query.isPending && failure === null);
  const refreshing = useDelayed(fresh.asking || (query.isFetching && !query.isPending && !query.isFetchingNextPage));
  useCounting(rows, onCount);
  useReturnRow(ids.length > 0);
  const end = useInfiniteScroll(rows);
  const selection = useListSelection({ screen, entity, search }, rows);
  const { selected, select, selectAll, selectOnly, grouped, isInGroups, records } = selection;
  const [edited, setEdited] = useState<CellToEdit | null>(null);
  const bar = useBarFocus(selected);
  const { menu, openMenu, closeMenu } = useRowMenu(selected);
  useRowCommands(entity, openMenu, setEdited);
  const exportRecords = useExport(screen, entity);
  const sort = useSorting(screen, entity, search, seek);
  useSortTools(screen, entity, search, sort);
  const toggleAll = useWholeSelection(rows, selection, onSelecting, bar.call);
  useBoxDrag(region, selection);
  useRowHandover(region, (id) => !selection.ids.includes(id));
  useRowKeys(region, {
    select,
    selectAll: toggleAll,
    last: selection.last,
    isSelecting: () => selected.size > 0,
    clear: () => selected.size > 0 && selectOnly([]),
    menu: openMenu,
    toBar: bar.callFromRow,
    edit: (cell) => bar.editFromRow(cell) || setEdited(cell),
    editSeveral: bar.editSeveral,
    editSelected: bar.editSelected,
  });

  const drawn = {
    screen,
    entity,
    items,
    answer: rows.answer,
    count,
    search,
    sort,
    addressOf: (id: string) => recordAddress(screens, entity.name, id),
    selection: { selected, select, selectAll },
    selecting,
    tinted: fresh.tinted,
    onMenu: openMenu,
  };
  const selectOne = (id: string) => {
    select(id, false);
    onSelecting(true);
  };
  const shown = selection.items.find(({ id }) => id === menu?.id);

  return (
    <CommentCounts entity={entity} records={selection.items}>
      <section ref={region} className="list" aria-label={screen.title} aria-busy={query.isFetching || fresh.asking}>
        <Progress shown={refreshing} />
        {fresh.waiting && items.length > 0 && <FreshRows onShow={fresh.show} />}
        {items.length > 0 ? (
          <FilledList
            layout={isInGroups ? "groups" : phone ? "rows" : "table"}
            drawn={drawn}
            groups={{ grouped, selectGroups: selection.selectGroups }}
            onEdit={setEdited}
          />
        ) : failure !== null && (query.isPending || query.isError) ? (
          <FailedList failure={failure} onRetry={() => void query.refetch()} />
        ) : query.isPending ? (
          loading && (phone ? <RowsSkeleton /> : <TableSkeleton screen={screen} entity={entity} />)
        ) : isNarrowed(search) ? (
          <NoMatch entity={entity} search={search} isDone={hadRows.current} clear={() => seek(clearFilters(search))} />
        ) : (
          <Empty screen={screen} entity={entity} create={findNewScreen(screens, entity.name)} />
        )}
      </section>
      {items.length > 0 && !isInGroups && (
        <ListFoot screen={screen} rows={rows} region={region}>
          <div ref={end} />
        </ListFoot>
      )}
      <LoadingBoundary fallback={null}>
        {records.length > 0 && (
          <BulkBar
            entity={entity}
            records={records}
            pending={selection.pending}
            focus={{ ...bar, menuAt: menu?.ofAll ?? null, onMenuClosed: closeMenu }}
            onNotForAll={() => setEdited(bar.cell)}
            more={selection.more && { ...selection.more, label: say("bulk.all", { count: selection.more.count }) }}
            onKeep={(next) => {
              selectOnly(next);
              if (next.length === 0) onSelecting(false);
            }}
            onExport={() => exportRecords(records)}
          />
        )}
        {edited && <RowCell entity={entity} cell={edited} onClose={() => setEdited(null)} />}
        {menu && menu.ofAll === null && shown && (
          <RowMenu
            key={menu.id}
            entity={entity}
            row={shown}
            anchor={menu.anchor}
            onEdit={setEdited}
            selection={{ selected: selected.has(menu.id), onSelect: () => selectOne(menu.id) }}
            onClose={closeMenu}
          />
        )}
      </LoadingBoundary>
    </CommentCounts>
  );
};

/** Tells the page how many rows there are. */
const useCounting = ({ count, about, loaded }: Rows, onCount: BodyProps["onCount"]): void => {
  const isOfSearch = loaded !== undefined;
  useEffect(() => onCount(count, about, isOfSearch), [onCount, count, about, isOfSearch]);
};

/** Shows rows that have arrived or changed since. */
const FreshRows = ({ onShow }: { onShow: () => void }) => (
  <p className="fresh" role="status">
    <Button small icon="retry" onClick={onShow}>
      {useWords().say("list.fresh")}
    </Button>
  </p>
);

/** Why the rows could not be loaded: the address can have filters that the list does not understand. */
const FailedList = ({ failure, onRetry }: { failure: Failure; onRetry: () => void }) => {
  const { navigation } = useClient();
  const { path, search } = useAddress();
  return failure.kind === "refused" && failure.problem.status === 400 && search !== "" ? (
    <BadSearch words={failure.problem.detail} clear={() => navigation.go(path, "replace")} />
  ) : (
    <FailedRegion failure={failure} retry={onRetry} />
  );
};

/** Offers the menu and the cells of the row in focus in the palette. */
const useRowCommands = (entity: EntityJson, menu: OpenMenu, edit: EditCell): void => {
  const { ofRow } = useClient().commands;
  useEffect(() => {
    ofRow.set({ entity, menu, edit });
    return () => ofRow.set(null);
  }, [ofRow, entity, menu, edit]);
};

/** Selects all rows by a key, or because the page was opened for that. Returns what the key does. */
const useWholeSelection = (
  { loaded, items }: Rows,
  { selected, selectAll, selectMatching, most, isInGroups }: ReturnType<typeof useListSelection>,
  onSelecting: (selecting: boolean) => void,
  callBar: () => void,
): (() => void) => {
  const phone = usePhone();
  const turnAll = (on: boolean) => {
    selectAll(on);
    if (phone) onSelecting(on);
  };
  useSelectedOnArrival(loaded !== undefined, () => {
    if (items.length === 0) return;
    turnAll(true);
    selectMatching();
    callBar();
  });
  return useSelectAll(most, isInGroups, () => turnAll(selected.size < most));
};

/**
 * Selects all rows if the page was opened for that, once its first answer is there, which can have none. Going back to the
 * page does not select them again.
 */
const useSelectedOnArrival = (areLoaded: boolean, onAsked: () => void): void => {
  const { navigation } = useClient();
  const select = useEffectEvent(() => {
    if (!asksForAllRows(location)) return;
    onAsked();
    const { path, search } = navigation.get();
    navigation.go(search === "" ? path : `${path}?${search}`, "replace");
  });
  useEffect(() => {
    if (areLoaded) select();
  }, [areLoaded]);
};

/** Offers in the palette to select all rows, or none; returns what their key does. */
const useSelectAll = (most: number, isInGroups: boolean, toggle: () => void): (() => void) => {
  const { say } = useWords();
  const isPossible = most > 0;
  const label = isInGroups ? say("bulk.all", { count: most }) : say("bulk.select.all");
  const note = `${say("key.shift")} X`;
  useCommands(isPossible ? [{ label, note, run: toggle, isTool: true }] : []);
  return () => {
    if (isPossible) toggle();
  };
};

interface FilledListProps {
  readonly layout: "groups" | "rows" | "table";
  readonly drawn: RowsProps & { readonly selection: RowSelection; readonly onMenu: OpenMenu };
  readonly groups: GroupSelection;
  readonly onEdit: EditCell;
}

const FilledList = ({ layout, drawn, groups, onEdit }: FilledListProps) => {
  if (layout === "rows") return <CompactRows {...drawn} />;
  if (layout === "table") return <ListTable {...drawn} onEdit={onEdit} room={getPageWidth} />;
  return (
    <LoadingBoundary fallback={null}>
      <GroupedList {...drawn} {...groups} onEdit={onEdit} />
    </LoadingBoundary>
  );
};

interface RowCellProps {
  readonly entity: EntityJson;
  readonly cell: CellToEdit;
  readonly onClose: () => void;
}

/** The editor of one cell, which shows what it saved in all loaded pages of the list. */
const RowCell = ({ entity, cell, onClose }: RowCellProps) => {
  const { queries } = useClient();
  return (
    <LoadingBoundary fallback={null}>
      <CellEditor
        key={`${cell.id} ${cell.field}`}
        {...cell}
        entity={entity}
        onClose={onClose}
        onSaved={(written) => showInLists(queries, entity.calls, [written])}
      />
    </LoadingBoundary>
  );
};

interface ListFootProps {
  readonly screen: ListScreenJson;
  readonly rows: Rows;
  readonly region: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

/** How many rows are shown, and a button that loads more. */
const ListFoot = ({ screen, rows: { query, items, ids, count, about }, region, children }: ListFootProps) => {
  const { say } = useWords();
  const showMore = async () => {
    const shown = items.length;
    await query.fetchNextPage();
    // The last page removes the button, so focus moves to the new rows.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      region.current?.querySelector<HTMLElement>(`[data-row="${ids[shown - 1]}"]`)?.focus({ preventScroll: true });
    });
  };
  return (
    <footer className="list-foot">
      {/* Removed rows above the visible part disappear when the user scrolls there. */}
      <Shown
        count={count}
        about={about}
        shown={typeof count === "number" ? Math.min(count, items.length) : items.length}
      />
      {query.hasNextPage && (
        <Button small busy={query.isFetchingNextPage} onClick={showMore}>
          {say("list.more", {
            count: rowsToCome(count, items.length, pageSize(screen, query.data?.pages.length ?? 0)),
          })}
        </Button>
      )}
      {query.isFetchNextPageError && <span className="aside-words">{say("list.more.failed")}</span>}
      {children}
    </footer>
  );
};

/** How many rows are shown and how many there are. */
const Shown = ({ count, about, shown }: { count: Count | undefined; about: number | undefined; shown: number }) => {
  const { say, show } = useWords();
  const words =
    count === shown
      ? say("list.shown.all", { count })
      : count === undefined
        ? say("list.shown", { shown })
        : say("list.shown.of", {
            shown,
            count:
              typeof count === "number"
                ? show.number(count)
                : about === undefined
                  ? count
                  : say("list.about", { count: about }),
          });
  return <span className="figures">{words}</span>;
};
