import { tileAddress } from "../../core/derive/client/list-address.ts";
import type { ScreenJson, TileJson } from "../../core/wire/screens.ts";

/** The end of an address that selects all rows of a list: a tile shows the first ones only. */
const SELECT_ALL = "#all";

/**
 * The address of a list with the records of a tile, all of them selected. It names the table without groups, because the
 * reader may have chosen a layout in which nothing is selected, and groups load their rows later. Null if the list has no
 * table.
 */
export const findSelectionAddress = (screens: readonly ScreenJson[], tile: TileJson): string | null => {
  const list = screens.find((screen) => screen.kind === "list" && screen.path === tile.list);
  return list?.kind === "list" && list.layouts.some(({ kind }) => kind === "table")
    ? `${tileAddress(tile)}&layout=table${list.group === undefined ? "" : "&grouped="}${SELECT_ALL}`
    : null;
};

/** True if the page was opened to select all rows of its list. */
export const asksForAllRows = ({ hash }: Location): boolean => hash === SELECT_ALL;
