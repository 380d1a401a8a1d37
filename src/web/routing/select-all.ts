import { tileAddress } from "../../core/derive/client/list-address.ts";
import type { ScreenJson, TileJson } from "../../core/wire/screens.ts";

/** The end of an address that selects all rows of a list, or some: a tile leads to the acts on several records. */
const SELECT_ALL = "#all";
const SELECT_SOME = "#select=";

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

/** The address that selects only these rows of the list. */
export const narrowSelection = (address: string, ids: readonly string[]): string =>
  address.replace(SELECT_ALL, `${SELECT_SOME}${ids.join(",")}`);

/** The rows of its list for which the page was opened, by their ids; null if it was not opened to select any. */
export const findAskedRows = ({ hash }: Location): "all" | readonly string[] | null => {
  if (hash === SELECT_ALL) return "all";
  return hash.startsWith(SELECT_SOME) ? hash.slice(SELECT_SOME.length).split(",") : null;
};
