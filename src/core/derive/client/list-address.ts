import type { TileJson } from "../../wire/screens.ts";

/** Address of the list with the records of a tile, in its order; null if no list has them. */
export const tileAddress = (tile: TileJson): string | null => {
  if (tile.list === null) return null;
  const sort = tile.kind === "list" ? (tile.sort ?? []) : [];
  return `${tile.list}?where=${encodeURIComponent(tile.clause)}${sort.length === 0 ? "" : `&sort=${sort.join(",")}`}`;
};
