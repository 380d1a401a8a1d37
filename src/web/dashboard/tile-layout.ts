import { nextGroup } from "../../core/derive/client/measured-values.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { GroupJson } from "../../core/wire/overview.ts";
import type { AxisJson, TileJson } from "../../core/wire/screens.ts";
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
}

/** Three or more consecutive counts and figures form a row of the page. */
const ROW_OF_FIGURES = 3;
const MOST_IN_ROW = 4;

/**
 * Arranges tiles in columns, in document order: each goes below the column that is shorter by the usual heights. Counts
 * and figures that follow each other share a line. Rows of figures and wide pivots span both columns. The places do not
 * depend on what the tiles show, so that everybody finds a tile where it was.
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
      flush();
      stacks.push({ width: "full", lines: divideRow(block.tiles) });
    } else (heightOf(right) < heightOf(left) ? right : left).push(block);
  }
  flush();
  return stacks;
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

/** Tick marks in even steps that include zero, the last at or above the maximum. Whole numbers have whole steps. */
export const chooseTicks = (values: readonly number[]): readonly number[] => {
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)];
  const span = most - least;
  if (span === 0) return [0, 1];
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const isPossible = (step: number) => step >= rough && (Number.isInteger(step) || !values.every(Number.isInteger));
  const step = [1, 2, 2.5, 5, 10].map((item) => item * power).find(isPossible) ?? Math.ceil(rough);
  const [from, to] = [Math.floor(least / step), Math.ceil(most / step)];
  return Array.from({ length: to - from + 1 }, (_, at) => Number(((from + at) * step).toPrecision(12)));
};

/** Compares a date group with today. */
export const compareToToday = (
  key: GroupJson["key"],
  step: AxisJson["step"],
  today: string,
): "past" | "now" | "future" => {
  if (typeof key !== "string" || step === null) return "past";
  if (key > today) return "future";
  return today < nextGroup(key, step) ? "now" : "past";
};
