import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { readSetOf } from "../../../core/expression/inspect/read-set.ts";
import { type Entity, type Field, isGiven, isStored, type Model, madeOf } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { type ColumnValues, rowEnv } from "./sql-env.ts";

/** The fields that a write gives a value, as they stand before anything is computed. */
const GIVEN = "g";

/**
 * The record as it would be: `given` selects its columns, those that are computed aside. They are computed here as the
 * table will compute them, so that what judges the write, before it, reads them too.
 */
export const candidateSql = (model: Model, entity: Entity, given: Sql): Sql => {
  const computed = [...entity.fields.values()].filter((field) => isStored(field) && madeOf(field) !== null);
  if (computed.length === 0) return given;
  const env = rowEnv(model, entity, GIVEN, { hasColumn: isGiven });
  const columns = computed.flatMap((field) => {
    const from = madeOf(field);
    return from === null
      ? []
      : [sql`(${toSql(from, env).value})::${columnTypeSql(field)} AS ${identifier(field.name)}`];
  });
  return sql`SELECT ${join([sql`${identifier(GIVEN)}.*`, ...columns], ", ")} FROM (${given}) AS ${identifier(GIVEN)}`;
};

/**
 * The same as values in the place of columns: those that are given, what is computed of them, and the rest as it stands in
 * the row of an alias.
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
    [...readSetOf(from).fields].every((name) => {
      const field = entity.fields.get(name);
      return field === undefined || (isGiven(field) && !given.has(name));
    });
  return (name) => {
    const field = entity.fields.get(name);
    const from = field === undefined || !isStored(field) ? null : madeOf(field);
    if (field === undefined || from === null || stays(from)) return given.get(name) ?? own(name);
    return sql`(${toSql(from, env).value})::${columnTypeSql(field)}`;
  };
};

export const columnTypeSql = (field: Field): Sql => ({ kind: "sql", parts: [typeOfColumn(field)] });
