import { shortHash } from "../../derive/tables/names.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { definitionText, identifier, type Sql, sql } from "../../sql.ts";
import type { Online } from "../migration-step.ts";
import { hiddenComment } from "../phases.ts";
import { inApp, raw } from "../sql-text.ts";
import { columnNote } from "./definitions.ts";

/*
 * A computed column of a table with many records. Postgres adds a generated column only by rewriting the whole table
 * under a lock. So a plain column is filled in batches, and a trigger computes it from the switch on.
 */

/** The name of the trigger and of its function, different for each version. No document can contain it. */
const triggerName = (table: string, column: string, version: number): string => {
  const name = `${table}#${column}#${version}`;
  return name.length <= 63 ? name : `${name.slice(0, 40)}#${shortHash(name)}#${version}`;
};

const computedSql = ({ generated = "null", type }: Column): Sql => sql`(${raw(generated)})::${raw(type)}`;

/** Statements that recreate the trigger function of a column after names that it reads have changed. */
export const recreateTrigger = (column: Column): readonly string[] =>
  column.byTrigger === undefined
    ? []
    : [
        definitionText(
          sql`create or replace function ${inApp(column.byTrigger)}() returns trigger language plpgsql as $computed$
#variable_conflict use_column
begin
  new.${identifier(column.name)} := (select ${computedSql(column)} from (select new.*) as "record");
  return new;
end $computed$`,
        ),
      ];

/** Statements that remove the trigger of a column before the column is dropped or becomes plain. */
export const dropTrigger = ({ byTrigger }: Column): readonly string[] =>
  byTrigger === undefined ? [] : [definitionText(sql`drop function if exists ${inApp(byTrigger)}() cascade`)];

/**
 * The work in phases for a computed column. `name`: its name until the switch. `before`: statements at the switch that
 * free its final name.
 */
export const computedOnline = (
  table: string,
  column: Column,
  {
    name,
    version,
    before,
  }: {
    readonly name: string;
    readonly version: number;
    readonly before: readonly string[];
  },
): Online => {
  const plain: Column = { ...column, byTrigger: triggerName(table, column.name, version) };
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const alter = sql`alter table ${inApp(table)}`;
  const trigger = identifier(plain.byTrigger ?? "");
  return {
    table,
    expand: [
      definitionText(sql`${alter} add column ${identifier(name)} ${raw(column.type)}${order}`),
      hiddenComment(table, name),
    ].join(";\n"),
    backfill: {
      clause: column.clause,
      column: name,
      value: definitionText(computedSql(column)),
      where: definitionText(sql`${computedSql(column)} is not null`),
      again: "true",
      former: null,
      turn: "derived",
    },
    switch: [
      ...before,
      ...(name === column.name
        ? []
        : [definitionText(sql`${alter} rename column ${identifier(name)} to ${identifier(column.name)}`)]),
      ...recreateTrigger(plain),
      definitionText(
        sql`create trigger ${trigger} before insert or update on ${inApp(table)} for each row execute function ${inApp(plain.byTrigger ?? "")}()`,
      ),
      definitionText(sql`comment on column ${inApp(table)}.${identifier(column.name)} is ${columnNote(plain)}`),
    ].join(";\n"),
  };
};

/** A desired table whose computed columns keep the triggers of the existing ones. */
export const withTriggers = (desiredTable: Table, existing: Table): Table => ({
  ...desiredTable,
  columns: desiredTable.columns.map((column) => {
    const byTrigger = existing.columns.find(({ name }) => name === column.name)?.byTrigger;
    return byTrigger === undefined ? column : { ...column, byTrigger };
  }),
});
