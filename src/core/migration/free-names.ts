import type { Table } from "../derive/tables/table.ts";
import { constant, identifier, type Sql, sql } from "../sql.ts";
import { asideName } from "./aside-names.ts";
import { dropIndexSql } from "./diff/definitions.ts";
import type { MigrationStep } from "./migration-step.ts";
import { alterTable, joinDefinitions, type Retired } from "./retired.ts";

/** Renames a retired column or table if a live one needs its name. */
const moveAside = <T extends Retired>(
  item: T,
  unused: readonly Table[],
): { readonly step: MigrationStep; readonly moved: T } => {
  const note = (column: Sql, name: string) =>
    sql`update "ninefold"."retired" set ${column} = ${constant(name)} where "id" = ${constant(item.id)}`;
  if (item.kind === "field") {
    const name = asideName(item.column, item.version);
    return {
      step: {
        message: null,
        run: joinDefinitions(
          alterTable(item.table, sql`rename column ${identifier(item.column)} to ${identifier(name)}`),
          note(sql`"column_name"`, name),
        ),
      },
      moved: { ...item, column: name },
    };
  }
  const name = asideName(item.table, item.version);
  const table = unused.find((other) => other.name === item.table);
  return {
    step: {
      message: null,
      run: joinDefinitions(
        ...(table === undefined ? [] : tableAside(table, name)),
        sql`update "ninefold"."retired" set "table_name" = ${constant(name)} where "table_name" = ${constant(item.table)}`,
      ),
    },
    moved: { ...item, table: name },
  };
};

/** Drops the indexes and constraints of the table, because their names are unique in the schema. */
export const tableAside = (table: Table, name: string): readonly Sql[] => [
  ...[...table.checks, ...table.exclusions].map((item) =>
    alterTable(table.name, sql`drop constraint ${identifier(item.name)}`),
  ),
  ...table.indexes.map((index) => dropIndexSql(table, index)),
  alterTable(table.name, sql`rename to ${identifier(name)}`),
  sql`alter index "app".${identifier(`${table.name}_pkey`)} rename to ${identifier(`${name}_pkey`)}`,
];

/** True if a live table or column is about to take the name of a retired one. */
export type IsTaken = (retired: Retired) => boolean;

/** Renames retired tables and columns whose names are needed, before anything is renamed or created. */
export const freeNames = (
  retired: readonly Retired[],
  unused: readonly Table[],
  isTaken: IsTaken,
): {
  readonly steps: readonly MigrationStep[];
  readonly retired: readonly Retired[];
  readonly unused: readonly Table[];
} => {
  const fields: MigrationStep[] = [];
  const entities: MigrationStep[] = [];
  const names = new Map<string, string>();
  const moved = retired.map((retired) => {
    if (!isTaken(retired)) return retired;
    const aside = moveAside(retired, unused);
    (retired.kind === "field" ? fields : entities).push(aside.step);
    if (retired.kind === "entity") names.set(retired.table, aside.moved.table);
    return aside.moved;
  });
  return {
    steps: [...fields, ...entities],
    retired: moved.map((retired) => ({ ...retired, table: names.get(retired.table) ?? retired.table })),
    unused: unused.map((table) => {
      const name = names.get(table.name);
      return name === undefined ? table : { ...table, name, checks: [], indexes: [], exclusions: [] };
    }),
  };
};
