import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { guardReadsOf, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { referenceName } from "../../../core/derive/tables/names.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { findParts } from "../../../core/model/parts.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Intent } from "../../intent.ts";
import { forbid, type Refusal, refuse, refuseAt } from "../../refusal.ts";
import type { Plan } from "../action.ts";
import { type EndpointBatch, hasAfterWrite, withAfterWrite } from "../after-write.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
} from "../checks/affected-rules.ts";
import { allChecksHold, CURRENT, checkColumns, DONE, type WriteCheck } from "../checks/check.ts";
import { areGranted, grantColumns, refusedFields } from "../checks/permissions.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { auditLine, changesOfRow, storedOf } from "../row/audit-line.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { replacedRows, rowEnv, tableSql } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import { deletedPartsColumns, deletePartsSql } from "../transaction/cascade-delete.ts";
import { constraintRefusal, deletedClauses } from "../transaction/constraint-errors.ts";
import { changedRecords, lockStepRecord, requireAll } from "../transaction/early-locks.ts";
import {
  hasEarlyLocks,
  type LockedChecks,
  type LockedWrite,
  lockStatements,
  locksColumn,
  locksOfWrite,
  takeLocksSql,
  tryLocksSql,
  withLocksSql,
} from "../transaction/locks.ts";
import { bumpParentVersions, lockParents } from "../transaction/parent-versions.ts";
import type { WriteSet } from "../transaction/write-set.ts";

/** Deletes a record and keeps what it was in its history, in one statement. */
export const planDelete = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "delete" }>,
  caller: Caller,
  format: Format,
  among?: EndpointBatch,
): Plan<Done> | Refusal => {
  const { model, version } = context;
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  const grants = grantsFor(model, entity, "delete", principal);
  const clause = decidingClauseId(entity, "delete");
  const follows = among !== undefined || hasAfterWrite(model, entity, "delete", null);
  const wrote: WriteSet[] = [];
  const affectedRules = follows ? [] : rulesAffectedBy(model, entity, null);
  const guards = guardReadsOf(model, entity, "delete");
  const touched: LockedWrite = { model, entity, changed: null, sides: { was: CURRENT, is: null }, states: null };
  const key = ["delete", entity.name, principalKey(principal), follows, among === undefined];
  const current = (): Sql =>
    sql`"c" AS MATERIALIZED (SELECT * FROM ${tableSql(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")} AND ${lockParents(model, entity, (name) => sql`(SELECT "y".${identifier(name)} FROM ${tableSql(entity)} AS "y" WHERE "y"."id" = ${slot("id", "uuid")})`)} AND ${asCondition(readScope(model, entity, principal, "t").rows)} FOR UPDATE)`;
  const firings = triggersAffectedBy(model, entity, "delete", null);
  const judging: LockedChecks = { reaches: rulesAffectedBy(model, entity, null), guards, firings };
  const isLocked = follows || hasEarlyLocks(judging);
  const before = context.statements.list(key, () =>
    isLocked
      ? lockStatements(touched, judging).map(
          (rows, round) =>
            sql`WITH ${current()} ${among !== undefined || (follows && round > 0) ? tryLocksSql(rows) : takeLocksSql(rows)}`,
        )
      : [],
  );
  const written = context.statements.get(key, () => {
    const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, null);
    const reached = affectedRules.map((affectedRule) =>
      failingOwnersQuery(model, entity, affectedRule, touched.sides, replaced),
    );
    const judged: readonly WriteCheck[] = [
      {
        column: "is:fresh",
        condition: sql`(${slot("version", "integer")} IS NULL OR "c"."version" = ${slot("version", "integer")})`,
      },
      ...affectedRuleChecks(reached),
    ];
    const locks = isLocked ? [] : locksOfWrite(touched);
    return {
      more: undefined,
      sql: sql`WITH ${current()},${withLocksSql(locks)}
      "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id"`, ...grantColumns(grants, rowEnv(model, entity, CURRENT)), ...checkColumns(judged)], ", ")} FROM "c"),
      "d" AS (DELETE FROM ${tableSql(entity)} AS "t" USING "j" WHERE "t"."id" = "j"."id" AND ${areGranted(grants, [])} AND ${allChecksHold(judged)} RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause, version, changes: changesOfRow(entity, storedOf(entity), DONE, "before"), from: sql`FROM "d"` })} RETURNING "id", "record")${deletePartsSql(context, entity, DONE, "a")}${bumpParentVersions(model, entity, DONE)}
      SELECT ${join([sql`"j".*`, ...affectedRuleMessages(model, principal, reached, replaced), ...locksColumn(locks), ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`, sql`to_jsonb("c")::text AS "is:before"`, ...deletedPartsColumns(context, entity, DONE, "a")] : [])], ", ")} FROM "j" CROSS JOIN "c"`,
    };
  });
  const slots = { ...callerParams(caller), id: intent.id, version: intent.version };
  return {
    kind: "plan",
    writes: true,
    ...(among === undefined ? {} : { earlyLocks: lockStepRecord(context, entity, intent.id, among.written, true) }),
    queries: [...before, written].map((one) => queryOf(one, slots)),
    decode: (results) => {
      if (follows) requireAll(model, results.slice(0, -1), changedRecords(among?.written ?? []));
      const row = results.at(-1)?.[0];
      if (row === undefined) return refuse("NOT_FOUND", decidingClauseId(entity, "read"));
      if (refusedFields(grants, [], row) === undefined) return forbid(clause, whoMay(caller.phrases, entity, "delete"));
      if (row["is:fresh"] !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
      const broken = brokenAffectedRules(context.model, affectedRules, row, format);
      return broken.length > 0 ? refuseAt(broken) : DONE_OUTCOME;
    },
    constraint: (name) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...deletedClauses(wrote), ...deletedEntities(model, entity, entity.clause.id)]),
      ),
    ...(follows
      ? withAfterWrite(context, caller, format, {
          ...{ entity, moment: "delete", changed: null, id: intent.id, label: false },
          ...{ written: wrote, among },
        })
      : {}),
    // A part that came while its record went is seen the next time.
    isRetryable: (name) => isPartsReference(model, entity, name),
  };
};

/** The entities of what goes, each with the clause that is told where it has to stay: that of the record itself. */
export const deletedEntities = (model: Model, entity: Entity, clause: string): ReadonlyMap<string, string> =>
  new Map([
    ...findParts(model, entity).flatMap((part) => [...deletedEntities(model, part.entity, clause)]),
    [entity.name, clause],
  ]);

/** Whether a constraint is the reference of a part, or of a part's part. */
const isPartsReference = (model: Model, entity: Entity, constraint: string): boolean =>
  findParts(model, entity).some(
    (part) =>
      constraint === referenceName(part.entity.table, part.field.name) ||
      isPartsReference(model, part.entity, constraint),
  );
