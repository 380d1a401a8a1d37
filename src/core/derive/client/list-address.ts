import type { TileJson } from "../../wire/screens.ts";

/** Address of the list with the records of a tile, in its order or in its groups; null if no list has them. */
export const tileAddress = (tile: TileJson): string | null => {
  if (tile.list === null) return null;
  const sort = tile.kind === "list" ? (tile.sort ?? []) : [];
  const groups =
    tile.kind === "chart" && tile.per.group !== null ? `&grouped=${encodeURIComponent(tile.per.group)}` : "";
  const order = sort.length === 0 ? "" : `&sort=${sort.join(",")}`;
  return `${tile.list}?where=${encodeURIComponent(tile.clause)}${groups}${order}`;
};
