import { referenceName } from "../../derive/tables/names.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";
import { addReferenceSql, validateConstraintSql } from "./definitions.ts";

export const addReference = (table: Table, column: Column): readonly MigrationStep[] =>
  column.references === null
    ? []
    : [
        {
          message:
            column.goesWith === true
              ? null
              : say("step.reference", { clause: column.clause, table: column.references }),
          run: definitionText(addReferenceSql(table, column, column.references)),
          online: {
            table: table.name,
            unfit: definitionText(
              sql`${identifier(column.name)} is not null and not exists (select from ${inApp(column.references)} "target" where "target"."id" = ${inApp(table.name)}.${identifier(column.name)})`,
            ),
            readsOthers: true,
            switch: definitionText(sql`${addReferenceSql(table, column, column.references)} not valid`),
            retire: [validateConstraintSql(table, referenceName(table.name, column.name))],
          },
        },
      ];

/** Deferred: effects of a deletion may delete the referring records in the same transaction. */
export const patientReference = (table: Table, { name }: Column): MigrationStep => ({
  message: null,
  run: definitionText(
    sql`alter table ${inApp(table.name)} alter constraint ${identifier(referenceName(table.name, name))} deferrable`,
  ),
});
