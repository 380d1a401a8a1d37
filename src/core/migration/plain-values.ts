import { rowEnv } from "../derive/sql/row-env.ts";
import { anonymousSlots, columnType, typeOfColumn } from "../derive/tables/columns.ts";
import type { Column, Table } from "../derive/tables/table.ts";
import { toSql } from "../expression/compile/to-sql.ts";
import { say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import { computedExpr, type Field, isPlainColumn } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import { constant, definitionText, identifier, type Sql, sql, withSlots } from "../sql.ts";
import { notComputed } from "./diff/change-generated.ts";
import type { MigrationStep } from "./migration-step.ts";
import { findFormer } from "./narrowed-bounds.ts";
import { hiddenComment } from "./phases.ts";
import type { Before } from "./rename/rename-step.ts";

/*
 * Computed values that become entered ones, or that others are converted from, keep their last computed value. These
 * steps come first, while the tables are still those of the earlier version, whose formulas read them.
 */

interface PlainValues {
  readonly steps: readonly MigrationStep[];
  readonly tables: readonly Table[];
}

const alterTable = (table: string, what: Sql): string =>
  definitionText(sql`alter table "app".${identifier(table)} ${what}`);

/** Turns computed columns into plain ones. `tables` are the live ones, under the names of the earlier version. */
export const makeValuesPlain = (tables: readonly Table[], model: Model, before: Before): PlainValues => {
  const earlier = before === null || !isFullModel(before) ? undefined : before;
  if (earlier === undefined) return { steps: [], tables };
  const steps: MigrationStep[] = [];
  const changed = new Map<string, Table>();
  for (const entity of model.entities.values()) {
    const was = findFormer(earlier.entities, "entity", entity.name, null, model);
    const table = tables.find(
      ({ name, rowMaintenance, links }) => name === was?.table && rowMaintenance === undefined && links === undefined,
    );
    if (was === undefined || table === undefined || entity.rows !== null) continue;
    let known = table;
    for (const field of was.fields.values()) {
      if (computedExpr(field) === null) continue;
      const now = findEntered(entity, field, model);
      if (now === undefined && !isRead(entity, field)) continue;
      const done = makePlain(known, field, now, was, earlier);
      steps.push(...done.steps);
      known = done.table;
    }
    if (known !== table) changed.set(table.name, known);
  }
  return { steps, tables: tables.map((table) => changed.get(table.name) ?? table) };
};

/** Parts of an earlier model suffice for names; formulas need all of it. */
const isFullModel = (before: NonNullable<Before>): before is Model => "timezone" in before;

/** The entered field of the new version that was computed before. */
const findEntered = (entity: Entity, { name }: Field, model: Model): Field | undefined =>
  [...entity.fields.values()].find(
    (field) =>
      isPlainColumn(field) &&
      field.former.length === 0 &&
      (field.name === name ||
        model.renamings.some(
          (renaming) =>
            renaming.of === "field" &&
            renaming.entity === entity.name &&
            renaming.now === field.name &&
            renaming.old === name,
        )),
  );

const isRead = (entity: Entity, { name }: Field): boolean =>
  [...entity.fields.values()].some(({ former }) => former.some((former) => former.name === name));

const makePlain = (
  table: Table,
  field: Field,
  now: Field | undefined,
  entity: Entity,
  model: Model,
): { readonly table: Table; readonly steps: readonly MigrationStep[] } => {
  const from = computedExpr(field);
  const message = now === undefined ? null : say("step.plain", { clause: now.clause.id });
  const known = table.columns.find(({ name }) => name === field.name);
  const withColumn = (column: Column): Table => ({
    ...table,
    columns:
      known === undefined
        ? [...table.columns, column]
        : table.columns.map((other) => (other === known ? column : other)),
  });
  if (known !== undefined) {
    const { generated, byTrigger, ...plain } = known;
    const column: Column = { ...plain, wasComputed: true };
    if (generated === undefined) return { table: withColumn(column), steps: [{ message, run: "" }] };
    return {
      table: withColumn(column),
      steps: [{ message, run: notComputed(table, known).join(";\n") }],
    };
  }
  if (from === null) return { table, steps: [] };
  const name = identifier(field.name);
  const type: Sql = { kind: "sql", parts: [typeOfColumn(field)] };
  const initial = field.many ? "'{}'" : field.type === "boolean" ? "false" : null;
  const value = withSlots(toSql(from, rowEnv(model, entity, entity.table)).value, anonymousSlots(model));
  const order = typeOfColumn(field) === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const comment = definitionText(
    sql`comment on column "app".${identifier(table.name)}.${name} is ${constant(`clause ${field.clause.id}`)}`,
  );
  const start: Sql = initial === null ? sql`` : sql` not null default ${{ kind: "sql", parts: [initial] }}`;
  const add = alterTable(table.name, sql`add column ${name} ${type}${order}${start}`);
  return {
    table: withColumn({
      name: field.name,
      type: columnType(field),
      required: initial !== null,
      references: null,
      initial,
      wasComputed: true,
      clause: field.clause.id,
    }),
    steps: [
      {
        message,
        run: [
          add,
          comment,
          definitionText(sql`update "app".${identifier(table.name)} set ${name} = (${value})::${type}`),
        ].join(";\n"),
        online: {
          table: table.name,
          readsFormer: true,
          expand: [add, hiddenComment(table.name, field.name)].join(";\n"),
          backfill: {
            clause: field.clause.id,
            column: field.name,
            value: definitionText(sql`(${value})::${type}`),
            where: "true",
            again: "true",
            former: null,
            turn: "derived",
          },
          switch: comment,
        },
      },
    ],
  };
};
