import { findUserKey, getOperands, type Key } from "../../core/derive/authorization/access-paths.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Expr } from "../../core/expression/expr.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { HeldRole } from "../../core/model/permissions.ts";
import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import { callerParams } from "../plan/context.ts";
import { lookupSql } from "../plan/read/page-sql.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import type { Service } from "./service.ts";

/**
 * Of the roles on records that deputies can have, those that a person certainly holds on no record, such as the manager of
 * nobody. Only indexes are asked: a role whose condition has no keys counts as held.
 */
export const findUnheldRoles = async (
  { context, database, caller }: Service,
  person: Principal,
  now: Date,
): Promise<ReadonlySet<HeldRole>> => {
  const { model, statements } = context;
  const handed = model.deputies?.roles ?? new Set();
  const asked = [...model.entities.values()].flatMap((entity) =>
    [...entity.roles.values()].flatMap((role) => {
      if (role.from !== null || !handed.has(role.name)) return [];
      const held = isHeldSql(entity, role);
      return held === null ? [] : [{ role, held }];
    }),
  );
  if (asked.length === 0) return new Set();
  const written = statements.get(["roles handed over"], () => ({
    more: undefined,
    sql: sql`SELECT ARRAY[${join(
      asked.map(({ held }) => held),
      ", ",
    )}] AS "held"`,
  }));
  const [row] = await database.query(toQuery(written, callerParams(caller(person, now))));
  const held = Array.isArray(row?.held) ? row.held : [];
  return new Set(asked.flatMap(({ role }, nth) => (held[nth] === false ? [role] : [])));
};

/** True for somebody who holds the role on a record; null if no index says so. */
const isHeldSql = (entity: Entity, role: HeldRole): Sql | null => {
  const keys = findRoleKeys(role, (conjuncts) => conjuncts.flatMap((one) => findUserKey(one) ?? [])[0]);
  return keys && isAnyKeyHeldSql(entity, keys, (key) => lookupSql(key));
};

/** The keys of the alternatives in a role's condition; null if one has none. */
export const findRoleKeys = (
  { condition }: HeldRole,
  findKey: (conjuncts: readonly Expr[]) => Key | undefined,
): readonly Key[] | null => {
  const keys = getOperands(condition, "boolean || boolean").map((either) =>
    findKey(getOperands(either, "boolean && boolean")),
  );
  return keys.every((key) => key !== undefined && (key.by !== "id" || key.path.length > 0))
    ? keys.flatMap((key) => key ?? [])
    : null;
};

/** True if somebody is at the end of one of the keys. */
export const isAnyKeyHeldSql = (entity: Entity, keys: readonly Key[], lookup: (key: Key) => Sql): Sql => {
  const found = keys.map((key) =>
    key.path.length > 0
      ? sql`EXISTS (${lookup(key)})`
      : sql`EXISTS (SELECT FROM ${tableSql(entity)} WHERE ${identifier(key.by)} IN (${lookup(key)}))`,
  );
  return sql`(${join(found, " OR ")})`;
};
