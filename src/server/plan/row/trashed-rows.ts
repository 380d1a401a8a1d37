import { grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findParts } from "../../../core/model/facts/parts.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import { type Alias, OTHER, TRASH } from "../aliases.ts";
import { asCondition, type ReadScope, readScope, rowFilterSql } from "./read-scope.ts";
import { rowColumnsSql, tableSql } from "./sql-env.ts";

/**
 * The trash holds the rows of deleted records as JSON, outside the tables of the application, so that no other
 * statement has to exclude them.
 */

/** The deleted records of an entity, as rows of its table under `alias`, beside `trash` itself. */
export const trashedRowsSql = (entity: Entity, alias: Alias): Sql =>
  sql`ninefold.trash AS ${TRASH} CROSS JOIN LATERAL jsonb_populate_record(NULL::${tableSql(entity)}, ${TRASH}.stored) AS ${alias}`;

/**
 * The condition that a row of the trash is a record of the entity that was itself deleted, recently enough to be
 * restored.
 */
export const isTrashed = ({ limits }: Pick<Model, "limits">, entity: Entity): Sql =>
  sql`${TRASH}.entity = ${constant(entity.name)} AND ${TRASH}.record = ${TRASH}.root AND ${TRASH}.at > ${slot("now", "timestamptz")} - ${constant(`${limits.trashDays} days`)}::interval`;

/** The read scope of the caller on a deleted record, as it was, with its parts. */
export const trashScope = (model: Model, entity: Entity, principal: Principal, { alias }: Alias): ReadScope =>
  readScope(model, entity, principal, alias, tablesWithTrash(model, entity));

/** The condition that the caller could read and delete the record, as it was, with its parts. */
export const couldDelete = (model: Model, entity: Entity, principal: Principal, alias: Alias): Sql => {
  const { rows, env } = trashScope(model, entity, principal, alias);
  const deletable = rowFilterSql(grantsFor(model, entity, "delete", principal), env);
  return sql`${asCondition(rows)} AND ${asCondition(deletable)}`;
};

/** The tables before the deletion, so that conditions can read the record and its parts. */
const tablesWithTrash = (model: Model, entity: Entity): NonNullable<SqlEnv["table"]> => {
  const trashed = new Map(withParts(model, entity).map((item) => [item.name, item]));
  return ({ name, table }) => {
    const one = trashed.get(name);
    const stored = sql`"app".${identifier(table)}`;
    if (one === undefined) return { sql: stored, hides: () => false };
    const columns = rowColumnsSql(one);
    const also = identifier("also");
    return {
      sql: sql`(SELECT ${columns} FROM ${stored} UNION ALL SELECT ${columns} FROM (SELECT ${OTHER}.* FROM ninefold.trash AS ${also} CROSS JOIN LATERAL jsonb_populate_record(NULL::${stored}, ${also}.stored) AS ${OTHER} WHERE ${also}.root = ${TRASH}.root AND ${also}.entity = ${constant(name)}) AS ${OTHER})`,
      hides: () => false,
    };
  };
};

const withParts = (model: Model, entity: Entity): readonly Entity[] => [
  entity,
  ...findParts(model, entity).flatMap((part) => withParts(model, part.entity)),
];
