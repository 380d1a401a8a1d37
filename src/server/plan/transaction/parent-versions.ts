import type { Entity } from "../../../core/model/entity.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { BELOW, OTHER, PARENTS } from "../aliases.ts";
import { tableSql } from "../row/sql-env.ts";
import { updateSql } from "./update-sql.ts";

/*
 * A write of a part counts as a write of its parent: it raises the version of the parent and its ancestors, so that an
 * open form of the parent detects the conflict.
 */

/** Table expressions, each after a comma, that raise the versions of the parents of `written`. */
export const bumpParentVersions = (model: Model, entity: Entity, written: string): Sql =>
  join(
    findParents(model, entity).map((parent, i) => {
      const name = `${written}^${i}`;
      return sql`, ${identifier(name)} AS (${updateSql(parent.entity, PARENTS.alias, { from: sql`FROM ${identifier(written)} AS ${BELOW} WHERE ${PARENTS}."id" = ${BELOW}.${identifier(parent.field.name)}` })} RETURNING ${PARENTS}.*)${bumpParentVersions(model, parent.entity, name)}`;
    }),
    "",
  );

/**
 * A condition that is always true and locks the parents first. A form locks a record before its parts, and the opposite
 * order would deadlock. `idOf` selects the parent's id from the part.
 */
export const lockParents = (model: Model, entity: Entity, idOf: (reference: string) => Sql): Sql => {
  const locks = findParents(model, entity).map(
    ({ entity: parent, field }) =>
      sql`(SELECT count(*) FROM (SELECT FROM ${tableSql(parent)} AS ${OTHER} WHERE ${OTHER}."id" = ${idOf(field.name)} FOR NO KEY UPDATE) AS ${OTHER}) >= 0`,
  );
  return locks.length === 0 ? sql`TRUE` : join(locks, " AND ");
};
