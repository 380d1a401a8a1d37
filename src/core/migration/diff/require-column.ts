import { STATE_SINCE } from "../../derive/tables/columns.ts";
import { shortHash } from "../../derive/tables/names.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { countMissing, type FindFormer } from "../conversions.ts";
import { countedRows, type MigrationStep } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";
import { getEntityName, validateConstraintSql } from "./definitions.ts";

/** The name that Postgres gives the constraint. */
export const notNullName = (table: Table, column: Column): string => {
  const name = `${table.name}_${column.name}_not_null`;
  return name.length <= 63 ? name : `${name.slice(0, 54)}_${shortHash(name)}`;
};

export const requireColumn = (table: Table, column: Column): MigrationStep => {
  const name = identifier(column.name);
  return {
    message: column.name === STATE_SINCE ? null : say("step.required", { clause: column.clause }),
    run: definitionText(sql`alter table ${inApp(table.name)} alter column ${name} set not null`),
    online: {
      table: table.name,
      unfit: definitionText(sql`${name} is null`),
      switch: definitionText(
        sql`alter table ${inApp(table.name)} add constraint ${identifier(notNullName(table, column))} not null ${name} not valid`,
      ),
      retire: [validateConstraintSql(table, notNullName(table, column))],
    },
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${name} is null`),
      misfits: countedRows(table, sql`${name} is null`),
      ...(column.fill === undefined
        ? { missing: { kind: "fill" as const, entity: getEntityName(table), field: column.name } }
        : {}),
      message: (rows) =>
        say("refused.required", {
          clause: column.clause,
          rows,
          filled: column.fill !== undefined || column.conversion?.isDeclared === true,
        }),
    },
  };
};

/** Requires a column that was filled before. Rows whose former value cannot be converted were already refused. */
export const requireFilled = (table: Table, column: Column, find: FindFormer, where?: Sql): MigrationStep => {
  const step = { ...requireColumn(table, column), message: null };
  const { conversion } = column;
  if (conversion === undefined || column.fill !== undefined || step.unless === undefined) return step;
  return { ...step, unless: { ...step.unless, count: countMissing(table, column, conversion, find, where) } };
};
