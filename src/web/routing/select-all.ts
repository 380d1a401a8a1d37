import { whereAddress } from "../../core/derive/client/list-address.ts";
import type { ScreenJson } from "../../core/wire/screens.ts";

/** The end of an address that selects all rows of a list: a tile leads to the acts on several records. */
const SELECT_ALL = "#all";

/**
 * The address of a list with the records of a tile, all of them selected. It names the table, because the reader may have
 * chosen a layout in which nothing is selected. Null if the list has no table.
 */
export const findSelectionAddress = (screens: readonly ScreenJson[], path: string, clause: string): string | null => {
  const list = screens.find((screen) => screen.kind === "list" && screen.path === path);
  return list?.kind === "list" && list.layouts.some(({ kind }) => kind === "table")
    ? `${whereAddress(path, clause)}&layout=table${SELECT_ALL}`
    : null;
};

/** True if the page was opened to select all rows of its list. */
export const asksForAll = ({ hash }: Location): boolean => hash === SELECT_ALL;
