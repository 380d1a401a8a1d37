import type { Grant } from "../../../core/derive/authorization/grants.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import { areGranted, grantConditions } from "./permissions.ts";

/**
 * The person on whose behalf the caller acts on a record: NULL if the caller has the permission personally, otherwise a
 * person for whom they stand in. Undefined if the caller is nobody's deputy for this action.
 */
export const actingForSql = (grants: readonly Grant[], fields: Iterable<string>, env: SqlEnv): Sql | undefined => {
  const people = grants.flatMap(({ represented }) =>
    represented === undefined ? [] : [toSql(represented, env).value],
  );
  if (people.length === 0) return undefined;
  const own = grants.filter(({ represented }) => represented === undefined);
  const first = sql`(${join(people, " || ")})[1]`;
  return own.length === 0
    ? first
    : sql`CASE WHEN ${areGranted(own, fields, grantConditions(own, env))} THEN NULL ELSE ${first} END`;
};
