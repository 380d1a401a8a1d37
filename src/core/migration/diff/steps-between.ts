import type { Check, Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import type { MigrationStep, ReplaceInPlace } from "../migration-step.ts";
import { columnDropped } from "./add-column.ts";
import { patientReference } from "./add-reference.ts";
import { changeChecks } from "./change-checks.ts";
import {
  type ColumnHistory,
  type ColumnSteps,
  changeColumn,
  createColumn,
  readsReplaced,
  replaceInPhases,
} from "./change-column.ts";
import { addExclusion, changeExclusions } from "./change-exclusions.ts";
import { withoutRemade } from "./change-generated.ts";
import { changeIndexes } from "./change-indexes.ts";
import { changesNumber } from "./change-number.ts";
import { getConstraints, getReaders } from "./constraints-of-column.ts";
import { getMaintenance, keepLinks } from "./drop-unwanted.ts";
import { createWithRows } from "./maintained-table.ts";

/**
 * The migration from the live tables to those of the document, after removed tables and columns were retired. It never
 * drops data.
 */
export const stepsBetween = (
  live: readonly Table[],
  desired: readonly Table[],
  answers: Partial<ColumnHistory> = {},
): readonly MigrationStep[] => {
  const history = { ...noHistory, ...answers };
  const liveByName = new Map(live.map((table) => [table.name, table]));
  const phases: MigrationPhases = { steps: [], fills: [], checks: [], references: [], derived: [] };
  for (const table of desired) {
    const old = liveByName.get(table.name);
    if (old === undefined) createTable(table, phases);
    // Unchanged derived rows, since changed ones have already been dropped.
    else if (old.rowMaintenance === undefined) changeTable(old, table, history, phases);
  }
  return [...phases.steps, ...phases.fills, ...phases.checks, ...phases.references, ...phases.derived];
};

const noHistory: ColumnHistory = {
  version: 0,
  find: () => ({ is: "missing" }),
  isConverted: () => false,
  isMoved: () => false,
  beginsToCount: () => false,
  canReplace: () => false,
  hasFormer: () => true,
  findOutside: () => undefined,
  findReturning: () => undefined,
};

/** The steps of a migration by stage. The stages run in the order of `stepsBetween`. */
interface MigrationPhases extends ColumnSteps {
  readonly checks: MigrationStep[];
  readonly derived: MigrationStep[];
}

const createTable = (table: Table, { steps, fills, references, derived }: MigrationPhases): void => {
  const rows = table.rowMaintenance === undefined ? undefined : getMaintenance(table.rowMaintenance);
  const created = createWithRows(table, table.links === undefined ? rows : keepLinks(table, table.links));
  steps.push(created.created);
  // The triggers of derived rows read columns that are filled here.
  (table.rowMaintenance === undefined ? fills : derived).push(...created.filled);
  references.push(...created.references, ...table.exclusions.map((exclusion) => addExclusion(table, exclusion)));
};

const changeTable = (liveTable: Table, table: Table, history: ColumnHistory, phases: MigrationPhases): void => {
  const columns = new Map(liveTable.columns.map((column) => [column.name, column]));
  for (const column of inOrderOfReading(table, columns, history)) {
    const old = columns.get(column.name);
    if (old === undefined) createColumn(table, column, history, phases);
    else changeColumn({ liveTable, table, old, column }, history, phases);
  }
  for (const column of table.columns)
    if (columns.get(column.name)?.hasty === true && columns.get(column.name)?.references === column.references)
      phases.references.push(patientReference(table, column));
  phases.steps.push(...dropComputedColumns(liveTable, table));
  changeConstraints(liveTable, table, history, phases);
};

/**
 * Conversions read the values that are stored now, so they come before `fill` replaces values. Other expressions of
 * `fill` read the new ones.
 */
const inOrderOfReading = (
  table: Table,
  liveColumns: ReadonlyMap<string, Column>,
  history: ColumnHistory,
): readonly Column[] => {
  const replaced = new Set(
    table.columns.filter((column) => liveColumns.has(column.name) && history.findOutside(table, column) !== undefined),
  );
  if (replaced.size === 0) return table.columns;
  const rank = (column: Column): number => {
    if (column.conversion !== undefined) return 0;
    if (!replaced.has(column)) return 3;
    return readsReplaced(table, column, history) ? 2 : 1;
  };
  return table.columns.toSorted((a, b) => rank(a) - rank(b));
};

/** Computed columns that the document no longer has. Entered data has been retired before. */
const dropComputedColumns = (liveTable: Table, table: Table): readonly MigrationStep[] => {
  const wanted = new Set(table.columns.map(({ name }) => name));
  return liveTable.columns
    .filter((column) => !wanted.has(column.name) && column.generated !== undefined)
    .map((column) => ({
      message: say("step.computed.removed", { clause: column.clause }),
      run: columnDropped(table, column).join(";\n"),
    }));
};

/** Checks, exclusions and indexes, without those that a changed column has dropped already. */
const changeConstraints = (
  liveTable: Table,
  table: Table,
  history: ColumnHistory,
  { checks, references }: MigrationPhases,
): void => {
  const { isConverted, hasFormer } = history;
  const wanted = new Map(table.columns.map((column) => [column.name, column]));
  const rebuilt = liveTable.columns.flatMap((old) => {
    const column = wanted.get(old.name);
    if (column === undefined) return [];
    if (changesNumber(liveTable, old, column)) return [getReaders(liveTable, old)];
    return isConverted(table, column) ? [getConstraints(liveTable, old)] : [];
  });
  const unchanged = withoutRemade(liveTable, table, rebuilt);
  const restoresInPhases = (column: Column, present: readonly Check[]): ReplaceInPlace | undefined => {
    const old = liveTable.columns.find(({ name }) => name === column.name);
    // Another step also writes the column.
    if (old === undefined || old.required !== column.required || isConverted(table, column)) return undefined;
    if (history.findOutside(table, column) !== undefined) return undefined;
    if (column.conversion !== undefined || changesNumber(liveTable, old, column)) return undefined;
    return replaceInPhases(history, table, { table: { ...liveTable, checks: present }, column: old });
  };
  checks.push(...changeChecks(unchanged, table, liveTable, { hasFormer, inPhases: restoresInPhases }));
  // A constraint may be replaced by another one with the same name.
  const dropped = rebuilt.flatMap((item) => ("exclusions" in item ? item.exclusions : []));
  const exclusions = changeExclusions(
    {
      ...liveTable,
      exclusions: liveTable.exclusions.map((exclusion) =>
        dropped.includes(exclusion) ? { ...exclusion, definition: "" } : exclusion,
      ),
    },
    table,
  );
  references.push(...exclusions.drops, ...changeIndexes(unchanged, table), ...exclusions.steps);
};
