import type { Column, Table } from "../../derive/tables/table.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";
import { dropIndexSql } from "./definitions.ts";

/** Constraints and indexes that depend on a column. */
export const getReaders = ({ checks, indexes, exclusions }: Table, { name }: Column) => {
  const column = definitionText(identifier(name));
  return {
    checks: checks.filter(({ condition }) => condition.includes(column)),
    indexes: indexes.filter(({ on }) => on.includes(column)),
    exclusions: exclusions.filter(({ definition }) => definition.includes(column)),
  };
};

export const getConstraints = (liveTable: Table, column: Column) => {
  const { checks, indexes } = getReaders(liveTable, column);
  return { checks, indexes: indexes.filter(({ unique }) => unique) };
};

/** Drops the constraints that could reject new values of a column; later steps add them again. */
export const withoutConstraints = (liveTable: Table, table: Table, old: Column): MigrationStep => {
  const readers = getConstraints(liveTable, old);
  const alter = sql`alter table ${inApp(table.name)}`;
  const run = [
    ...readers.checks.map((check) => sql`${alter} drop constraint ${identifier(check.name)}`),
    ...readers.indexes.map((index) => dropIndexSql(table, index)),
    ...(old.required ? [sql`${alter} alter column ${identifier(old.name)} drop not null`] : []),
  ]
    .map(definitionText)
    .join(";\n");
  return { message: null, run, online: { table: table.name, switch: run } };
};

/** Drops former checks of a column that values of `fill` could violate, although they meet the new ones. */
export const dropFormerChecks = (liveTable: Table, table: Table, column: Column): readonly MigrationStep[] => {
  const same = new Map(table.checks.map(({ name, condition }) => [name, condition]));
  return getReaders(liveTable, column)
    .checks.filter(({ name, condition }) => same.get(name) !== condition)
    .map(({ name }) => ({ message: null, run: dropCheck(table, name) }));
};

/** Drops a check if it exists: before its column is filled, and again when it is replaced. */
export const dropCheck = (table: Table, name: string): string =>
  definitionText(sql`alter table ${inApp(table.name)} drop constraint if exists ${identifier(name)}`);
