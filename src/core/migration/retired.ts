import { type Column, isOfAct, type Table } from "../derive/tables/table.ts";
import type { Entity } from "../model/entity.ts";
import type { Renaming } from "../model/model.ts";
import { retiredName } from "../model/renaming.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import { formerOfRetired } from "./aside-names.ts";
import { columnNote, columnSql, createTable } from "./diff/definitions.ts";
import { dropFormer, moveFormerTable } from "./former-values.ts";
import { refersToSame } from "./list-references.ts";
import type { MigrationStep } from "./migration-step.ts";
import { inApp } from "./sql-text.ts";

/**
 * A field or an entity that a version of the document removed. Its values stay in the schema `app`. Nothing reads or
 * writes them until a later version has it again or an administrator deletes it.
 */
export type Retired = RetiredField | RetiredEntity;

interface RetiredThing {
  readonly id: number;
  /** The names in the document. */
  readonly entity: string;
  /** The table with the values. */
  readonly table: string;
  /** The version of the document that retired it. */
  readonly version: number;
  /** The time at which it was retired. */
  readonly at: string;
  /** Names within it that the document has again, in the order of the renamings. */
  readonly again?: readonly Renaming[];
}

export interface RetiredField extends RetiredThing {
  readonly kind: "field";
  readonly field: string;
  /** The earlier name under which the document has the field again; absent if it is `field`. */
  readonly returnsAs?: string;
  /** The column with the values: named after the field, until another field needs that name. */
  readonly column: string;
  readonly definition: RetiredColumn;
}

/** Computed values are never restored, since they are computed again. */
export type RetiredColumn = Column & { readonly computed?: true };

export interface RetiredEntity extends RetiredThing {
  readonly kind: "entity";
  /** The entity that it becomes again under an earlier name; absent if its last name returns. */
  readonly returnsAs?: Pick<Entity, "name" | "table">;
  readonly definition: Table;
}

/** The version that a migration makes, and its author. */
export interface NextVersion {
  readonly version: number;
  readonly person: string | null;
}

/** The name that a field had in the previous version. */
export type FormerName = (table: string, column: string) => string;

export const alterTable = (table: string, what: Sql): Sql => sql`alter table ${inApp(table)} ${what}`;
export const joinDefinitions = (...statements: readonly Sql[]): string => statements.map(definitionText).join(";\n");

/** Columns and tables that Ninefold did not create lack its comment. */
export const isCreatedByNinefold = ({ clause }: { readonly clause: string }): boolean => clause !== "none";

/** True for rows with a value. An empty list counts as none. */
export const hasValue = (column: Pick<Column, "type">, name: Sql): Sql =>
  column.type.endsWith("[]") ? sql`${name} <> '{}'` : sql`${name} is not null`;

/** Splits all tables into those that the document uses, without retired columns, and the retired tables. */
export const withoutRetired = (
  all: readonly Table[],
  retired: readonly Retired[],
): { readonly live: readonly Table[]; readonly unused: readonly Table[] } => {
  const columns = new Set(
    retired.flatMap((retired) => (retired.kind === "field" ? [`${retired.table}.${retired.column}`] : [])),
  );
  const tables = new Set(retired.flatMap((retired) => (retired.kind === "entity" ? [retired.table] : [])));
  const shown = all.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !columns.has(`${table.name}.${name}`)),
  }));
  return {
    live: shown.filter(({ name }) => !tables.has(name)),
    unused: shown.filter(({ name }) => tables.has(name)),
  };
};

/** True if a column is unchanged since it was retired, so that its values have the same meaning. */
export const isSameColumn = ({ definition, field, returnsAs = field }: RetiredField, column: Column): boolean =>
  returnsAs === column.name &&
  definition.type === column.type &&
  refersToSame(definition, column) &&
  isOfAct(definition) === isOfAct(column) &&
  definition.computed !== true &&
  definition.generated === undefined &&
  column.generated === undefined &&
  column.filled === undefined;

/**
 * Drops retired fields and entities without values. Servers of the version that used them are gone by the next version.
 */
export const dropEmpty = (retired: readonly Retired[]): readonly MigrationStep[] =>
  retired.map((retired) => {
    const forget = sql`delete from "ninefold"."retired" where "id" = ${constant(retired.id)}`;
    const [drop, condition] =
      retired.kind === "entity"
        ? [sql`drop table ${inApp(retired.table)}`, sql``]
        : [
            alterTable(retired.table, sql`drop column ${identifier(retired.column)}`),
            retired.definition.computed === true
              ? sql` where false`
              : sql` where ${hasValue(retired.definition, identifier(retired.column))}`,
          ];
    const former = dropFormer(retired.table, retired.kind === "entity" ? null : formerOfRetired(retired));
    const within =
      retired.kind === "entity"
        ? sql`;\n  delete from "ninefold"."retired" where "table_name" = ${constant(retired.table)}`
        : sql``;
    const run = definitionText(
      sql`do $$ begin
  if exists (select from ${inApp(retired.table)}${condition}) then return; end if;
  ${drop};
  ${former};
  ${forget}${within};
end $$`,
    );
    // Readers continue while the table is searched for values.
    const blocked = definitionText(sql`lock table ${inApp(retired.table)} in share row exclusive mode`);
    return { message: null, run, online: { table: retired.table, switch: "", retire: [`${blocked};\n${run}`] } };
  });

/** The members of a definition that contain the name of the referenced table. */
const referring = ["references", "listReferences"];

/** Retired fields and entities after entities were renamed. Renaming steps make the same change in the database. */
export const afterRenaming = (
  retired: readonly Retired[],
  { from, to, now, old }: { readonly from: string; readonly to: string; readonly old: string; readonly now: string },
): readonly Retired[] =>
  retired.map((retired) => ({
    ...retired,
    entity: retired.entity === old ? now : retired.entity,
    table: retired.table === from ? to : retired.table,
    definition: JSON.parse(
      referring.reduce(
        (text, key) => text.replaceAll(`"${key}":${JSON.stringify(from)}`, `"${key}":${JSON.stringify(to)}`),
        JSON.stringify(retired.definition),
      ),
    ),
  }));

/** Statements that make the change of `afterRenaming` in the database. */
export const renameRetired = (old: string, now: string, from: string, to: string): readonly Sql[] => [
  moveFormerTable(from, to),
  sql`update "ninefold"."retired" set "table_name" = ${constant(to)} where "table_name" = ${constant(from)}`,
  sql`update "ninefold"."retired" set "entity" = ${constant(now)} where "entity" = ${constant(old)}`,
  ...referring.map(
    (key) =>
      sql`update "ninefold"."retired" set "definition" = replace("definition"::text, ${constant(`"${key}": ${JSON.stringify(from)}`)}, ${constant(`"${key}": ${JSON.stringify(to)}`)})::jsonb`,
  ),
];

/** A restored field has its name in the history again, even if it was converted in between. */
export const rejoinHistory = (entity: string, retired: RetiredField, version: number): readonly Sql[] => {
  const field = sql`"of" = 'field' and "entity" = ${constant(entity)} and "old" = ${constant(retired.field)}`;
  const hasLaterName = sql`exists (select from "ninefold"."renaming" where "of" = 'field' and "now" = ${constant(retiredName(retired.field, retired.version))})`;
  return [
    sql`delete from "ninefold"."renaming" where ${field} and "document" = ${constant(version)} and "now" = ${constant(retiredName(retired.field, version))} and not ${hasLaterName}`,
    sql`insert into "ninefold"."renaming" ("document", "of", "entity", "old", "now") select ${constant(version)}, 'field', ${constant(entity)}, ${constant(retiredName(retired.field, retired.version))}, ${constant(retired.returnsAs ?? retired.field)} where ${hasLaterName}`,
  ];
};

/** Statements that create the empty tables and columns of retired fields and entities, for rows from a backup. */
export const createRetiredSql = (retired: readonly Retired[]): readonly string[] => [
  ...retired.flatMap((retired) =>
    retired.kind === "entity" ? [createTable({ ...retired.definition, name: retired.table, checks: [] }).run] : [],
  ),
  ...retired.flatMap((retired) =>
    retired.kind === "field"
      ? [
          joinDefinitions(
            alterTable(
              retired.table,
              sql`add column ${columnSql({ ...retired.definition, name: retired.column, required: false, initial: null })}`,
            ),
            sql`comment on column ${inApp(retired.table)}.${identifier(retired.column)} is ${columnNote(retired.definition)}`,
          ),
        ]
      : [],
  ),
];
