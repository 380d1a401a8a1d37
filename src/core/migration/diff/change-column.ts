import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, type Sql, sql } from "../../sql.ts";
import {
  conversionText,
  convertColumn,
  convertInPlace,
  convertNewColumn,
  type FindFormer,
  isWrittenSince,
} from "../conversions.ts";
import { restoreConvertedValues, restoreMissingValues, restoreOutsideValues } from "../former-values.ts";
import type { MigrationStep, ReplaceInPlace } from "../migration-step.ts";
import { nextName } from "../phases.ts";
import { writeBeside } from "../replace-column.ts";
import { inApp } from "../sql-text.ts";
import { addColumn, addNextColumn } from "./add-column.ts";
import { addReference } from "./add-reference.ts";
import { changeGenerated } from "./change-generated.ts";
import { changeNumber, changesNumber } from "./change-number.ts";
import { dropFormerChecks, withoutConstraints } from "./constraints-of-column.ts";
import { fillColumn, fillMissingValues, fillUnfitValues } from "./fill-column.ts";
import { numberRecords } from "./number-records.ts";
import { requireColumn, requireFilled } from "./require-column.ts";

/** Answers about single columns that the live and the desired tables do not show. */
export interface ColumnHistory {
  /** The version of the document that is being published. */
  readonly version: number;
  /** Finds the columns of former fields. */
  readonly find: FindFormer;
  /** True if a column keeps its Postgres type although the type of its field changed. */
  readonly isConverted: (table: Table, column: Column) => boolean;
  /** True if a new column takes the name of a retired one. */
  readonly isMoved: (table: Table, column: Column) => boolean;
  /** True if the program assigns the numbers of an existing column from now on. */
  readonly beginsToCount: (table: Table, column: Column) => boolean;
  /** True if the new values of a column can be written to a second column first. */
  readonly canReplace: (table: Table, column: Column) => boolean;
  /** True if earlier versions replaced values of a column, so that these can be restored. */
  readonly hasFormer: (table: Table, column: Column) => boolean;
  /** Finds the condition of the rows whose value `fill` replaces, because a bound became narrower. */
  readonly findOutside: (table: Table, column: Column) => Sql | undefined;
  /** Finds the condition of the former values that can return, because a bound became wider. */
  readonly findReturning: (table: Table, column: Column) => ((json: Sql) => Sql) | undefined;
}

/** Steps by the stage of a migration to which they belong. */
export interface ColumnSteps {
  readonly steps: MigrationStep[];
  /** After all `steps`: triggers must exist before anything is written, and may read tables created there. */
  readonly fills: MigrationStep[];
  readonly references: MigrationStep[];
}

/** A column of the live table that the document keeps. */
export interface KeptColumn {
  readonly liveTable: Table;
  readonly table: Table;
  readonly old: Column;
  readonly column: Column;
}

/** The new values of a column, written to a second column first, if that is possible. */
export const replaceInPhases = (
  { canReplace, version }: ColumnHistory,
  table: Table,
  place: Omit<Parameters<typeof writeBeside>[0], "desiredTable" | "version">,
): ReplaceInPlace | undefined =>
  canReplace(table, place.column) ? writeBeside({ ...place, desiredTable: table, version }) : undefined;

export const createColumn = (
  table: Table,
  column: Column,
  { version, find, isMoved }: ColumnHistory,
  { steps, fills, references }: ColumnSteps,
): void => {
  const { conversion } = column;
  const isFilled =
    (column.fill !== undefined || conversion !== undefined || column.counter !== undefined) && column.required;
  const isNext = (conversion !== undefined || column.generated !== undefined) && isMoved(table, column);
  const name = isNext ? nextName(column.name) : column.name;
  const added = isFilled && column.initial === null ? { ...column, required: false } : column;
  const text = find(table.name, { name: column.name, type: "text", references: null });
  const wasText = isMoved(table, column) && text.is === "column" && text.former === column.name;
  steps.push(isNext ? addNextColumn(table, added, version) : addColumn(table, added, version, wasText));
  fills.push(...fillColumn(table, column));
  if (conversion !== undefined) fills.push(convertNewColumn(table, column, conversion, find, name));
  if (column.fill !== undefined) fills.push(fillMissingValues(table, column, column.fill, null));
  if (column.counter !== undefined) fills.push(numberRecords(table, column, column.counter, true));
  if (isFilled)
    fills.push(column.counter === undefined ? requireFilled(table, column, find) : requireSilently(table, column));
  references.push(...addReference(table, column));
};

/** Changes an existing column. At most one of the changes below applies. */
export const changeColumn = (kept: KeptColumn, history: ColumnHistory, phases: ColumnSteps): void => {
  const { liveTable, table, old, column } = kept;
  const { version, find } = history;
  const { steps, fills } = phases;
  if (old.generated !== undefined || column.generated !== undefined)
    changeGenerated(table, old, column, { steps, references: phases.references, version });
  else if (changesNumber(liveTable, old, column)) steps.push(...changeNumber(liveTable, table, old, column, version));
  else if (column.conversion !== undefined && old.staleSince !== undefined) {
    const isStale = isWrittenSince(table, column.name, old.staleSince);
    fills.push(convertColumn(table, column, column.conversion, find, isStale));
    if (column.required) fills.push(requireFilled(table, column, find, isStale));
  } else if (column.counter !== undefined && history.beginsToCount(table, column)) {
    fills.push(numberRecords(table, column, column.counter, false));
    if (column.required && !old.required) fills.push(requireSilently(table, column));
  } else if (history.isConverted(table, column)) convertValues(kept, history, phases);
  else if (column.fill !== undefined && history.findOutside(table, column) !== undefined)
    replaceOutside(kept, column.fill, history, phases);
  else if (column.required && !old.required) {
    restoreOutside(kept, history, phases);
    makeRequired(kept, history, phases);
  } else if (!column.required && old.required) makeOptional(kept, history, phases);
  else restoreOutside(kept, history, phases);
};

/** The values of another type, in the column as it is. */
const convertValues = (
  { liveTable, table, old, column }: KeptColumn,
  history: ColumnHistory,
  { steps, fills }: ColumnSteps,
): void => {
  const { version, find } = history;
  steps.push(withoutConstraints(liveTable, table, old));
  const inPlace = replaceInPhases(history, table, {
    table: { ...liveTable, checks: [], indexes: liveTable.indexes.filter(({ unique }) => !unique) },
    column: old,
    becomes: { ...column, required: false },
  });
  if (column.conversion === undefined) {
    if (history.hasFormer(table, column)) fills.push(...restoreConvertedValues(table, column, inPlace));
  } else fills.push(...convertInPlace(table, column, column.conversion, find, { version, beside: inPlace }));
  if (column.required && column.conversion === undefined && column.fill !== undefined)
    fills.push(fillMissingValues(table, column, column.fill, version));
  if (column.required) fills.push(old.required ? requireSilently(table, column) : requireColumn(table, column));
};

/** Missing values are converted from another field, or filled, as far as the document says how. */
const makeRequired = (
  { liveTable, table, column }: KeptColumn,
  { version, find }: ColumnHistory,
  { steps, fills }: ColumnSteps,
): void => {
  const value = column.conversion === undefined ? column.fill : conversionText(table, column, column.conversion, find);
  if (value === undefined) steps.push(requireColumn(table, column));
  else
    fills.push(
      ...dropFormerChecks(liveTable, table, column),
      fillMissingValues(table, column, value, version),
      requireColumn(table, column),
    );
};

/** True if `fill` reads another column whose values outside a bound are replaced. It gets the new ones. */
export const readsReplaced = (
  table: Table,
  { name, fill = "" }: Column,
  { findOutside }: Pick<ColumnHistory, "findOutside">,
): boolean =>
  table.columns.some(
    (other) =>
      other.name !== name &&
      fill.includes(definitionText(identifier(other.name))) &&
      findOutside(table, other) !== undefined,
  );

/** Values outside a narrower bound are replaced, and so are missing ones if the column becomes required. */
const replaceOutside = (
  { liveTable, table, old, column }: KeptColumn,
  fill: string,
  history: ColumnHistory,
  { steps, fills }: ColumnSteps,
): void => {
  const { version } = history;
  const outside = history.findOutside(table, column) ?? sql`false`;
  const isNew = column.required && !old.required;
  const isUnfit = isNew ? sql`(${identifier(column.name)} is null or ${outside})` : outside;
  if (!column.required && old.required) steps.push(optionalStep(table, column));
  const becomes = { ...old, required: old.required && column.required };
  // New values of other columns exist from the switch on.
  const inPlace = readsReplaced(table, column, history)
    ? undefined
    : replaceInPhases(history, table, { table: liveTable, column: old, becomes });
  fills.push(
    ...dropFormerChecks(liveTable, table, column),
    ...fillUnfitValues(table, column, { fill, isUnfit, version }, inPlace),
  );
  if (isNew) fills.push(requireColumn(table, column));
};

/** Values that an earlier version replaced because of a bound return if the bound is wider again. */
const restoreOutside = (
  { liveTable, table, old, column }: KeptColumn,
  history: ColumnHistory,
  { fills }: ColumnSteps,
): void => {
  const returning = history.hasFormer(table, column) ? history.findReturning(table, column) : undefined;
  if (returning === undefined) return;
  const inPlace = replaceInPhases(history, table, { table: liveTable, column: old });
  fills.push(...restoreOutsideValues(table, column, returning, inPlace));
};

/** Values that an earlier version filled in are missing again. */
const makeOptional = (
  { liveTable, table, old, column }: KeptColumn,
  history: ColumnHistory,
  { steps, fills }: ColumnSteps,
): void => {
  steps.push(optionalStep(table, column));
  const inPlace = replaceInPhases(history, table, {
    table: liveTable,
    column: old,
    becomes: { ...old, required: false },
  });
  if (history.hasFormer(table, column))
    fills.push(...restoreMissingValues(table, column, inPlace, history.findReturning(table, column)));
};

const optionalStep = (table: Table, column: Column): MigrationStep => ({
  message: say("step.optional", { clause: column.clause }),
  run: definitionText(sql`alter table ${inApp(table.name)} alter column ${identifier(column.name)} drop not null`),
});

/** Another line of the plan already says that the column is required. */
const requireSilently = (table: Table, column: Column): MigrationStep => ({
  ...requireColumn(table, column),
  message: null,
});
