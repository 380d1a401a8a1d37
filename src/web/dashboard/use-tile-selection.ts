import { useMemo, useState } from "react";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useSelection } from "../list/selection/use-selection.ts";
import { findTileOfRow, rowInFocus, type SelectionActs } from "../list/table/use-row-keyboard.ts";
import { useBarFocus } from "../list/use-bar-focus.ts";

/** The selected rows of an overview: those of one tile, because others can be records of another kind. */
export interface TileSelection {
  /** The clause of the tile; null if no row is selected. */
  readonly tile: string | null;
  readonly selected: ReadonlySet<string>;
  /** Selects a row or no longer; `extend` selects the range from the last selected row. */
  readonly select: (tile: string, id: string, extend: boolean) => void;
  /** Selects only these rows of a tile. */
  readonly keep: (tile: string, ids: readonly string[]) => void;
  readonly bar: ReturnType<typeof useBarFocus>;
}

const none: readonly string[] = [];

const listRows = (data: TileDataJson | null | undefined): readonly string[] =>
  data?.kind === "list" ? data.items.map(({ id }) => id) : none;

/** Without a selected row, the bar goes: its focus returns to the row. */
const leaveBar = (tile: string | null, row: string | undefined): void => {
  if (tile === null || row === undefined || document.activeElement?.closest(".bulk") == null) return;
  document
    .querySelector<HTMLElement>(`[data-tile="${CSS.escape(tile)}"] [data-row="${CSS.escape(row)}"]`)
    ?.focus({ preventScroll: true });
};

/** The selected rows of an overview, and what the keys do that select them. */
export const useTileSelection = (
  tiles: readonly TileJson[],
  data: readonly (TileDataJson | null)[] | undefined,
): { readonly selection: TileSelection; readonly acts: SelectionActs } => {
  const [chosen, setChosen] = useState<string | null>(null);
  const rowsOf = (tile: string | null) => data?.[tiles.findIndex(({ clause }) => clause === tile)];
  const shown = rowsOf(chosen);
  const { selected, keep: keepRows, select: selectRow, last } = useSelection(useMemo(() => listRows(shown), [shown]));
  const bar = useBarFocus(selected);
  const select = (tile: string, id: string, extend: boolean) => {
    if (tile !== chosen) keepRows(none);
    setChosen(tile);
    selectRow(id, extend);
  };
  const keep = (tile: string, ids: readonly string[]) => {
    if (ids.length === 0) leaveBar(chosen, [...selected][0]);
    setChosen(tile);
    keepRows(ids);
  };
  const tile = selected.size > 0 ? chosen : null;
  return {
    selection: { tile, selected, select, keep, bar },
    acts: {
      select: (id, extend) => {
        const own = findTileOfRow(rowInFocus());
        if (own !== null) select(own, id, extend);
      },
      selectAll: () => {
        const own = findTileOfRow(rowInFocus()) ?? tile;
        if (own === null) return;
        const ids = listRows(rowsOf(own));
        keep(own, own === tile && selected.size === ids.length ? none : ids);
      },
      last: () => (findTileOfRow(rowInFocus()) === tile ? last() : null),
      isSelecting: () => selected.size > 0,
      clear: () => tile !== null && keep(tile, none),
      toBar: bar.callFromRow,
      editSelected: bar.editSelected,
    },
  };
};
