import type { GroupJson, TileDataJson } from "../../core/wire/overview.ts";
import type { AxisJson, MeasureJson, TileJson } from "../../core/wire/screens.ts";
import { addDays, addMonths } from "../format/dates.ts";

/** A part of the page: a stack of lines, each with tiles side by side. */
export interface TileStack {
  readonly width: "half" | "full";
  /** Indexes in document order. */
  readonly lines: readonly (readonly number[])[];
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
 * Arranges tiles in columns, in document order: each goes below the shorter column, so that no tile is beside an empty
 * area. Lists without records come last, because nothing in them waits for the reader. Counts and figures that follow
 * each other share a line. Rows of figures and wide pivots span both columns.
 */
export const layTiles = (tiles: readonly LaidTile[], columns: 1 | 2): readonly TileStack[] => {
  const all = groupTiles(tiles);
  const isEmpty = (block: Block) => block.tiles.every((at) => isEmptyList(tiles[at]));
  const blocks = [...all.filter((block) => !isEmpty(block)), ...all.filter(isEmpty)];
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

type LaidTile = Pick<TileJson, "kind"> & { readonly sum?: string | null; readonly data?: TileDataJson | undefined };

const isEmptyList = (tile: LaidTile | undefined): boolean => tile?.data?.kind === "list" && tile.data.count === 0;

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
    height: Math.max(...run.map((at) => estimateHeight(tiles[at]))),
    isWide: run.length >= ROW_OF_FIGURES || run.some((at) => isWidePivot(tiles[at])),
  }));
};

/** Estimates the height of a tile from what it shows: half a page before that is known. */
const estimateHeight = (tile: LaidTile | undefined): number => {
  const data = tile?.data;
  if (tile?.kind === "count") return 100;
  if (tile?.kind === "figure") return 150;
  if (data === undefined) return 300;
  if (data.kind === "list") return data.items.length === 0 ? 110 : 90 + 54 * data.items.length;
  if (data.kind === "chart") return data.groups.length === 0 ? 110 : 320;
  if (data.kind === "pivot") return data.pivot.count === 0 ? 110 : 180 + 38 * data.pivot.rows.length;
  return 300;
};

/** True if half a page is too narrow for the columns: amounts need about twice the width of counts. */
const isWidePivot = (tile: LaidTile | undefined): boolean =>
  tile?.data?.kind === "pivot" && tile.data.pivot.columns.length > (tile.sum == null ? 6 : 4);

/** True if groups add up to a total: counts and sums do, averages and extremes do not. */
const addsUp = ({ how }: MeasureJson): boolean => how === "count" || how === "sum";

const nextOf = {
  day: (day: string) => addDays(day, 1),
  week: (day: string) => addDays(day, 7),
  month: (day: string) => addMonths(day, 1),
  quarter: (day: string) => addMonths(day, 3),
  year: (day: string) => addMonths(day, 12),
};

/** Maximum number of empty groups inserted between two groups. */
const mostSteps = 120;

/** Fills gaps in a series over time with zero. */
export const withoutGaps = (
  groups: readonly GroupJson[],
  step: NonNullable<AxisJson["step"]>,
  measure: MeasureJson,
): readonly GroupJson[] => {
  const dated = groups.filter(({ key }) => typeof key === "string");
  const [first, last] = [dated[0]?.key, dated.at(-1)?.key];
  if (typeof first !== "string" || typeof last !== "string") return groups;
  const known = new Map(dated.map((group) => [group.key, group]));
  const run: GroupJson[] = [];
  for (let at = first; at <= last && run.length <= mostSteps; at = nextOf[step](at))
    run.push(known.get(at) ?? { key: at, value: addsUp(measure) ? "0" : null });
  const isComplete = run.length <= mostSteps && dated.every(({ key }) => run.some((group) => group.key === key));
  return [...(isComplete ? run : dated), ...groups.filter(({ key }) => typeof key !== "string")];
};

const shownGroups = 8;

/** The eight largest groups, and the total of the others; null if they cannot be added up. */
export const largestGroups = (
  groups: readonly GroupJson[],
  measure: MeasureJson,
): {
  readonly shown: readonly GroupJson[];
  readonly others: { readonly count: number; readonly value: number | null } | null;
} => {
  if (groups.length <= shownGroups + 1) return { shown: groups, others: null };
  const rest = groups.slice(shownGroups);
  const value = addsUp(measure) ? sumGroups(rest) : null;
  return { shown: groups.slice(0, shownGroups), others: { count: rest.length, value } };
};

export const groupNumber = ({ value }: GroupJson): number => Number(value ?? 0);
export const sumGroups = (groups: readonly GroupJson[]): number =>
  groups.reduce((sum, group) => sum + groupNumber(group), 0);
export const hasTotal = (measure: MeasureJson, groups: readonly GroupJson[]): boolean =>
  addsUp(measure) && groups.length > 1;

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
  return today < nextOf[step](key) ? "now" : "past";
};
