import { typeOfColumn } from "../../core/derive/tables.ts";
import { type Entity, type Field, isGiven, isStored, type Model, madeOf } from "../../core/model/model.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import { environmentOf } from "./environment.ts";

/** The fields that a write gives a value, as they stand before anything is computed. */
const GIVEN = "g";

/**
 * The record as it would be: `given` selects its columns, those that are computed aside. They are computed here as the
 * table will compute them, so that what judges the write, before it, reads them too.
 */
export const candidateOf = (model: Model, entity: Entity, given: Sql): Sql => {
  const computed = [...entity.fields.values()].filter((field) => isStored(field) && madeOf(field) !== null);
  if (computed.length === 0) return given;
  const env = environmentOf(model, entity, GIVEN, { hasColumn: isGiven });
  const columns = computed.flatMap((field) => {
    const from = madeOf(field);
    return from === null ? [] : [sql`(${toSql(from, env).value})::${columnTypeOf(field)} AS ${identifier(field.name)}`];
  });
  return sql`SELECT ${join([sql`${identifier(GIVEN)}.*`, ...columns], ", ")} FROM (${given}) AS ${identifier(GIVEN)}`;
};

export const columnTypeOf = (field: Field): Sql => ({ kind: "sql", parts: [typeOfColumn(field)] });
