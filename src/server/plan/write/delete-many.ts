import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { findGuardReads, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, slot, sql } from "../../../core/sql.ts";
import { forbid, type Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { CHECKED, CURRENT, LINES, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { actingForSql } from "../checks/acting-for.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { booleanColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { refusedAction } from "../row/refused-access.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import { constraintRefusal } from "../transaction/constraint-errors.ts";
import { decodeDeletedParts, deletedPartsColumns, deleteRowsSql } from "../transaction/delete-rows.ts";
import { lockStatements, takeLocksSql } from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { asWrittenRows, writtenRowJson } from "../transaction/write-set.ts";
import { tableAs, withTables, writeStatementSql } from "../transaction/write-statement.ts";
import { deletedEntities } from "./delete.ts";
import { describeLocks, describeTrigger, permissionRefusals, ruleRefusals } from "./describe-write.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";

const ALL_DELETED = booleanColumn("is:done");
const DELETED = resultColumn("is:gone", asWrittenRows);

/**
 * Plans the deletion of several records, all or none, in one statement. Each is checked as if it were deleted alone.
 * Rules of other records are checked at the end, for all of them.
 */
export const planDeleteMany = (
  context: PlanContext,
  entity: Entity,
  ids: readonly string[],
  caller: Caller,
  format: Format,
  endpoint?: EndpointBatch,
): WritePlan<Done> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const grants = grantsFor(model, entity, "delete", principal);
  const clause = decidingClauseId(entity, "delete");
  const refused = (): Refusal => forbid(clause, refusedAction(model, caller, entity, "delete"));
  if (grants.length === 0) return refused();
  const guards = findGuardReads(model, entity, "delete");
  const condition = sql`${TABLE}."id" = ANY(${slot("ids", "uuid[]")})`;
  const touched = { model, entity, changed: null, sides: { was: CURRENT.alias, is: null }, states: null };
  const locks = context.statements.list(["lock all", entity.name], () =>
    guards.length === 0
      ? []
      : lockStatements(touched, { guards }).map((rows) =>
          withTables(
            [tableAs(CURRENT, sql`SELECT * FROM ${tableSql(entity)} AS ${TABLE} WHERE ${condition}`)],
            takeLocksSql(rows),
          ),
        ),
  );
  const statement = context.statements.get(["delete all", entity.name, principalKey(principal)], () => {
    const parentLocks = lockParents(
      model,
      entity,
      (name) =>
        sql`ANY(ARRAY(SELECT ${TABLE}.${identifier(name)} FROM ${tableSql(entity)} AS ${TABLE} WHERE ${condition}))`,
    );
    const current = sql`SELECT * FROM ${tableSql(entity)} AS ${TABLE} WHERE ${condition} AND ${parentLocks} AND ${asCondition(readScope(model, entity, principal, TABLE.alias).rows)} ORDER BY ${TABLE}."id" FOR UPDATE`;
    const row = writtenRowJson({
      id: sql`${CURRENT}."id"`,
      line: sql`${LINES}."id"`,
      before: sql`to_jsonb(${CURRENT})::text`,
    });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [tableAs(CURRENT, current)],
        checked: {
          from: sql`FROM ${CURRENT}`,
          key: [sql`${CURRENT}."id"`],
          permission: { grants, fields: [], env: rowEnv(model, entity, CURRENT.alias) },
          checks: [],
        },
        written: (holds) =>
          deleteRowsSql({
            context,
            entity,
            clause,
            canReturn: true,
            actingFor: actingForSql(grants, [], rowEnv(model, entity, WRITTEN_ROWS.alias)),
            from: sql`USING ${CHECKED} WHERE ${TABLE}."id" = ${CHECKED}."id" AND NOT EXISTS (SELECT FROM ${CHECKED} WHERE NOT (${holds}))`,
          }),
        result: {
          columns: [
            selectAs(sql`(SELECT count(*) FROM ${CURRENT}) = (SELECT count(*) FROM ${WRITTEN_ROWS})`, ALL_DELETED),
            selectAs(
              sql`(SELECT COALESCE(jsonb_agg(${row} ORDER BY ${CURRENT}."id"), '[]'::jsonb) FROM ${CURRENT} JOIN ${LINES} ON ${LINES}."record" = ${CURRENT}."id")`,
              DELETED,
            ),
            ...deletedPartsColumns(context, entity, WRITTEN_ROWS.alias, LINES.alias),
          ],
          from: sql``,
        },
      }),
    };
  });
  const slots = { ...callerParams(caller), ids };
  return planWrite<Done>({
    context,
    caller,
    format,
    entity,
    action: "delete",
    changed: null,
    hasAfterWrite: true,
    endpoint,
    locks: locks.map((lock) => toQuery(lock, slots)),
    fastPath: null,
    checked: () => ({
      query: toQuery(statement, slots),
      decode: (row) => (row !== undefined && readColumn(row, ALL_DELETED) === true ? DONE_OUTCOME : refused()),
    }),
    rowsOf: (row) => readColumn(row, DELETED),
    partsOf: (row) => decodeDeletedParts(context, entity, row, WRITTEN_ROWS.alias),
    parts: [],
    places: new Map(),
    shows: null,
    constraint: (name, deleted) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...deleted, ...deletedEntities(model, entity, entity.clause.id)]),
      ),
    outline: () => ({
      locks: describeLocks(guards.length === 0 ? [] : lockStatements(touched, { guards }).flat()),
      checks: permissionRefusals(clause, grants, []),
      sets: null,
      audit: `delete (${clause})`,
      triggers: triggersAffectedBy(model, entity, "delete", null).map(describeTrigger),
      finalChecks: ruleRefusals(model, [], [], rulesAffectedBy(model, entity, null)),
    }),
  });
};
