import { grantsFor, isUnconditional, type Principal } from "../../../core/derive/authorization/grants.ts";
import { BRING_BACK } from "../../../core/model/write-actions.ts";
import { constant, identifier, slot, sql, withSlots } from "../../../core/sql.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { CURRENT, ENTRIES, OWN_LINES, TABLE } from "../aliases.ts";
import { type Caller, callerParams, NOBODY, type PlanContext, principalKey } from "../context.ts";
import { toQuery } from "../statements.ts";
import { asCondition, readScope } from "./read-scope.ts";
import { tableSql } from "./sql-env.ts";

/** True if the caller sees each record of an entity; undefined if that depends on the record. */
export const seesAllOrNone = ({ model }: PlanContext, name: string, principal: Principal): boolean | undefined => {
  const entity = model.entities.get(name);
  const grants = entity === undefined ? [] : grantsFor(model, entity, "read", principal);
  return grants.length === 0 ? false : isUnconditional(grants) ? true : undefined;
};

/** The id by which `changeAudienceSql` knows a principal. */
export const toReaderId = ({ id }: Principal): string => id ?? NOBODY;

/** The reader of a row of `changeAudienceSql`. */
export const decodeReader = (row: Row): string => String(row.reader);

/**
 * Selects those readers who see a record of these audit lines, before or after the change. Changes of invisible records
 * are not announced. `caller`: any of the readers, who have the same roles.
 */
export const changeAudienceSql = (
  { model, statements }: PlanContext,
  name: string,
  lines: readonly number[],
  readers: readonly string[],
  caller: Caller,
): Query => {
  const written = statements.get(["noticed", name, principalKey(caller.principal)], () => {
    const entity = model.entities.get(name);
    if (entity === undefined) throw new Error(`no entity ${name}`);
    const seen = withSlots(asCondition(readScope(model, entity, caller.principal, TABLE.alias).rows), {
      user: sql`"readers"."reader"`,
    });
    const table = tableSql(entity);
    const first = identifier("first");
    return {
      more: undefined,
      sql: sql`WITH ${OWN_LINES} AS MATERIALIZED (SELECT id, record, action, changes FROM ninefold.audit WHERE id = ANY(${slot("lines", "bigint[]")}) AND entity = ${constant(name)}),
        ${first} AS (SELECT DISTINCT ON (record) record, action FROM ${OWN_LINES} ORDER BY record, id),
        "was" AS (SELECT record, jsonb_object_agg(key, value) AS "values" FROM (SELECT DISTINCT ON (${OWN_LINES}.record, ${ENTRIES}.key) ${OWN_LINES}.record, ${ENTRIES}.key, ${ENTRIES}.value -> 0 AS value FROM ${OWN_LINES}, jsonb_each(${OWN_LINES}.changes) AS ${ENTRIES} ORDER BY ${OWN_LINES}.record, ${ENTRIES}.key, ${OWN_LINES}.id) AS "each" GROUP BY record),
        "records" AS MATERIALIZED (SELECT ${TABLE}.* FROM ${table} AS ${TABLE} WHERE ${TABLE}."id" IN (SELECT record FROM ${OWN_LINES})
          UNION ALL SELECT ${TABLE}.* FROM ${first} LEFT JOIN ${table} AS ${CURRENT} ON ${CURRENT}."id" = ${first}.record LEFT JOIN "was" ON "was".record = ${first}.record
            CROSS JOIN LATERAL jsonb_populate_record(${CURRENT}, COALESCE("was"."values", '{}') || jsonb_build_object('id', ${first}.record)) AS ${TABLE}
            WHERE ${first}.action NOT IN ('create', ${constant(BRING_BACK)}))
        SELECT "readers"."reader" FROM unnest(${slot("readers", "uuid[]")}) AS "readers" ("reader") WHERE EXISTS (SELECT FROM "records" AS ${TABLE} WHERE ${seen})`,
    };
  });
  return toQuery(written, { ...callerParams(caller), lines, readers });
};
