import { referenceName } from "../../derive/tables/names.ts";
import type { Column, Links, Table } from "../../derive/tables/table.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import type { MigrationStep, Online } from "../migration-step.ts";
import { HIDDEN, nextName } from "../phases.ts";
import { inApp } from "../sql-text.ts";
import { addReference } from "./add-reference.ts";
import { createIndex } from "./change-indexes.ts";
import {
  addReferenceSql,
  clauseNotes,
  columnSql,
  commentIndex,
  createIndexSql,
  createTable,
  validateConstraintSql,
} from "./definitions.ts";
import { notNullName } from "./require-column.ts";

/*
 * A table whose rows are derived from other tables: link tables, and derived rows. Postgres maintains it with triggers.
 * If its sources have many records, it is filled under another name and renamed at the switch.
 */

interface Source {
  /** The source table. */
  readonly table: string;
  /** Writes the rows derived from some source rows, whose ids are `$1`, into a table. */
  readonly follows: (into: Sql) => string;
}

/** The sources of a maintained table; none for a table that people write. */
const getSources = ({ links, rowMaintenance }: Table): readonly Source[] => {
  if (rowMaintenance !== undefined)
    return (rowMaintenance.sources ?? []).map(({ table, follows }) => ({
      table,
      follows: (into) => follows.replaceAll(rowMaintenance.into ?? "", () => definitionText(into)),
    }));
  return links === undefined ? [] : [{ table: links.of, follows: (into) => followLinks(into, links) }];
};

const ids: Sql = { kind: "sql", parts: ["$1::uuid[]"] };

const followLinks = (into: Sql, { of, column }: Links): string => {
  const [owner, name] = [inApp(of), identifier(column)];
  return definitionText(
    sql`with "gone" as (delete from ${into} "l" where "l"."record" = any (${ids}) and not exists (select from ${owner} "o" where "o"."id" = "l"."record" and "l"."refers" = any ("o".${name}))) insert into ${into} ("record", "refers") select distinct "o"."id", "one" from ${owner} "o", unnest("o".${name}) as "one" where "o"."id" = any (${ids}) on conflict do nothing`,
  );
};

export interface MaintainedSteps {
  readonly created: MigrationStep;
  /** Creates the triggers and the first rows. */
  readonly filled: readonly MigrationStep[];
  readonly references: readonly MigrationStep[];
}

/** The steps for a new table. `keep`: the statements for its triggers and for its first rows. */
export const createWithRows = (
  table: Table,
  keep: { readonly triggers: readonly string[]; readonly rows: string } | undefined,
): MaintainedSteps => {
  const sources = getSources(table);
  const [first] = sources;
  const inGroup = (step: MigrationStep, online: Omit<Online, "table" | "group">): MigrationStep =>
    first === undefined ? step : { ...step, online: { ...online, table: first.table, group: table.name } };
  const indexes = table.indexes.filter(({ later }) => later !== true);
  return {
    created: inGroup(createTable(table), { expand: createHidden(table), switch: showHidden(table) }),
    filled:
      keep === undefined
        ? []
        : [
            inGroup(
              { message: null, run: [...keep.triggers, keep.rows].join(";\n") },
              { switch: keep.triggers.join(";\n") },
            ),
            ...sources.map(
              (source, i): MigrationStep => ({
                message: null,
                run: "",
                online: {
                  table: source.table,
                  group: table.name,
                  backfill: {
                    clause: table.clause,
                    column: table.name,
                    value: "",
                    // The backfill of the first source writes all rows; those of the others write none.
                    where: i === 0 ? "true" : "false",
                    again: "true",
                    former: null,
                    turn: "derived",
                    follows: source.follows(inApp(nextName(table.name))),
                  },
                  switch: "",
                },
              }),
            ),
          ],
    references: [
      ...table.columns.flatMap((column) =>
        addReference(table, column).map((step) =>
          first === undefined ? step : inGroup(step, referenceOnline(table, column)),
        ),
      ),
      ...indexes.map((index) => {
        const step = createIndex(table, index);
        const rename = sql`alter index "app".${identifier(nextName(index.name))} rename to ${identifier(index.name)}`;
        return first === undefined
          ? step
          : inGroup(step, { switch: [rename, commentIndex(index)].map(definitionText).join(";\n") });
      }),
    ],
  };
};

/**
 * References to the sources exist from the start, because rows are deleted with their sources. Other references are
 * added at the switch.
 */
const referenceOnline = (table: Table, column: Column): Pick<Online, "switch" | "retire"> => {
  if (column.goesWith === true || column.references === null) return { switch: "" };
  return {
    switch: definitionText(sql`${addReferenceSql(table, column, column.references)} not valid`),
    retire: [validateConstraintSql(table, referenceName(table.name, column.name))],
  };
};

const createHidden = (table: Table): string => {
  const hidden = { ...table, name: nextName(table.name) };
  const columns = table.columns.map((column) => {
    const required = sql` constraint ${identifier(notNullName(table, column))} not null`;
    const own = columnSql({ ...column, required: false });
    return definitionText(column.required ? sql`${own}${required}` : own);
  });
  const checks = table.checks.map(
    (check) => `constraint ${definitionText(identifier(check.name))} check (${check.condition})`,
  );
  return [
    `create table ${definitionText(inApp(hidden.name))} (\n  ${[...columns, ...checks].join(",\n  ")}\n)`,
    definitionText(sql`comment on table ${inApp(hidden.name)} is ${constant(HIDDEN)}`),
    ...table.columns.flatMap((column) =>
      column.goesWith === true && column.references !== null
        ? [
            definitionText(
              sql`alter table ${inApp(hidden.name)} add constraint ${identifier(referenceName(table.name, column.name))} foreign key (${identifier(column.name)}) references ${inApp(column.references)} ("id") on delete cascade`,
            ),
          ]
        : [],
    ),
    ...table.indexes
      .filter(({ later }) => later !== true)
      .map((index) => createIndexSql(hidden, { ...index, name: nextName(index.name) })),
  ].join(";\n");
};

const showHidden = (table: Table): string => {
  const next = nextName(table.name);
  return [
    definitionText(sql`alter table ${inApp(next)} rename to ${identifier(table.name)}`),
    ...(table.columns.some(({ name }) => name === "id")
      ? [
          definitionText(
            sql`alter index "app".${identifier(`${next}_pkey`)} rename to ${identifier(`${table.name}_pkey`)}`,
          ),
        ]
      : []),
    ...clauseNotes({ ...table, indexes: [], exclusions: [] }),
  ].join(";\n");
};
