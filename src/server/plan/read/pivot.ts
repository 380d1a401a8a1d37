import Big from "big.js";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { FiguresJson, GroupedJson, PivotJson, PivotLineJson } from "../../../core/wire/groups.ts";
import type { Row } from "../../../postgres/database.ts";
import { GROUPED, TABLE } from "../aliases.ts";
import type { Caller, PlanContext } from "../context.ts";
import { asNumber, type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import type { ReadScope } from "../row/read-scope.ts";
import {
  COUNT,
  compareGroups,
  figuresSql,
  type Grouping,
  groupColumnsSql,
  keysAndSumsSql,
  keysSql,
  LEVEL,
  readFigures,
  readKey,
  readLabel,
  sumColumn,
} from "./grouping.ts";

/** Maximum number of rows and of columns of a pivot. A last line of each is the sum of all others. */
export const LARGE_PIVOT = { rows: 200, columns: 40 } as const;
/** Those of a tile. */
export const SMALL_PIVOT = { rows: 12, columns: 8 } as const;

type PivotBounds = typeof LARGE_PIVOT | typeof SMALL_PIVOT;

/** The ranks of the row and the column of a cell or a total. */
const ROW_RANK: ResultColumn<number> = resultColumn("is:row", asNumber);
const COLUMN_RANK: ResultColumn<number> = resultColumn("is:column", asNumber);
/** The number of all rows, and of all columns. */
const ROWS: ResultColumn<number> = resultColumn("is:rows", asNumber);
const COLUMNS: ResultColumn<number> = resultColumn("is:columns", asNumber);

/**
 * The cells of a pivot (level 0), the totals of its rows (1) and columns (2), and the grand total (3). Lines beyond the
 * maximum are left out: of a date, the earlier months; of other fields, those with the smallest figures.
 */
export const pivotSql = (
  { model }: PlanContext,
  caller: Caller,
  scope: ReadScope,
  grouping: Grouping,
  from: Sql,
  bounds: PivotBounds,
): Sql => {
  const [rowKey = sql``, columnKey = sql``] = keysSql(grouping);
  const [rowField, columnField] = grouping.fields;
  const [level, count] = [identifier(LEVEL.alias), identifier(COUNT.alias)];
  const figure = grouping.summed.length === 0 ? count : identifier(sumColumn(0).alias);
  const rank = (field: Field | undefined, key: Sql): Sql => {
    const order =
      field?.type === "date" ? sql`${key} DESC NULLS FIRST` : sql`${figure} DESC NULLS LAST, ${count} DESC, ${key}`;
    return sql`row_number() OVER (PARTITION BY ${level} ORDER BY ${order})`;
  };
  const cube = sql`SELECT ${join([rowKey, columnKey, ...figuresSql(grouping)], ", ")} FROM (SELECT ${keysAndSumsSql(scope, grouping)} ${from}) AS ${TABLE} GROUP BY CUBE (${rowKey}, ${columnKey})`;
  const ranked = sql`SELECT *, ${selectAs(rank(rowField, rowKey), ROW_RANK)}, ${selectAs(rank(columnField, columnKey), COLUMN_RANK)} FROM (${cube}) AS ${GROUPED}`;
  // A cell has the ranks of its row and of its column.
  const [row, column] = [identifier(ROW_RANK.alias), identifier(COLUMN_RANK.alias)];
  const placed = [
    selectAs(sql`max(${row}) FILTER (WHERE ${level} = 1) OVER (PARTITION BY ${level} & 2, ${rowKey})`, ROW_RANK),
    selectAs(
      sql`max(${column}) FILTER (WHERE ${level} = 2) OVER (PARTITION BY ${level} & 1, ${columnKey})`,
      COLUMN_RANK,
    ),
    selectAs(sql`count(*) FILTER (WHERE ${level} = 1) OVER ()`, ROWS),
    selectAs(sql`count(*) FILTER (WHERE ${level} = 2) OVER ()`, COLUMNS),
  ];
  const figures = [LEVEL, COUNT, ...grouping.summed.map((_, i) => sumColumn(i))].map(({ alias }) => identifier(alias));
  const all = sql`SELECT ${join([rowKey, columnKey, ...figures, ...placed], ", ")} FROM (${ranked}) AS ${GROUPED}`;
  const shown = groupColumnsSql(model, caller, grouping, (nth) => sql`${level} = ${constant(nth === 0 ? 1 : 2)}`);
  const numbers = join([identifier(ROWS.alias), identifier(COLUMNS.alias)], ", ");
  return sql`SELECT ${shown}, ${numbers} FROM (${all}) AS ${GROUPED} WHERE (${level} & 2 > 0 OR ${row} <= ${constant(bounds.rows)}) AND (${level} & 1 > 0 OR ${column} <= ${constant(bounds.columns)})`;
};

export const decodePivot = (
  { model }: PlanContext,
  grouping: Grouping,
  rows: readonly Row[],
  format: Format,
): PivotJson => {
  const atLevel = (level: number): readonly Row[] => rows.filter((row) => readColumn(row, LEVEL) === level);
  const [sumOf] = atLevel(3);
  const total = readFigures(grouping, sumOf);
  const linesOf = (nth: 0 | 1): readonly PivotLineJson[] =>
    atLevel(nth === 0 ? 1 : 2)
      .map((row) => ({
        key: readKey(row, nth),
        ...readLabel(model, grouping, row, nth, format),
        ...readFigures(grouping, row),
      }))
      .toSorted(compareGroups(grouping.fields[nth], model.locale));
  const found = new Map(atLevel(0).map((row) => [cellKey(readKey(row, 0), readKey(row, 1)), row]));
  const withOthers = (lines: readonly PivotLineJson[], all: number): readonly PivotLineJson[] =>
    all <= lines.length ? lines : [...lines, { key: null, ...subtract(total, lines), others: all - lines.length }];
  const numberOf = (column: ResultColumn<number>) => (sumOf === undefined ? 0 : readColumn(sumOf, column));
  const [shownRows, shownColumns] = [linesOf(0), linesOf(1)];
  const [allRows, allColumns] = [withOthers(shownRows, numberOf(ROWS)), withOthers(shownColumns, numberOf(COLUMNS))];
  const shown = shownRows.map((row) =>
    shownColumns.map(({ key }) => {
      const cell = found.get(cellKey(row.key, key));
      return cell === undefined ? null : readFigures(grouping, cell);
    }),
  );
  const cells = allRows.map((row, at) => {
    const own =
      shown[at] ??
      shownColumns.map((column, nth) =>
        orNone(
          subtract(
            column,
            shown.flatMap((line) => line[nth] ?? []),
          ),
        ),
      );
    if (allColumns.length === shownColumns.length) return own;
    return [
      ...own,
      orNone(
        subtract(
          row,
          own.flatMap((cell) => cell ?? []),
        ),
      ),
    ];
  });
  return { ...total, rows: allRows, columns: allColumns, cells };
};

const cellKey = (row: GroupedJson["key"], column: GroupedJson["key"]): string => JSON.stringify([row, column]);

/** The figures of the records that are in a total, but in none of its parts. */
const subtract = ({ count, sums }: FiguresJson, parts: readonly FiguresJson[]): FiguresJson => ({
  count: parts.reduce((rest, part) => rest - part.count, count),
  sums: Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [
      name,
      parts.reduce((rest, part) => rest.minus(part.sums[name] ?? 0), new Big(sum)).toFixed(),
    ]),
  ),
});

const orNone = (figures: FiguresJson): FiguresJson | null => (figures.count === 0 ? null : figures);
