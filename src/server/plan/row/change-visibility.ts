import { grantsFor, isUnconditional } from "../../../core/derive/authorization/grants.ts";
import { BRING_BACK } from "../../../core/model/moments.ts";
import { constant, identifier, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import { CURRENT, ENTRIES, OWN_LINES, TABLE } from "../aliases.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../context.ts";
import { toQuery } from "../statements.ts";
import { asCondition, readScope } from "./read-scope.ts";
import { tableSql } from "./sql-env.ts";

/**
 * The condition that the caller sees a record of these audit lines, before or after the change; a boolean if no query
 * is needed. Changes of invisible records are not announced.
 */
export const changeVisibilitySql = (
  { model, statements }: PlanContext,
  name: string,
  lines: readonly number[],
  caller: Caller,
): boolean | Query => {
  const entity = model.entities.get(name);
  if (entity === undefined) return false;
  const grants = grantsFor(model, entity, "read", caller.principal);
  if (grants.length === 0 || isUnconditional(grants)) return grants.length > 0;
  const written = statements.get(["noticed", name, principalKey(caller.principal)], () => {
    const seen = asCondition(readScope(model, entity, caller.principal, TABLE.alias).rows);
    const table = tableSql(entity);
    const first = identifier("first");
    return {
      more: undefined,
      sql: sql`WITH ${OWN_LINES} AS MATERIALIZED (SELECT id, record, action, changes FROM ninefold.audit WHERE id = ANY(${slot("lines", "bigint[]")}) AND entity = ${constant(name)}),
        ${first} AS (SELECT DISTINCT ON (record) record, action FROM ${OWN_LINES} ORDER BY record, id),
        "was" AS (SELECT record, jsonb_object_agg(key, value) AS "values" FROM (SELECT DISTINCT ON (${OWN_LINES}.record, ${ENTRIES}.key) ${OWN_LINES}.record, ${ENTRIES}.key, ${ENTRIES}.value -> 0 AS value FROM ${OWN_LINES}, jsonb_each(${OWN_LINES}.changes) AS ${ENTRIES} ORDER BY ${OWN_LINES}.record, ${ENTRIES}.key, ${OWN_LINES}.id) AS "each" GROUP BY record)
        SELECT EXISTS (SELECT FROM ${table} AS ${TABLE} WHERE ${TABLE}."id" IN (SELECT record FROM ${OWN_LINES}) AND ${seen})
          OR EXISTS (SELECT FROM ${first} LEFT JOIN ${table} AS ${CURRENT} ON ${CURRENT}."id" = ${first}.record LEFT JOIN "was" ON "was".record = ${first}.record
            CROSS JOIN LATERAL jsonb_populate_record(${CURRENT}, COALESCE("was"."values", '{}') || jsonb_build_object('id', ${first}.record)) AS ${TABLE}
            WHERE ${first}.action NOT IN ('create', ${constant(BRING_BACK)}) AND ${seen}) AS "noticed"`,
    };
  });
  return toQuery(written, { ...callerParams(caller), lines });
};
