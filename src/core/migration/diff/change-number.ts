import { referenceName } from "../../derive/tables/names.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import { describe } from "../conversions.ts";
import { renumberFormer } from "../former-values.ts";
import { refersToSame } from "../list-references.ts";
import { countedRows, type MigrationStep } from "../migration-step.ts";
import { replaceColumn } from "../replace-column.ts";
import { inApp, raw } from "../sql-text.ts";
import { dropExclusion } from "./change-exclusions.ts";
import { getReaders } from "./constraints-of-column.ts";
import { addReferenceSql, dropIndexSql, getEntityName } from "./definitions.ts";

/** The element type of a column, whether it is an array or not. */
const elementType = (type: string): string => type.replace(/\[\]$/u, "");

/** True if a stored column changes from one value to several or vice versa. */
export const changesNumber = (liveTable: Table, old: Column, column: Column): boolean =>
  column.conversion === undefined &&
  old.type !== column.type &&
  refersToSame(old, column) &&
  elementType(old.type) === elementType(column.type) &&
  !liveTable.columns.some(({ generated }) => generated?.includes(definitionText(identifier(old.name))));

/**
 * A single value becomes an array with one element. An array becomes its first element if no record has a second.
 * Dependants of the column are rebuilt afterwards.
 */
export const changeNumber = (
  liveTable: Table,
  table: Table,
  old: Column,
  column: Column,
  version: number,
): readonly MigrationStep[] => {
  const name = identifier(column.name);
  const becomesMany = column.type.endsWith("[]");
  const alter = sql`alter table ${inApp(table.name)}`;
  const using = becomesMany ? sql`array_remove(array[${name}], null)` : sql`${name}[1]`;
  const start = becomesMany ? sql`set default '{}'` : sql`drop default`;
  const readers = getReaders(liveTable, old);
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const former = renumberFormer({ table: table.name, column: column.name }, becomesMany);
  const run = [
    ...readers.checks.map((check) => sql`${alter} drop constraint ${identifier(check.name)}`),
    ...readers.indexes.map((index) => dropIndexSql(table, index)),
    ...readers.exclusions.flatMap((exclusion) => dropExclusion(table, exclusion)),
    ...(old.references === null
      ? []
      : [sql`${alter} drop constraint ${identifier(referenceName(table.name, column.name))}`]),
    sql`${alter} alter column ${name} drop default, alter column ${name} drop not null`,
    sql`${alter} alter column ${name} type ${raw(column.type)}${order} using ${using}`,
    sql`${alter} alter column ${name} ${start}${column.required ? sql`, alter column ${name} set not null` : sql``}`,
    ...(column.references === null ? [] : [addReferenceSql(table, column, column.references)]),
    ...former,
  ]
    .map(definitionText)
    .join(";\n");
  const was = describe(old);
  const unfit = column.required ? sql`cardinality(${name}) <> 1` : sql`cardinality(${name}) > 1`;
  const { online, readers: again } = replaceColumn({
    // Later steps rebuild its indexes, checks and constraints.
    table: { ...liveTable, checks: [], indexes: [], exclusions: [] },
    before: liveTable,
    desiredTable: table,
    column: old,
    becomes: column,
    value: using,
    where: sql`true`,
    version,
    retire: former.map(definitionText),
    ...(becomesMany ? {} : { unfit }),
  });
  if (becomesMany) return [{ message: say("step.several", { clause: column.clause }), run, online }, ...again];
  return [
    {
      message: say("step.one", { clause: column.clause }),
      run,
      online,
      unless: {
        clause: column.clause,
        count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${unfit}`),
        misfits: countedRows(table, unfit),
        ...(typeof was === "string"
          ? { missing: { kind: "fill" as const, entity: getEntityName(table), field: column.name, was } }
          : {}),
        message: (rows) => say("refused.one", { clause: column.clause, rows, required: column.required }),
      },
    },
    ...again,
  ];
};
