import type { GroupJson } from "../../core/wire/overview.ts";
import type { AxisJson, MeasureJson, TileJson } from "../../core/wire/screens.ts";
import { addDays, addMonths } from "../format/dates.ts";

/** A column of tiles, with its width in twelfths of the page. */
export interface TileColumn {
  readonly span: number;
  /** Indexes in document order. */
  readonly tiles: readonly number[];
}

const twelfths = 12;

/**
 * Arranges tiles in full rows, in document order. Three or more counts and figures get a row of their own; fewer are
 * stacked beside a neighbour.
 */
export const layTiles = (tiles: readonly Pick<TileJson, "kind">[]): readonly TileColumn[] => {
  const cells: TileColumn[] = [];
  for (const run of groupTiles(tiles)) {
    const counts = isFigure(tiles[run[0] ?? 0]);
    if (!counts || run.length < 3) cells.push({ span: counts ? 0 : twelfths / 2, tiles: run });
    else for (const at of run) cells.push({ span: run.length % 4 === 0 ? 3 : 4, tiles: [at] });
  }
  // Half-width tiles and stacked counts wait for a neighbour.
  const laid: TileColumn[] = [];
  for (let at = 0; at < cells.length; at++) {
    const [column, next] = [cells[at], cells[at + 1]];
    if (!column) break;
    const isStack = (cell: TileColumn | undefined) => cell?.span === 0;
    const isHalf = (cell: TileColumn | undefined) => cell?.span === twelfths / 2;
    if ((isStack(column) && isHalf(next)) || (isHalf(column) && (isStack(next) || isHalf(next)))) {
      const spans = isStack(column) ? [4, 8] : isStack(next) ? [8, 4] : [6, 6];
      laid.push({ ...column, span: spans[0] ?? 6 }, { tiles: next?.tiles ?? [], span: spans[1] ?? 6 });
      at += 1;
    } else if (isStack(column)) laid.push(...column.tiles.map((tile) => ({ span: 4, tiles: [tile] })));
    else laid.push(isHalf(column) ? { ...column, span: twelfths } : column);
  }
  return laid;
};

const isFigure = (tile: Pick<TileJson, "kind"> | undefined): boolean =>
  tile?.kind === "count" || tile?.kind === "figure";

/** Consecutive counts and figures form a group; other tiles stand alone. */
const groupTiles = (tiles: readonly Pick<TileJson, "kind">[]): readonly (readonly number[])[] => {
  const runs: number[][] = [];
  for (const [at, tile] of tiles.entries()) {
    const run = runs.at(-1);
    if (run && isFigure(tile) && isFigure(tiles[run[0] ?? 0])) run.push(at);
    else runs.push([at]);
  }
  return runs;
};

/** True if groups add up to a total: counts and sums do, averages and extremes do not. */
const addsUp = ({ how }: MeasureJson): boolean => how === "count" || how === "sum";

const nextOf = {
  day: (day: string) => addDays(day, 1),
  week: (day: string) => addDays(day, 7),
  month: (day: string) => addMonths(day, 1),
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
export const foremostGroups = (
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

/** Tick marks from zero: two or more even steps, the last at or above the maximum. */
export const chooseTicks = (values: readonly number[]): readonly number[] => {
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)];
  const span = most - least;
  if (span === 0) return [0, 1];
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((item) => item * power).find((item) => item >= rough) ?? rough;
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
