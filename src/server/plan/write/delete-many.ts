import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { findGuardReads, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity } from "../../../core/model/model.ts";
import { identifier, slot, sql } from "../../../core/sql.ts";
import { forbid, type Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { CURRENT, DONE } from "../checks/check.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { booleanColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import { constraintRefusal } from "../transaction/constraint-errors.ts";
import { deletedPartsColumns, deleteRowsSql } from "../transaction/delete-rows.ts";
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
 * Plans the deletion of several records, all or none, in one statement. Each is checked as if it were deleted alone; rules
 * of other records are checked at the end, for all of them.
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
  const refused = (): Refusal => forbid(clause, whoMay(caller.phrases, entity, "delete"));
  if (grants.length === 0) return refused();
  const guards = findGuardReads(model, entity, "delete");
  const these = sql`"t"."id" = ANY(${slot("ids", "uuid[]")})`;
  const touched = { model, entity, changed: null, sides: { was: CURRENT, is: null }, states: null };
  const locks = context.statements.list(["lock all", entity.name], () =>
    guards.length === 0
      ? []
      : lockStatements(touched, { guards }).map((rows) =>
          withTables(
            [tableAs(CURRENT, sql`SELECT * FROM ${tableSql(entity)} AS "t" WHERE ${these}`)],
            takeLocksSql(rows),
          ),
        ),
  );
  const statement = context.statements.get(["delete all", entity.name, principalKey(principal)], () => {
    const wholes = lockParents(
      model,
      entity,
      (name) => sql`ANY(ARRAY(SELECT "t".${identifier(name)} FROM ${tableSql(entity)} AS "t" WHERE ${these}))`,
    );
    const current = sql`SELECT * FROM ${tableSql(entity)} AS "t" WHERE ${these} AND ${wholes} AND ${asCondition(readScope(model, entity, principal, "t").rows)} ORDER BY "t"."id" FOR UPDATE`;
    const row = writtenRowJson({ id: sql`"c"."id"`, line: sql`"a"."id"`, before: sql`to_jsonb("c")::text` });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [tableAs(CURRENT, current)],
        checked: {
          from: sql`FROM "c"`,
          key: [sql`"c"."id"`],
          permission: { grants, fields: [], env: rowEnv(model, entity, CURRENT) },
          checks: [],
        },
        written: (holds) =>
          deleteRowsSql({
            context,
            entity,
            clause,
            from: sql`USING "j" WHERE "t"."id" = "j"."id" AND NOT EXISTS (SELECT FROM "j" WHERE NOT (${holds}))`,
          }),
        result: {
          columns: [
            selectAs(sql`(SELECT count(*) FROM "c") = (SELECT count(*) FROM "d")`, ALL_DELETED),
            selectAs(
              sql`(SELECT COALESCE(jsonb_agg(${row} ORDER BY "c"."id"), '[]'::jsonb) FROM "c" JOIN "a" ON "a"."record" = "c"."id")`,
              DELETED,
            ),
            ...deletedPartsColumns(context, entity, DONE, "a"),
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
    moment: "delete",
    changed: null,
    isWhole: true,
    endpoint,
    locks: locks.map((one) => queryOf(one, slots)),
    fastPath: null,
    checked: () => ({
      query: queryOf(statement, slots),
      decode: (row) => (row !== undefined && readColumn(row, ALL_DELETED) === true ? DONE_OUTCOME : refused()),
    }),
    rowsOf: (row) => readColumn(row, DELETED),
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
