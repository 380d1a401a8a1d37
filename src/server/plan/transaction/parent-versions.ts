import type { Entity, Model } from "../../../core/model/model.ts";
import { findParents } from "../../../core/model/parts.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { tableSql } from "../row/sql-env.ts";

/*
 * A part is a piece of its record: who writes one by its own call writes that record too. Its version goes up, so that
 * whoever has it open in a form notices, and so do the versions of the records that it is itself a part of.
 */

/** Table expressions, each with a comma before it, that raise the versions of the wholes of what `written` names. */
export const bumpParentVersions = (model: Model, entity: Entity, written: string): Sql =>
  join(
    findParents(model, entity).map((whole, i) => {
      const name = `${written}^${i}`;
      return sql`, ${identifier(name)} AS (UPDATE ${tableSql(whole.entity)} AS "u" SET "version" = "u"."version" + 1, "updated_at" = ${slot("now", "timestamptz")} FROM ${identifier(written)} AS "w" WHERE "u"."id" = "w".${identifier(whole.field.name)} RETURNING "u".*)${bumpParentVersions(model, whole.entity, name)}`;
    }),
    "",
  );

/**
 * A condition that is true and locks the wholes first: a form locks a record before its parts, and of two that lock in
 * different orders one would have to be ended. `of` selects the whole's id from the part.
 */
export const lockParents = (model: Model, entity: Entity, idOf: (reference: string) => Sql): Sql => {
  const locks = findParents(model, entity).map(
    ({ entity: whole, field }) =>
      sql`(SELECT count(*) FROM (SELECT FROM ${tableSql(whole)} AS "x" WHERE "x"."id" = ${idOf(field.name)} FOR NO KEY UPDATE) AS "x") >= 0`,
  );
  return locks.length === 0 ? sql`TRUE` : join(locks, " AND ");
};
