import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import { computedExpr, type Entity, type Field, isGiven, isStored, type Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { GIVEN } from "../aliases.ts";
import { type ColumnValues, rowEnv } from "./sql-env.ts";

/**
 * The record after the write: `given` selects all columns except computed ones. Computed columns use the expressions of
 * the table, so that the checks before the write can read them.
 */
export const candidateSql = (model: Model, entity: Entity, given: Sql): Sql => {
  const computed = [...entity.fields.values()].filter((field) => isStored(field) && computedExpr(field) !== null);
  if (computed.length === 0) return given;
  const env = rowEnv(model, entity, GIVEN.alias, { hasColumn: isGiven });
  const columns = computed.flatMap((field) => {
    const from = computedExpr(field);
    return from === null
      ? []
      : [sql`(${toSql(from, env).value})::${columnTypeSql(field)} AS ${identifier(field.name)}`];
  });
  return sql`SELECT ${join([sql`${GIVEN}.*`, ...columns], ", ")} FROM (${given}) AS ${GIVEN}`;
};

/**
 * Like `candidateSql`, as values instead of columns: given values, values computed from them, and the other columns of
 * an aliased row.
 */
export const candidateValues = (
  model: Model,
  entity: Entity,
  alias: string,
  given: ReadonlyMap<string, Sql>,
): ColumnValues => {
  const own: ColumnValues = (name) => sql`${identifier(alias)}.${identifier(name)}`;
  const env = rowEnv(model, entity, (name) => given.get(name) ?? own(name), { hasColumn: isGiven });
  const stays = (from: Expr): boolean =>
    [...collectReadSet(from).fields].every((name) => {
      const field = entity.fields.get(name);
      return field === undefined || (isGiven(field) && !given.has(name));
    });
  return (name) => {
    const field = entity.fields.get(name);
    const from = field === undefined || !isStored(field) ? null : computedExpr(field);
    if (field === undefined || from === null || stays(from)) return given.get(name) ?? own(name);
    return sql`(${toSql(from, env).value})::${columnTypeSql(field)}`;
  };
};

export const columnTypeSql = (field: Field): Sql => ({ kind: "sql", parts: [typeOfColumn(field)] });
