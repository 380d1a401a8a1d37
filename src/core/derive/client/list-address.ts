import type { TileJson } from "../../wire/screens.ts";
import { writeFigure } from "../http/list-query.ts";

/** Address of the list with the records of a tile, in its order and arranged as in the tile; null if no list has them. */
export const tileAddress = (tile: TileJson): string | null => {
  if (tile.list === null) return null;
  const parameters = [["where", tile.clause], ...arrange(tile)];
  return `${tile.list}?${parameters.map(([name, value = ""]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
};

/** The order, groups and layout of a tile. The layout is named because its reader may have chosen another one before. */
const arrange = (tile: TileJson): readonly (readonly [string, string])[] => {
  switch (tile.kind) {
    case "list":
      return tile.sort?.length ? [["sort", tile.sort.join(",")]] : [];
    case "chart":
      return tile.per.group === null
        ? []
        : [
            ["layout", "table"],
            ["grouped", tile.per.group],
            ...(tile.sort === undefined ? [] : [["sort", tile.sort.join(",")] as const]),
          ];
    case "pivot":
      return [
        ["layout", "pivot"],
        ["grouped", `${tile.rows},${tile.columns}`],
        ["figure", writeFigure(tile.sum ?? "")],
      ];
    default:
      return [];
  }
};
