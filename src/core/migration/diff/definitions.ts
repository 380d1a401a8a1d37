import { referenceName } from "../../derive/tables/names.ts";
import type { Check, Column, Exclusion, Index, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { inApp, raw } from "../sql-text.ts";

export const clauseNote = (clause: string): Sql => constant(`clause ${clause}`);

/** The comment of a table: its clause, and how Postgres maintains it, if it does. */
const tableNote = ({ clause, links, rowMaintenance }: Table): Sql => {
  if (rowMaintenance !== undefined)
    return constant(
      JSON.stringify({ clause, kept: { functions: rowMaintenance.functions, hash: rowMaintenance.hash } }),
    );
  return links === undefined ? clauseNote(clause) : constant(JSON.stringify({ clause, links }));
};

export const columnSql = (column: Column): Sql => {
  const key = column.name === "id" ? sql` primary key` : sql``;
  const required = column.required && column.name !== "id" ? sql` not null` : sql``;
  // One collation everywhere: by code point, with Unicode case mapping, regardless of the database's defaults.
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const initial = column.initial === null ? sql`` : sql` default ${raw(column.initial)}`;
  const generated =
    column.generated === undefined ? sql`` : sql` generated always as (${raw(column.generated)}) stored`;
  return sql`${identifier(column.name)} ${raw(column.type)}${order}${key}${required}${initial}${generated}`;
};

/**
 * The formula is stored in the comment with the clause, because Postgres rewrites expressions and its version could not
 * be compared.
 */
export const columnNote = ({ clause, generated, byTrigger }: Column): Sql =>
  generated === undefined ? clauseNote(clause) : constant(JSON.stringify({ clause, generated, byTrigger }));

/** The comments that record the clauses a table comes from. */
export const clauseNotes = (table: Table): readonly string[] => [
  definitionText(sql`comment on table ${inApp(table.name)} is ${tableNote(table)}`),
  ...table.columns.map((column) =>
    definitionText(sql`comment on column ${inApp(table.name)}.${identifier(column.name)} is ${columnNote(column)}`),
  ),
  ...table.checks.map((check) => definitionText(commentCheck(table, check))),
  ...table.indexes.map((index) => definitionText(commentIndex(index))),
  ...table.exclusions.map((exclusion) => definitionText(commentExclusion(table, exclusion))),
];

/** The constraints and triggers of a table as comparable texts. */
export const comparableDefinitions = (table: Table): readonly string[] => [
  ...table.checks.map((check) => addCheckSql(table, check)),
  ...table.exclusions.map((exclusion) => addExclusionSql(table, exclusion)),
  ...table.indexes.map((index) => createIndexSql(table, index)),
];

export const addCheckSql = (table: Table, { name, condition }: Check): string =>
  `alter table ${definitionText(inApp(table.name))} add constraint ${definitionText(identifier(name))} check (${condition})`;

export const addExclusionSql = (table: Table, { name, definition }: Exclusion): string =>
  definitionText(sql`alter table ${inApp(table.name)} add constraint ${identifier(name)} ${raw(definition)}`);

export const createIndexSql = (
  table: Table,
  { name, on, unique, waits }: Index,
  how: "" | "concurrently " = "",
): string =>
  waits === true
    ? definitionText(sql`alter table ${inApp(table.name)} add constraint ${identifier(name)} unique ${raw(on)}`)
    : definitionText(
        sql`create ${raw(unique ? "unique " : "")}index ${raw(how)}${identifier(name)} on ${inApp(table.name)} ${raw(on)}`,
      );

/**
 * Drops an index, or the constraint that it belongs to, if it still exists: it may have been dropped with a column that
 * it read.
 */
export const dropIndexSql = (table: Pick<Table, "name">, { name, waits }: Index): Sql =>
  waits === true
    ? sql`alter table ${inApp(table.name)} drop constraint if exists ${identifier(name)}`
    : sql`drop index if exists "app".${identifier(name)}`;

export const createTable = (table: Table): MigrationStep => {
  const columns = table.columns.map((column) => definitionText(columnSql(column)));
  const checks = table.checks.map(
    (check) => `constraint ${definitionText(identifier(check.name))} check (${check.condition})`,
  );
  const comments = clauseNotes({ ...table, indexes: [], exclusions: [] });
  return {
    message: table.links === undefined ? say("step.table", { clause: table.clause, name: table.name }) : null,
    run: [
      `create table ${definitionText(inApp(table.name))} (\n  ${[...columns, ...checks].join(",\n  ")}\n)`,
      ...comments,
    ].join(";\n"),
  };
};

/**
 * The definition is stored in the comment with the clause, because Postgres rewrites conditions and its version could
 * not be compared.
 */
export const commentCheck = (table: Table, check: Check): Sql =>
  sql`comment on constraint ${identifier(check.name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause: check.clause, condition: check.condition, values: check.values, of: check.of }))}`;

export const commentIndex = (index: Index): Sql =>
  sql`comment on index "app".${identifier(index.name)} is ${constant(JSON.stringify({ clause: index.clause, on: index.on }))}`;

export const commentExclusion = (table: Table, { name, clause, definition }: Exclusion): Sql =>
  sql`comment on constraint ${identifier(name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause, definition }))}`;

export const addReferenceSql = (table: Table, { name, goesWith }: Column, to: string): Sql =>
  sql`alter table ${inApp(table.name)} add constraint ${identifier(referenceName(table.name, name))} foreign key (${identifier(name)}) references ${inApp(to)} ("id")${goesWith === true ? sql` on delete cascade` : sql` deferrable`}`;

export const validateConstraintSql = (table: Table, name: string): string =>
  definitionText(sql`alter table ${inApp(table.name)} validate constraint ${identifier(name)}`);

export const getEntityName = ({ clause }: Table): string => clause.split(".")[1] ?? clause;
