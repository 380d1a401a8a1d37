import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";
import { addColumn, dropColumn } from "./add-column.ts";
import { addReference } from "./add-reference.ts";
import { columnNote } from "./definitions.ts";
import { requireColumn } from "./require-column.ts";

/** Computed data cannot be lost: the column is dropped and recreated with the new formula. */
export const changeGenerated = (
  table: Table,
  old: Column,
  column: Column,
  { steps, references }: { steps: MigrationStep[]; references: MigrationStep[] },
): void => {
  if (isSameGenerated(old, column)) return;
  const isAsItWas = column.generated === undefined && old.type === column.type && old.references === column.references;
  if (isAsItWas) {
    const name = identifier(column.name);
    steps.push({
      message: say("step.plain", { clause: column.clause }),
      run: [
        definitionText(sql`alter table ${inApp(table.name)} alter column ${name} drop expression`),
        definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`),
      ].join(";\n"),
    });
    if (column.required) steps.push(requireColumn(table, column));
    return;
  }
  const { run } = addColumn(table, column);
  steps.push({ message: say("step.recompute", { clause: column.clause }), run: `${dropColumn(table, old)};\n${run}` });
  references.push(...addReference(table, column));
};

const isSameGenerated = (old: Column, column: Column): boolean =>
  old.generated === column.generated && old.type === column.type && old.references === column.references;

/** Dependants of a column are dropped before it is changed. */
export const withoutRemade = (
  known: Table,
  table: Table,
  rebuilt: readonly Pick<Table, "checks" | "indexes">[],
): Table => {
  const wanted = new Map(table.columns.map((column) => [column.name, column]));
  const gone = known.columns.flatMap((old) => {
    const column = wanted.get(old.name);
    const stays = column !== undefined && (isSameGenerated(old, column) || column.generated === undefined);
    return old.generated === undefined || stays ? [] : [definitionText(identifier(old.name))];
  });
  const isUnaffected = (reads: string) => !gone.some((name) => reads.includes(name));
  return {
    ...known,
    checks: known.checks.filter(
      (one) => isUnaffected(one.condition) && !rebuilt.some(({ checks }) => checks.includes(one)),
    ),
    indexes: known.indexes.filter(
      (one) => isUnaffected(one.on) && !rebuilt.some(({ indexes }) => indexes.includes(one)),
    ),
  };
};
