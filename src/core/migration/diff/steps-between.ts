import type { Check, Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import {
  conversionText,
  convertColumn,
  convertInPlace,
  convertNewColumn,
  type FindFormer,
  isWrittenSince,
} from "../conversions.ts";
import { restoreConvertedValues, restoreMissingValues } from "../former-values.ts";
import type { MigrationStep, ReplaceInPlace } from "../migration-step.ts";
import { nextName } from "../phases.ts";
import { writeBeside } from "../replace-column.ts";
import { inApp } from "../sql-text.ts";
import { addColumn, addNextColumn, columnDropped } from "./add-column.ts";
import { addReference, patientReference } from "./add-reference.ts";
import { changeChecks } from "./change-checks.ts";
import { addExclusion, changeExclusions } from "./change-exclusions.ts";
import { changeGenerated, withoutRemade } from "./change-generated.ts";
import { changeIndexes } from "./change-indexes.ts";
import { changeNumber, changesNumber } from "./change-number.ts";
import { dropFormerChecks, getConstraints, getReaders, withoutConstraints } from "./constraints-of-column.ts";
import { getMaintenance, keepLinks } from "./drop-unwanted.ts";
import { fillColumn, fillMissingValues } from "./fill-column.ts";
import { createWithRows } from "./maintained-table.ts";
import { numberRecords } from "./number-records.ts";
import { requireColumn, requireFilled } from "./require-column.ts";

/**
 * The migration from the live tables to those of the document, after removed tables and columns were retired. It never
 * drops data.
 */
export const stepsBetween = (
  actual: readonly Table[],
  desired: readonly Table[],
  {
    version = 0,
    find = () => ({ is: "missing" }),
    isConverted = () => false,
    isMoved = () => false,
    beginsToCount = () => false,
    canReplace = () => false,
    hasFormer = () => true,
  }: {
    readonly version?: number;
    /** Finds the columns of former fields. */
    readonly find?: FindFormer;
    /** True if a column keeps its Postgres type although the type of its field changed. */
    readonly isConverted?: (table: Table, column: Column) => boolean;
    /** True if a new column takes the name of a retired one. */
    readonly isMoved?: (table: Table, column: Column) => boolean;
    /** True if the program assigns the numbers of an existing column from now on. */
    readonly beginsToCount?: (table: Table, column: Column) => boolean;
    /** True if the new values of a column can be written to a second column first. */
    readonly canReplace?: (table: Table, column: Column) => boolean;
    /** True if earlier versions replaced values of a column, so that these can be restored. */
    readonly hasFormer?: (table: Table, column: Column) => boolean;
  } = {},
): readonly MigrationStep[] => {
  const existing = new Map(actual.map((table) => [table.name, table]));
  const steps: MigrationStep[] = [];
  const references: MigrationStep[] = [];
  // Triggers must exist before anything is written, and may read tables created here.
  const fills: MigrationStep[] = [];
  const derived: MigrationStep[] = [];
  const checks: MigrationStep[] = [];
  for (const table of desired) {
    const known = existing.get(table.name);
    if (known === undefined) {
      const rows = table.rowMaintenance === undefined ? undefined : getMaintenance(table.rowMaintenance);
      const created = createWithRows(table, table.links === undefined ? rows : keepLinks(table, table.links));
      steps.push(created.created);
      // The triggers of derived rows read columns that are filled here.
      (table.rowMaintenance === undefined ? fills : derived).push(...created.filled);
      references.push(...created.references, ...table.exclusions.map((exclusion) => addExclusion(table, exclusion)));
      continue;
    }
    // Unchanged, since a changed one has already been dropped.
    if (known.rowMaintenance !== undefined) continue;
    const columns = new Map(known.columns.map((column) => [column.name, column]));
    const inPhases = (place: Omit<Parameters<typeof writeBeside>[0], "aim" | "version">): ReplaceInPlace | undefined =>
      canReplace(table, place.column) ? writeBeside({ ...place, aim: table, version }) : undefined;
    for (const column of table.columns) {
      const old = columns.get(column.name);
      if (old === undefined) {
        const { conversion } = column;
        const isFilled =
          (column.fill !== undefined || conversion !== undefined || column.counter !== undefined) && column.required;
        const isNext = (conversion !== undefined || column.generated !== undefined) && isMoved(table, column);
        const name = isNext ? nextName(column.name) : column.name;
        const added = isFilled && column.initial === null ? { ...column, required: false } : column;
        steps.push(isNext ? addNextColumn(table, added, version) : addColumn(table, added, version));
        fills.push(...fillColumn(table, column));
        if (conversion !== undefined) fills.push(convertNewColumn(table, column, conversion, find, name));
        if (column.fill !== undefined) fills.push(fillMissingValues(table, column, column.fill, null));
        if (column.counter !== undefined) fills.push(numberRecords(table, column, column.counter, true));
        if (isFilled)
          fills.push(
            column.counter === undefined
              ? requireFilled(table, column, find)
              : { ...requireColumn(table, column), message: null },
          );
        references.push(...addReference(table, column));
      } else if (old.generated !== undefined || column.generated !== undefined)
        changeGenerated(table, old, column, { steps, references, version });
      else if (changesNumber(known, old, column)) steps.push(...changeNumber(known, table, old, column, version));
      else if (column.conversion !== undefined && old.staleSince !== undefined) {
        const isStale = isWrittenSince(table, column.name, old.staleSince);
        fills.push(convertColumn(table, column, column.conversion, find, isStale));
        if (column.required) fills.push(requireFilled(table, column, find, isStale));
      } else if (column.counter !== undefined && beginsToCount(table, column)) {
        fills.push(numberRecords(table, column, column.counter, false));
        if (column.required && !old.required) fills.push({ ...requireColumn(table, column), message: null });
      } else if (isConverted(table, column)) {
        steps.push(withoutConstraints(known, table, old));
        const inPlace = inPhases({
          table: { ...known, checks: [], indexes: known.indexes.filter(({ unique }) => !unique) },
          column: old,
          becomes: { ...column, required: false },
        });
        if (column.conversion === undefined) {
          if (hasFormer(table, column)) fills.push(...restoreConvertedValues(table, column, inPlace));
        } else fills.push(...convertInPlace(table, column, column.conversion, find, { version, beside: inPlace }));
        if (column.required && column.conversion === undefined && column.fill !== undefined)
          fills.push(fillMissingValues(table, column, column.fill, version));
        const required = requireColumn(table, column);
        if (column.required) fills.push(old.required ? { ...required, message: null } : required);
      } else if (column.required && !old.required && column.conversion !== undefined) {
        const value = conversionText(table, column, column.conversion, find);
        fills.push(
          ...dropFormerChecks(known, table, column),
          fillMissingValues(table, column, value, version),
          requireColumn(table, column),
        );
      } else if (column.required && !old.required && column.fill !== undefined)
        fills.push(
          ...dropFormerChecks(known, table, column),
          fillMissingValues(table, column, column.fill, version),
          requireColumn(table, column),
        );
      else if (column.required && !old.required) steps.push(requireColumn(table, column));
      else if (!column.required && old.required) {
        steps.push({
          message: say("step.optional", { clause: column.clause }),
          run: definitionText(
            sql`alter table ${inApp(table.name)} alter column ${identifier(column.name)} drop not null`,
          ),
        });
        const inPlace = inPhases({ table: known, column: old, becomes: { ...old, required: false } });
        if (hasFormer(table, column)) fills.push(...restoreMissingValues(table, column, inPlace));
      }
    }
    for (const column of table.columns)
      if (columns.get(column.name)?.hasty === true && columns.get(column.name)?.references === column.references)
        references.push(patientReference(table, column));
    const columnsWanted = new Map(table.columns.map((column) => [column.name, column]));
    for (const column of known.columns)
      if (columnsWanted.has(column.name)) continue;
      else if (column.generated !== undefined)
        steps.push({
          message: say("step.computed.removed", { clause: column.clause }),
          run: columnDropped(table, column).join(";\n"),
        });
    const rebuilt = known.columns.flatMap((old) => {
      const column = columnsWanted.get(old.name);
      if (column === undefined) return [];
      if (changesNumber(known, old, column)) return [getReaders(known, old)];
      return isConverted(table, column) ? [getConstraints(known, old)] : [];
    });
    const unchanged = withoutRemade(known, table, rebuilt);
    const restoresInPhases = (column: Column, present: readonly Check[]): ReplaceInPlace | undefined => {
      const old = columns.get(column.name);
      // Another step also writes the column.
      if (old === undefined || old.required !== column.required || isConverted(table, column)) return undefined;
      if (column.conversion !== undefined || changesNumber(known, old, column)) return undefined;
      return inPhases({ table: { ...known, checks: present }, column: old });
    };
    checks.push(...changeChecks(unchanged, table, known, { hasFormer, inPhases: restoresInPhases }));
    // A constraint may be replaced by another one with the same name.
    const dropped = rebuilt.flatMap((item) => ("exclusions" in item ? item.exclusions : []));
    const exclusions = changeExclusions(
      {
        ...known,
        exclusions: known.exclusions.map((exclusion) =>
          dropped.includes(exclusion) ? { ...exclusion, definition: "" } : exclusion,
        ),
      },
      table,
    );
    references.push(...exclusions.drops, ...changeIndexes(unchanged, table), ...exclusions.steps);
  }
  return [...steps, ...fills, ...checks, ...references, ...derived];
};
