import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { nextName } from "../phases.ts";
import { inApp } from "../sql-text.ts";
import { addColumn, columnDropped } from "./add-column.ts";
import { addReference } from "./add-reference.ts";
import { computedOnline, dropTrigger } from "./columns-by-trigger.ts";
import { clauseNote, columnNote } from "./definitions.ts";
import { requireColumn } from "./require-column.ts";

/** Recreates the column with the new formula. Computed data cannot be lost. */
export const changeGenerated = (
  table: Table,
  old: Column,
  column: Column,
  {
    steps,
    references,
    version,
  }: { readonly steps: MigrationStep[]; readonly references: MigrationStep[]; readonly version: number },
): void => {
  if (isSameGenerated(old, column)) return;
  const isAsItWas = column.generated === undefined && old.type === column.type && old.references === column.references;
  if (isAsItWas) {
    const name = identifier(column.name);
    steps.push({
      message: say("step.plain", { clause: column.clause }),
      run: [
        ...notComputed(table, old),
        definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`),
      ].join(";\n"),
    });
    if (column.required) steps.push(requireColumn(table, column));
    return;
  }
  const { run } = addColumn(table, column, version);
  const before = columnDropped(table, old);
  const name = nextName(column.name);
  steps.push({
    message: say("step.recompute", { clause: column.clause }),
    run: [...before, run].join(";\n"),
    ...(column.generated === undefined
      ? {}
      : { online: computedOnline(table.name, column, { name, version, before }) }),
  });
  references.push(...addReference(table, column));
};

/** Statements that turn a computed column into a plain one and keep its values. */
export const notComputed = (table: Pick<Table, "name">, column: Column): readonly string[] => {
  const name = identifier(column.name);
  const comment = definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${clauseNote(column.clause)}`);
  return column.byTrigger === undefined
    ? [definitionText(sql`alter table ${inApp(table.name)} alter column ${name} drop expression`), comment]
    : [...dropTrigger(column), comment];
};

/** True if a computed column gets another formula or type, so that it is computed in a second column. */
export const isRecomputed = (old: Column, column: Column): boolean =>
  old.generated !== undefined && column.generated !== undefined && !isSameGenerated(old, column);

const isSameGenerated = (old: Column, column: Column): boolean =>
  old.generated === column.generated && old.type === column.type && old.references === column.references;

/** The table without what depends on recreated columns, which is dropped before they are. */
export const withoutRemade = (
  liveTable: Table,
  table: Table,
  rebuilt: readonly Pick<Table, "checks" | "indexes">[],
): Table => {
  const desired = new Map(table.columns.map((column) => [column.name, column]));
  const removed = liveTable.columns.flatMap((old) => {
    const column = desired.get(old.name);
    const stays = column !== undefined && (isSameGenerated(old, column) || column.generated === undefined);
    return old.generated === undefined || stays ? [] : [definitionText(identifier(old.name))];
  });
  const isUnaffected = (reads: string) => !removed.some((name) => reads.includes(name));
  return {
    ...liveTable,
    checks: liveTable.checks.filter(
      (check) => isUnaffected(check.condition) && !rebuilt.some(({ checks }) => checks.includes(check)),
    ),
    indexes: liveTable.indexes.filter(
      (index) => isUnaffected(index.on) && !rebuilt.some(({ indexes }) => indexes.includes(index)),
    ),
  };
};
