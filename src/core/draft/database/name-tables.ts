import { createEntityNames } from "../names.ts";
import type { DatabaseTable } from "./database-table.ts";
import { type CheckPart, parseCheck } from "./parse-check.ts";
import { createSpelling, type SpellName } from "./spell-names.ts";

/** Longer checks are quoted in part. */
const LONGEST_CHECK = 1000;
const LONGEST_QUOTE = 160;

/** A table with its name as an entity, and with what its checks say. */
export interface NamedTable {
  readonly table: DatabaseTable;
  readonly entity: string;
  readonly spell: SpellName;
  readonly parts: readonly { readonly name: string; readonly part: CheckPart }[];
  /** Sentences about constraints that are not drafted. */
  readonly questions: readonly string[];
}

/** The tables of the database, by schema and name. */
export type TablesById = ReadonlyMap<string, NamedTable>;

/** The schema and name of a table, as foreign keys name it. */
export const idOf = ({ schema, name }: Pick<DatabaseTable, "schema" | "name">): string => `${schema}.${name}`;

export const quoteSql = (sql: string): string => {
  const line = sql.replaceAll(/\s+/gu, " ");
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line}”`;
};

export const notDrafted = (name: string, sql: string): string =>
  `How the constraint “${name}” (${quoteSql(sql)}) applies here is not shown.`;

export const nameTables = (tables: readonly DatabaseTable[]): readonly NamedTable[] => {
  const toEntityName = createEntityNames();
  const spell = createSpelling(tables);
  const count = new Map<string, number>();
  for (const { name } of tables) count.set(name, (count.get(name) ?? 0) + 1);
  return tables.map((table) => {
    const isTwice = (count.get(table.name) ?? 0) > 1 && table.schema !== "public";
    const entity = toEntityName(isTwice ? `${table.schema}_${spell(table.name)}` : spell(table.name));
    const all = [
      ...table.checks.map(({ name, sql }) => ({ name, sql })),
      ...table.columns.flatMap(({ name, domainChecks }) =>
        domainChecks.map((sql) => ({ name, sql: sql.replaceAll(/\bVALUE\b/gu, `"${name.replaceAll('"', '""')}"`) })),
      ),
    ];
    const read = all.map((check) => ({
      ...check,
      parts: check.sql.length > LONGEST_CHECK ? undefined : parseCheck(check.sql),
    }));
    return {
      table,
      entity,
      spell,
      parts: read.flatMap(({ name, parts = [] }) => parts.map((part) => ({ name, part }))),
      questions: [
        ...read.flatMap(({ name, sql, parts }) => (parts === undefined ? [notDrafted(name, sql)] : [])),
        ...table.others.map(({ name, sql }) => notDrafted(name, sql)),
      ],
    };
  });
};
