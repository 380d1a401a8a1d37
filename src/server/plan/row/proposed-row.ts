import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { keptUntil, listKeptUntil } from "../../../core/model/facts/kept-fields.ts";
import { computedExpr, type Field, isPlainColumn, isStored, type KeptUntil } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { GIVEN } from "../aliases.ts";
import { type ColumnValues, rowEnv } from "./sql-env.ts";

const keptColumn = (name: string): Sql => identifier(`kept:${name}`);
const dueColumn = (name: string): Sql => identifier(`due:${name}`);

/** True if a write recomputes a stored value: it makes a named transition, or changes a named field. */
const isDue = (
  { fields, transitions }: KeptUntil,
  action: string,
  own: ColumnValues,
  assigned: (name: string) => Sql | undefined,
): Sql | undefined => {
  if (transitions.includes(action)) return sql`TRUE`;
  const changes = fields.flatMap((name) => {
    const value = assigned(name);
    return value === undefined ? [] : [sql`${own(name)} IS DISTINCT FROM ${value}`];
  });
  return changes.length === 0 ? undefined : sql`(${join(changes, " OR ")})`;
};

/**
 * Columns that `candidateSql` needs for a change: the stored computed values before it, and whether each is recomputed.
 */
export const beforeKept = (
  entity: Entity,
  action: string,
  own: ColumnValues,
  assigned: (name: string) => Sql | undefined,
): readonly Sql[] =>
  listKeptUntil(entity).flatMap((field) => {
    const until = keptUntil(field);
    if (until === undefined) return [];
    const isDueSql = isDue(until, action, own, assigned) ?? sql`FALSE`;
    return [sql`${own(field.name)} AS ${keptColumn(field.name)}`, sql`${isDueSql} AS ${dueColumn(field.name)}`];
  });

/**
 * The record after the write. `columns` selects all columns except computed ones and, for a change, those of
 * `beforeKept`. Computed columns use the expressions of the table, so that checks before the write can read them.
 */
export const candidateSql = (model: Model, entity: Entity, columns: Sql, write: "creation" | "change"): Sql => {
  const computed = [...entity.fields.values()].filter((field) => isStored(field) && computedExpr(field) !== null);
  if (computed.length === 0) return columns;
  const known = new Set<Field>();
  const columnValue = (field: Field): Sql => {
    const from = computedExpr(field);
    if (from === null) throw new Error(`${field.name} is not computed`);
    const env = rowEnv(model, entity, GIVEN.alias, { hasColumn: (one) => isPlainColumn(one) || known.has(one) });
    return sql`(${toSql(from, env).value})::${columnTypeSql(field)}`;
  };
  const withColumns = (rows: Sql, columns: readonly Sql[]): Sql =>
    columns.length === 0 ? rows : sql`SELECT ${join([sql`${GIVEN}.*`, ...columns], ", ")} FROM (${rows}) AS ${GIVEN}`;
  let rows = columns;
  for (const field of listKeptUntil(entity)) {
    const value =
      write === "creation"
        ? columnValue(field)
        : sql`CASE WHEN ${GIVEN}.${dueColumn(field.name)} THEN ${columnValue(field)} ELSE ${GIVEN}.${keptColumn(field.name)} END`;
    rows = withColumns(rows, [sql`${value} AS ${identifier(field.name)}`]);
    known.add(field);
  }
  return withColumns(
    rows,
    computed
      .filter((field) => !known.has(field))
      .map((field) => sql`${columnValue(field)} AS ${identifier(field.name)}`),
  );
};

/**
 * Like `candidateSql`, but as values instead of columns: sent values, values computed from them, and the other columns
 * of an aliased row.
 */
export const candidateValues = (
  model: Model,
  entity: Entity,
  alias: string,
  assigned: ReadonlyMap<string, Sql>,
  action: string,
): ColumnValues => {
  const own: ColumnValues = (name) => sql`${identifier(alias)}.${identifier(name)}`;
  const keptValue = (name: string): Sql | undefined => {
    const field = entity.fields.get(name);
    const until = keptUntil(field);
    const from = field === undefined ? null : computedExpr(field);
    if (field === undefined || until === undefined || from === null) return undefined;
    const isDueSql = isDue(until, action, own, (item) => assigned.get(item));
    if (isDueSql === undefined) return own(name);
    return sql`(CASE WHEN ${isDueSql} THEN (${toSql(from, env).value})::${columnTypeSql(field)} ELSE ${own(name)} END)`;
  };
  const env: ReturnType<typeof rowEnv> = rowEnv(
    model,
    entity,
    (name) => assigned.get(name) ?? keptValue(name) ?? own(name),
    { hasColumn: (field) => isPlainColumn(field) || keptUntil(field) !== undefined },
  );
  const isUnchanged = (from: Expr): boolean =>
    [...collectReadSet(from).fields].every((name) => {
      const field = entity.fields.get(name);
      return field === undefined || (isPlainColumn(field) && !assigned.has(name));
    });
  return (name) => {
    const field = entity.fields.get(name);
    const from = field === undefined || !isStored(field) ? null : computedExpr(field);
    if (field === undefined || from === null || isUnchanged(from)) return assigned.get(name) ?? own(name);
    const stored = keptValue(name);
    if (stored !== undefined) return stored;
    return sql`(${toSql(from, env).value})::${columnTypeSql(field)}`;
  };
};

export const columnTypeSql = (field: Field): Sql => ({ kind: "sql", parts: [typeOfColumn(field)] });
