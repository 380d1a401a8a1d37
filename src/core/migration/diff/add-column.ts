import { STATE_SINCE } from "../../derive/tables/columns.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import { convertText } from "../convert-text.ts";
import { countedRows, type MigrationStep } from "../migration-step.ts";
import { hiddenComment, nextName } from "../phases.ts";
import { inApp } from "../sql-text.ts";
import { computedOnline, dropTrigger } from "./columns-by-trigger.ts";
import { columnNote, columnSql, getEntityName } from "./definitions.ts";

/** `wasText`: the values of a text with the same name, now retired, can be converted. */
export const addColumn = (table: Table, column: Column, version: number, wasText = false): MigrationStep => {
  const name = identifier(column.name);
  const add = definitionText(sql`alter table ${inApp(table.name)} add column ${columnSql(column)}`);
  const comment = definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`);
  const message = column.name === STATE_SINCE ? null : say("step.column", { clause: column.clause, name: column.name });
  const step = {
    message,
    run: `${add};\n${comment}`,
    ...(column.generated === undefined
      ? {
          online: {
            table: table.name,
            expand: `${add};\n${hiddenComment(table.name, column.name)}`,
            switch: comment,
          },
        }
      : { online: computedOnline(table.name, column, { name: column.name, version, before: [] }) }),
  };
  if (!column.required || column.initial !== null) return step;
  const convert = wasText ? convertText(column) : undefined;
  return {
    message,
    run: step.run,
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)}`),
      misfits: countedRows(table, sql`true`),
      missing: {
        kind: "fill",
        entity: getEntityName(table),
        field: column.name,
        ...(convert === undefined ? {} : { was: "text", convert }),
      },
      message: (rows) =>
        convert === undefined
          ? say("refused.required.added", { clause: column.clause, rows })
          : say("refused.required.retyped", {
              clause: column.clause,
              rows,
              was: `was: { ${column.name}: text }`,
              fill: `fill: ${convert}`,
            }),
    },
  };
};

/** Adds a column in place of a retired one, which keeps its name until the switch. */
export const addNextColumn = (table: Table, column: Column, version: number): MigrationStep => {
  const step = addColumn(table, column, version);
  if (step.online === undefined) return step;
  const name = nextName(column.name);
  if (column.generated !== undefined)
    return { ...step, online: computedOnline(table.name, column, { name, version, before: [] }) };
  const added = addColumn(table, { ...column, name }, version);
  const rename = sql`alter table ${inApp(table.name)} rename column ${identifier(name)} to ${identifier(column.name)}`;
  return {
    ...step,
    online: {
      table: table.name,
      readsFormer: true,
      expand: added.online?.expand ?? "",
      switch: `${definitionText(rename)};\n${step.online.switch}`,
    },
  };
};

/** Statements that drop a column and its trigger. It may already have been dropped with a column that it read. */
export const columnDropped = (table: Pick<Table, "name">, column: Column): readonly string[] => [
  ...dropTrigger(column),
  definitionText(sql`alter table ${inApp(table.name)} drop column if exists ${identifier(column.name)}`),
];
