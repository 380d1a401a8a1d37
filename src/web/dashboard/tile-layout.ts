import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { findPivotFields } from "../list/pivot/pivot-lines.ts";

/** A part of the page: a stack of lines, each with tiles side by side. */
export interface TileStack {
  readonly width: "half" | "full";
  /** Indexes in document order. */
  readonly lines: readonly (readonly number[])[];
}

/** The properties that decide on the place of a tile. A decision or another day changes none of them. */
interface LaidTile {
  readonly kind: TileJson["kind"];
  /** It needs the width of the page. */
  readonly isWide?: boolean;
}

/** Tiles that stay together, and how high they are in pixels. */
interface Block {
  readonly tiles: readonly number[];
  readonly height: number;
  readonly isWide: boolean;
  readonly isChart: boolean;
}

/** Three or more consecutive counts and figures form a row of the page. */
const ROW_OF_FIGURES = 3;
const MOST_IN_ROW = 4;

/**
 * Arranges tiles in columns, in document order: each goes below the column that is shorter by the usual heights. Counts
 * and figures that follow each other share a line. Rows of figures and wide pivots span both columns, and so does a chart
 * before them that one column has more than the other. The places do not
 * depend on what the tiles show, so that everybody finds a tile where it was. Only a tile for a role on records can come
 * or go.
 */
export const layTiles = (tiles: readonly LaidTile[], columns: 1 | 2): readonly TileStack[] => {
  const blocks = groupTiles(tiles);
  if (columns === 1) return [{ width: "full", lines: blocks.flatMap((block) => divideRow(block.tiles)) }];
  const stacks: TileStack[] = [];
  let [left, right]: [Block[], Block[]] = [[], []];
  const flush = () => {
    const width = right.length === 0 ? "full" : "half";
    for (const column of [left, right])
      if (column.length > 0) stacks.push({ width, lines: column.map((block) => block.tiles) });
    [left, right] = [[], []];
  };
  for (const block of blocks) {
    if (block.isWide) {
      const apart = takeLongChart(left, right);
      flush();
      if (apart !== undefined) stacks.push({ width: "full", lines: [apart.tiles] });
      stacks.push({ width: "full", lines: divideRow(block.tiles) });
    } else (heightOf(right) < heightOf(left) ? right : left).push(block);
  }
  flush();
  return stacks;
};

/**
 * Takes the last chart out of two columns above something wide if they are more equal without it: beside it, a list would
 * end in a hole.
 */
const takeLongChart = (left: Block[], right: Block[]): Block | undefined => {
  const [longer, shorter] = heightOf(left) >= heightOf(right) ? [left, right] : [right, left];
  const last = longer.at(-1);
  if (last?.isChart !== true || shorter.length === 0) return undefined;
  const excess = heightOf(longer) - heightOf(shorter);
  return Math.abs(excess - last.height - GAP) < excess ? longer.pop() : undefined;
};

const GAP = 16;
const heightOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { height }) => sum + height + GAP, 0);

/** Rows of at most four tiles, as equal as possible. */
const divideRow = (tiles: readonly number[]): readonly (readonly number[])[] => {
  const rows = Math.ceil(tiles.length / MOST_IN_ROW);
  const inRow = Math.ceil(tiles.length / rows);
  return Array.from({ length: rows }, (_, row) => tiles.slice(row * inRow, (row + 1) * inRow));
};

const isFigure = (tile: LaidTile | undefined): boolean => tile?.kind === "count" || tile?.kind === "figure";

/** Consecutive counts and figures form a block; other tiles stand alone. */
const groupTiles = (tiles: readonly LaidTile[]): readonly Block[] => {
  const runs: number[][] = [];
  for (const [at, tile] of tiles.entries()) {
    const run = runs.at(-1);
    if (run && isFigure(tile) && isFigure(tiles[run[0] ?? 0])) run.push(at);
    else runs.push([at]);
  }
  return runs.map((run) => ({
    tiles: run,
    height: Math.max(...run.map((at) => usualHeights[tiles[at]?.kind ?? "list"])),
    isWide: run.length >= ROW_OF_FIGURES || run.some((at) => tiles[at]?.isWide === true),
    isChart: tiles[run[0] ?? 0]?.kind === "chart",
  }));
};

const usualHeights: { readonly [K in TileJson["kind"]]: number } = {
  count: 100,
  figure: 150,
  list: 300,
  chart: 300,
  pivot: 300,
};

/**
 * True if half a page is too narrow for the columns of a pivot, or can become so: nobody knows how many months or
 * suppliers there will be. Amounts need about twice the width of counts.
 */
export const isWidePivot = (tile: TileJson, entity: EntityJson): boolean => {
  if (tile.kind !== "pivot") return false;
  const columns = findPivotFields(entity, tile)?.columns;
  return columns !== undefined && countValues(columns) > (tile.sum === null ? 6 : 4);
};

/** The largest number of different values of a field, including none. */
const countValues = ({ type, values, few, optional }: FieldJson): number => {
  const count = type === "boolean" ? 2 : (values?.length ?? few?.length ?? Number.POSITIVE_INFINITY);
  return optional ? count + 1 : count;
};
