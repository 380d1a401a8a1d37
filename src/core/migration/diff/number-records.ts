import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { type MigrationStep, writtenRows } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";

const run = (...statements: readonly Sql[]): string => statements.map(definitionText).join(";\n");

/**
 * Numbers records without a number, in the order of their creation, and continues the counter after the highest number.
 * `isAdded`: the column is new, so that counting starts at 1. If the column is optional, existing records stay without
 * a number, since a transition assigns it.
 */
export const numberRecords = (table: Table, column: Column, counter: string, isAdded: boolean): MigrationStep => {
  const [name, own] = [identifier(column.name), inApp(table.name)];
  const isNumberless = sql`${name} is null`;
  const key = sql`"field" = ${constant(counter)} and "scope" = '{n}'`;
  const last = sql`(select "last" from "ninefold"."sequence" where ${key})`;
  const next = isAdded ? sql`excluded."last"` : sql`greatest("counter"."last", excluded."last")`;
  const begin = sql`insert into "ninefold"."sequence" as "counter" ("field", "scope", "last") select ${constant(counter)}, '{n}', coalesce(max(${name}), 0) from ${own} on conflict ("field", "scope") do update set "last" = ${next}`;
  const end = sql`update "ninefold"."sequence" set "last" = greatest("last", (select max(${name}) from ${own})) where ${key}`;
  if (!column.required) return { message: null, run: run(begin) };
  const message = (rows: number) => (rows === 0 ? null : say("step.numbered", { clause: column.clause, rows }));
  return {
    message: message(0),
    writes: { ...writtenRows(table, isNumberless), message },
    run: run(
      begin,
      sql`update ${own} set ${name} = ${last} + "numbered"."place" from (select "id", row_number() over (order by "id") as "place" from ${own} where ${isNumberless}) as "numbered" where "numbered"."id" = ${own}."id"`,
      end,
    ),
    // Another step, under another name, writes numbers that are computed from other columns.
    ...(column.conversion !== undefined
      ? {}
      : {
          online: {
            table: table.name,
            expand: run(begin),
            backfill: {
              clause: column.clause,
              column: column.name,
              // The ids of a batch are sorted by creation.
              value: definitionText(
                sql`${last} + array_position(${{ kind: "sql", parts: ["$1::uuid[]"] }}, ${own}."id")`,
              ),
              where: definitionText(isNumberless),
              again: definitionText(isNumberless),
              former: null,
              after: definitionText(
                sql`update "ninefold"."sequence" set "last" = greatest("last", (select max(${name}) from ${own} where "id" = any (${{ kind: "sql", parts: ["$1::uuid[]"] }}))) where ${key}`,
              ),
            },
            switch: run(end),
          },
        }),
  };
};
