import { referenceName } from "../../derive/tables/names.ts";
import type { Column, Table } from "../../derive/tables/table.ts";
import { toTableName } from "../../model/inflection.ts";
import type { Renaming } from "../../model/model.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { recreateTrigger } from "../diff/columns-by-trigger.ts";
import { moveFormer } from "../former-values.ts";
import { renameRetired } from "../retired.ts";
import { alter, type RenameContext, type RenameStep } from "./rename-step.ts";

/** Platform tables that contain names of entities. Texts of notifications and refusals are not changed. */
const naming = ["notification", "outbox", "sample"] as const;

export const planEntityRename = ({ old, now }: Renaming, { tables, model }: RenameContext): RenameStep | undefined => {
  const from = toTableName(old);
  const to = model.entities.get(now)?.table;
  const table = tables.find(({ name }) => name === from);
  if (to === undefined || table === undefined || tables.some(({ name }) => name === to)) return undefined;
  return {
    from,
    table: { ...table, name: to },
    run: [
      alter(from, sql`rename to ${identifier(to)}`),
      definitionText(sql`alter index "app".${identifier(`${from}_pkey`)} rename to ${identifier(`${to}_pkey`)}`),
      ...table.columns.flatMap((column) => referenceMoved(to, column, from, column.name)),
      ...followEntity(old, now, from, to).map(definitionText),
    ],
  };
};

/** Statements that rename an entity in the platform's tables. */
export const followEntity = (old: string, now: string, from: string, to: string): readonly Sql[] => [
  ...naming.map(
    (rows) =>
      sql`update "ninefold".${identifier(rows)} set "entity" = ${constant(now)} where "entity" = ${constant(old)}`,
  ),
  ...renameRetired(old, now, from, to),
  sql`update "ninefold"."sequence" set "field" = ${constant(to)} || substr("field", ${constant(from.length + 1)}::integer) where starts_with("field", ${constant(`${from}.`)})`,
];

/** Statements that rename a field in the platform's tables. */
export const followField = (table: string, old: string, now: string): readonly Sql[] => [
  moveFormer({ table, column: old }, now),
  sql`update "ninefold"."sequence" set "field" = ${constant(`${table}.${now}`)} where "field" = ${constant(`${table}.${old}`)}`,
];

const referenceMoved = (
  table: string,
  { references, name }: Column,
  from: string,
  column: string,
): readonly string[] =>
  references === null
    ? []
    : [
        alter(
          table,
          sql`rename constraint ${identifier(referenceName(from, column))} to ${identifier(referenceName(table, name))}`,
        ),
      ];

/** Redirects references to a renamed table, including its own. */
export const redirectReferences = (table: Table, { table: to, from }: RenameStep): Table => ({
  ...table,
  columns: table.columns.map((column) =>
    to === undefined || from === undefined
      ? column
      : {
          ...column,
          ...(column.references === from ? { references: to.name } : {}),
          ...(column.listReferences === from ? { listReferences: to.name } : {}),
        },
  ),
});

export const planFieldRename = ({ old, now }: Renaming, { table }: RenameContext): RenameStep | undefined => {
  const column = table?.columns.find(({ name }) => name === old);
  if (table === undefined || column === undefined || table.columns.some(({ name }) => name === now)) return undefined;
  const quoted = { from: definitionText(identifier(old)), to: definitionText(identifier(now)) };
  const next = rewritten(
    { ...table, columns: table.columns.map((other) => (other === column ? { ...other, name: now } : other)) },
    (text) => text.replaceAll(quoted.from, quoted.to),
  );
  return {
    table: next,
    run: [
      alter(table.name, sql`rename column ${identifier(old)} to ${identifier(now)}`),
      ...referenceMoved(table.name, { ...column, name: now }, table.name, old),
      ...next.columns.flatMap(recreateTrigger),
      ...followField(table.name, old, now).map(definitionText),
    ],
  };
};

/** Updates names within definitions. */
const rewritten = (table: Table, words: (text: string) => string): Table => ({
  ...table,
  columns: table.columns.map((column) =>
    column.generated === undefined ? column : { ...column, generated: words(column.generated) },
  ),
  checks: table.checks.map((check) => ({ ...check, condition: words(check.condition) })),
  indexes: table.indexes.map((index) => ({ ...index, on: words(index.on) })),
  exclusions: table.exclusions.map((exclusion) => ({ ...exclusion, definition: words(exclusion.definition) })),
});
