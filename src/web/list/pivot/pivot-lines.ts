import { findGroupFieldJson, type GroupFieldJson, type ListSearch } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, PivotLineJson } from "../../../core/wire/groups.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../../core/wire/screens.ts";
import type { Words } from "../../i18n/words.tsx";
import { buildGroupAddress, findRowsLayout, nameGroup, narrowToGroup, toSumValue } from "../groups/group-search.ts";

/** The fields of a pivot: its rows, its columns, and the one that is added up; null if it counts the records. */
export interface PivotFields {
  readonly rows: GroupFieldJson;
  readonly columns: GroupFieldJson;
  readonly sum: FieldJson | null;
}

/** Undefined if the reader cannot see one of the fields. */
export const findPivotFields = (
  entity: EntityJson,
  { rows: ofRows, columns: ofColumns, sum }: PivotFieldsJson,
): PivotFields | undefined => {
  const [rows, columns] = [ofRows, ofColumns].map((group) => findGroupFieldJson(entity, group));
  const added = entity.fields.find((field) => field.name === sum);
  if (rows === undefined || columns === undefined || (sum !== null && added === undefined)) return undefined;
  return { rows, columns, sum: added ?? null };
};

/** The name of a row or a column; that of a period in full, or in its shortest form with or without the year. */
export const nameLine = (words: Words, field: GroupFieldJson, line: PivotLineJson, year?: boolean): string =>
  line.others === undefined ? nameGroup(words, field, line, year) : words.say("pivot.others", { count: line.others });

/** "Number of tickets", "Sum of Price" */
export const describeFigures = ({ say }: Words, { many }: EntityJson, { sum }: PivotFields): string =>
  sum === null ? say("pivot.figure.count", { things: many }) : say("pivot.figure.sum", { field: sum.label });

/** The figure of a cell or a total in words. */
export const showFigure = ({ show }: Words, { sum }: PivotFields, { count, sums }: FiguresJson): string =>
  sum === null ? show.number(count) : (show.value(sum, toSumValue(sum, sums[sum.name] ?? "0")) ?? "");

/**
 * The address of the list that shows the records of a row, a column, a cell, or of all of them; null for the line of the
 * others, whose values no filter can name.
 */
export const buildPivotAddress = (
  screen: ListScreenJson,
  search: ListSearch,
  { rows, columns }: PivotFields,
  row: PivotLineJson | null,
  column: PivotLineJson | null,
): string | null => {
  if (row?.others !== undefined || column?.others !== undefined) return null;
  const all: ListSearch = { ...search, grouped: [], figure: null, layout: findRowsLayout(screen) };
  const inRow = row === null ? all : narrowToGroup(all, rows, row.key);
  return buildGroupAddress(screen, column === null ? inRow : narrowToGroup(inRow, columns, column.key));
};
