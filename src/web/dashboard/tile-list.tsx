import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { tileAddress } from "../../core/derive/client/list-address.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useTriedRecords } from "../actions/use-tried-record.ts";
import { useAddress, useClient, usePhone, useTools } from "../app/app-context.tsx";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { CommentCounts } from "../field/comment-count.tsx";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { useWords } from "../i18n/words.tsx";
import { findColumns } from "../list/table/column-widths.ts";
import { useBoxDrag } from "../list/table/use-box-drag.ts";
import { useRowMenu } from "../list/use-row-menu.ts";
import type { PagerSource } from "../routing/record-pager.ts";
import { Link } from "../ui/link.tsx";
import { lazyComponent, lazyDialog, PageNotLoaded } from "../ui/page/lazy.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { listTileActs } from "../workflow/record-acts.ts";
import { type TileRowsProps, TileTable, TwoLineRows } from "./tile-rows.tsx";
import { useTileLines } from "./use-tile-lines.ts";
import type { TileSelection } from "./use-tile-selection.ts";

const RowMenu = lazyDialog(() => import("../list/row-menu.tsx"));
const TileBar = lazyComponent(() => import("./tile-bar.tsx"), PageNotLoaded);

type ListData = Extract<TileDataJson, { kind: "list" }>;

interface TileListProps {
  readonly tile: TileJson & { readonly kind: "list" };
  readonly entity: EntityJson;
  readonly items: ListData["items"];
  readonly count: ListData["count"];
  readonly selection: TileSelection;
}

/** The records of a list tile: a table, or cards where that is too narrow. */
export const TileList = ({ tile, entity, items: loaded, count, selection }: TileListProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const columns = findColumns(tile.columns, entity);
  const span = findDateRangeFields(entity);
  const last = columns.find(({ name }) => name === span?.to);
  // Start and end of a record share a cell.
  const cells = columns.filter((field) => field !== last || !columns.some(({ name }) => name === span?.from));
  const items = useTriedRecords(entity, loaded).tried.map(({ record }) => record);
  const { ref, lines } = useTileLines(entity, cells);
  const [refused, setRefused] = useState<RefusedTransitionNote | null>(null);
  useTileTrail(ref, tile, items, count);
  const isSelecting = selection.tile === tile.clause;
  const selected = isSelecting ? selection.selected : none;
  const select = (id: string, extend: boolean) => selection.select(tile.clause, id, extend);
  const { menu, openMenu, closeMenu } = useRowMenu(selected);
  const inMenu = items.find(({ id }) => id === menu?.id);
  useBoxDrag(ref, { selected, select });
  const rows: TileRowsProps = {
    tile,
    entity,
    items,
    columns,
    cells,
    selecting: isSelecting ? { selected, select } : null,
    openMenu,
    onRefused: setRefused,
    refusedNote: (id) =>
      refused?.record === id && (
        <ProblemNote
          title={say("record.not.made", { transition: refused.transition.label })}
          failure={refused.failure}
        />
      ),
  };
  const foot = <TileFoot tile={tile} entity={entity} items={items} count={count} selection={selection} />;
  return (
    <CommentCounts entity={entity} records={items}>
      <div ref={ref} data-tile={tile.clause}>
        {phone || lines?.twoLines ? (
          <TwoLineRows {...rows} lines={phone ? null : lines} />
        ) : (
          lines !== null && <TileTable {...rows} lines={lines} />
        )}
        {isSelecting ? (
          <LoadingBoundary fallback={foot}>
            <TileBar {...{ tile, entity, items, count, selection }} menu={{ menu, closeMenu }} />
          </LoadingBoundary>
        ) : (
          foot
        )}
        {menu && menu.ofAll === null && inMenu && (
          <LoadingBoundary fallback={null}>
            <RowMenu
              key={menu.id}
              entity={entity}
              row={inMenu}
              anchor={menu.anchor}
              region={ref}
              selection={{ selected: selected.has(menu.id), onSelect: () => select(menu.id, false) }}
              onClose={closeMenu}
            />
          </LoadingBoundary>
        )}
      </div>
    </CommentCounts>
  );
};

const none: ReadonlySet<string> = new Set();

/** The way to the rest of the list, and to the acts on several rows. */
const TileFoot = ({ tile, entity, items, count, selection: { keep, bar } }: TileListProps) => {
  const { say } = useWords();
  const list = tileAddress(tile);
  const more = typeof count === "number" ? count - items.length : null;
  const waiting = items.filter((item) => listTileActs(entity, item)[0]?.refused === null).length;
  const selectAll = () => {
    keep(
      tile.clause,
      items.map(({ id }) => id),
    );
    bar.call();
  };
  const label = say("tile.select.of", { title: tile.title });
  const isOffered = waiting > 1;
  useTools(isOffered ? { [label]: selectAll } : {});
  const isMoreShown = list !== null && more !== 0;
  return isMoreShown || isOffered ? (
    <p className="tile-more">
      {isMoreShown && (
        <Link className="link" href={list}>
          {more === null ? say("tile.more.many") : say("tile.more", { count: more })}
        </Link>
      )}
      {isOffered && (
        <button type="button" className="link" aria-label={label} onClick={selectAll}>
          {say("tile.select")}
        </button>
      )}
    </p>
  ) : null;
};

/** From a record that is opened here, the reader goes on through the rows of the tile, and back to its page. */
const useTileTrail = (
  region: RefObject<HTMLElement | null>,
  { entity, title, clause: tile }: TileJson,
  items: readonly RecordJson[],
  count: PagerSource["count"],
): void => {
  const { trail } = useClient();
  const { path: address } = useAddress();
  const keep = useEffectEvent(() => trail.set({ entity, title, address, ids: items.map(({ id }) => id), count, tile }));
  useEffect(() => {
    const { current } = region;
    // Links and the menu of a row open records; other presses do not use what is kept.
    current?.addEventListener("click", keep, { capture: true });
    return () => current?.removeEventListener("click", keep, { capture: true });
  }, [region]);
};
