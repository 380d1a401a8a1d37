import type { Grant } from "../../../core/derive/authorization/grants.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { computedExpr } from "../../../core/model/field.ts";
import { fieldNameAt, type Past, valueSince } from "../../../core/model/renaming.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { LINES } from "../aliases.ts";
import type { PlanContext } from "../context.ts";
import { type BooleanColumn, booleanColumn, readColumn, selectAs } from "../result-columns.ts";
import { rowFilterSql } from "../row/read-scope.ts";
import { rowEnv } from "../row/sql-env.ts";

/*
 * The read grants that cover a record now, and those that covered it after each line of its history. Other records, the
 * caller's properties and the time are taken as of now.
 */

/** For each grant, true if it covers the record. */
type Open = readonly boolean[];

export interface PastVisibility {
  /** Joins that reconstruct the record after the line `a`. */
  readonly joined: Sql;
  readonly columns: readonly Sql[];
  readonly read: (row: Row) => { readonly now: Open; readonly after: Open };
}

const openColumn = (when: "now" | "then", nth: number): BooleanColumn => booleanColumn(`${when}:${nth}`);

/** `current` is the alias of the current record, `lines` that of its newest lines. */
export const selectPastVisibility = (
  { model, past }: PlanContext,
  entity: Entity,
  grants: readonly Grant[],
  current: string,
  lines: string,
): PastVisibility => {
  const conditional = grants.flatMap((grant, i) => (grant.conditions.length === 0 ? [] : [{ grant, i }]));
  const columns = (["now", "then"] as const).flatMap((when) => {
    const env = rowEnv(model, entity, when === "now" ? current : "then");
    return conditional.map(({ grant, i }) => {
      const condition = rowFilterSql([grant], env) ?? sql`TRUE`;
      return selectAs(sql`COALESCE(${condition}, FALSE)`, openColumn(when, i));
    });
  });
  const openIn = (row: Row, when: "now" | "then"): Open =>
    grants.map(({ conditions }, i) => conditions.length === 0 || readColumn(row, openColumn(when, i)) === true);
  const fields = [
    ...collectColumnsRead(
      entity,
      conditional.map(({ grant }) => grant),
    ),
  ];
  // A line stores the values before it, so the first later line with the field has the value after line `a`.
  const firstAfter = (name: string): Sql =>
    sql`(SELECT ${valueBeforeSql(past, entity, name)} FROM ${identifier(lines)} AS "later" CROSS JOIN LATERAL (SELECT ${entrySql(past, entity, name)} AS said) AS "each"
      WHERE "later".id > ${LINES}.id AND "each".said IS NOT NULL ORDER BY "later".id LIMIT 1)`;
  const valuesThen =
    fields.length === 0
      ? sql`'{}'::jsonb`
      : sql`JSON_OBJECT(${join(
          fields.map((name) => sql`${constant(name)} : ${firstAfter(name)}`),
          ", ",
        )} ABSENT ON NULL RETURNING jsonb)`;
  return {
    columns,
    joined:
      conditional.length === 0
        ? sql``
        : sql`CROSS JOIN LATERAL (SELECT ${valuesThen} AS "values") AS "held"
          CROSS JOIN LATERAL jsonb_populate_record(${identifier(current)}, "held"."values") AS "then"`,
    read: (row) => ({ now: openIn(row, "now"), after: openIn(row, "then") }),
  };
};

/** The columns that the grants read, including inputs of computed fields. */
const collectColumnsRead = (entity: Entity, grants: readonly Grant[]): ReadonlySet<string> => {
  const read = new Set<string>();
  const visit = (name: string): void => {
    const field = entity.fields.get(name);
    if (field === undefined || read.has(name)) return;
    read.add(name);
    const from = computedExpr(field);
    if (from !== null) for (const item of collectReadSet(from).fields) visit(item);
  };
  for (const { conditions } of grants)
    for (const condition of conditions) for (const name of collectReadSet(condition).fields) visit(name);
  return read;
};

/**
 * The entry of a field in a line, under its name of that time: `changes -> 'due'`, if `due_day` had that name before
 * version 3.
 */
const entrySql = (past: Past, entity: Entity, name: string): Sql =>
  sql`"later".changes -> ${byVersion(past, (document) => constant(fieldNameAt(past, document, entity.name, name)), constant(name))}`;

/** The value of a field before a line, with current names of values. */
const valueBeforeSql = (past: Past, entity: Entity, name: string): Sql => {
  const valueThen = sql`"each".said -> 0`;
  const old = [...new Set(past.flatMap((renaming) => (renaming.of === "value" ? [renaming.old] : [])))];
  if ((entity.fields.get(name)?.values.length ?? 0) === 0 || old.length === 0) return valueThen;
  const renamed = (document: number): Sql =>
    sql`CASE "each".said ->> 0 ${join(
      old.map(
        (value) =>
          sql`WHEN ${constant(value)} THEN to_jsonb(${constant(valueSince(past, document, entity.name, name, value))}::text)`,
      ),
      " ",
    )} ELSE ${valueThen} END`;
  return byVersion(past, renamed, valueThen);
};

/** Selects by the document version of a line. */
const byVersion = (past: Past, then: (document: number) => Sql, now: Sql): Sql => {
  const versions = [...new Set(past.map(({ document }) => document))].sort((a, b) => a - b);
  if (versions.length === 0) return now;
  const cases = versions.map((version) => sql`WHEN "later".document < ${constant(version)} THEN ${then(version - 1)}`);
  return sql`CASE ${join(cases, " ")} ELSE ${now} END`;
};
