import { decidingClauseId, type Grant, grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import { type CheckAt, callChecks } from "../../../core/derive/consistency/call-checks.ts";
import { recordRefusal, versionRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import {
  type AffectedRule,
  findGuardReads,
  rulesAffectedBy,
  triggersAffectedBy,
} from "../../../core/derive/consistency/read-sets.ts";
import { referenceName } from "../../../core/derive/tables/names.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findParts } from "../../../core/model/facts/parts.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Intent } from "../../intent.ts";
import { forbid, type Refusal, refuseCall } from "../../refusal.ts";
import { causesAfterWrite, type EndpointBatch } from "../after-write.ts";
import { CHECKED, CURRENT, LINES, OWN, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { actingForSql } from "../checks/acting-for.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
} from "../checks/affected-rules.ts";
import { FRESH, type WriteCheck } from "../checks/check.ts";
import { decideRefusal } from "../checks/decide-refusal.ts";
import { refusedFields } from "../checks/permissions.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { readColumn } from "../result-columns.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { refusedAction } from "../row/refused-access.ts";
import { replacedRows, rowEnv, tableSql } from "../row/sql-env.ts";
import { type StatementKey, toQuery } from "../statements.ts";
import { constraintRefusal } from "../transaction/constraint-errors.ts";
import { decodeDeletedParts, deletedPartsColumns, deleteRowsSql } from "../transaction/delete-rows.ts";
import { lockStepRecord } from "../transaction/early-locks.ts";
import {
  hasEarlyLocks,
  type LockedChecks,
  type LockedWrite,
  lockStatements,
  locksOfWrite,
  takeLocksSql,
  tryLocksSql,
} from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { rootColumns, rootRow } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, withTables, writeStatementSql } from "../transaction/write-statement.ts";
import {
  describeLocks,
  describeTrigger,
  permissionRefusals,
  ruleRefusals,
  type WriteOutline,
} from "./describe-write.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";

/** Plans the deletion of a record with its parts. The history keeps their last values. */
export const planDelete = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "delete" }>,
  caller: Caller,
  format: Format,
  endpoint?: EndpointBatch,
): WritePlan<Done> | Refusal => {
  const { model } = context;
  const { id } = intent;
  const entity = getEntity(context, intent.entity);
  const deletion = specifyDeletion(context, entity, caller.principal, endpoint);
  const { grants, clause, hasAfterWrite, affectedRules, key } = deletion;
  const locks = context.statements.list(key, () => locksBeforeDeletion(deletion, endpoint !== undefined));
  const statement = context.statements.get(key, () => ({ more: undefined, sql: deletionSql(deletion) }));
  const slots = { ...callerParams(caller), id, version: intent.version };
  return planWrite<Done>({
    context,
    caller,
    format,
    entity,
    action: "delete",
    changed: null,
    hasAfterWrite,
    endpoint,
    ...(endpoint === undefined
      ? {}
      : { lockRecord: () => lockStepRecord(context, entity, id, endpoint.written, true) }),
    locks: locks.map((lock) => toQuery(lock, slots)),
    fastPath: null,
    checked: () => ({
      query: toQuery(statement, slots),
      decode: (found) => {
        const row = found ?? {};
        const refusal = decideRefusal<CheckAt<"delete", "row">>(callChecks.delete.row, {
          record: () => (found === undefined ? refuseCall(recordRefusal(entity)) : undefined),
          permission: () =>
            refusedFields(grants, [], row) === undefined
              ? forbid(clause, refusedAction(model, caller, entity, "delete"))
              : undefined,
          version: () => (readColumn(row, FRESH) === true ? undefined : refuseCall(versionRefusal(entity))),
          "affected rules": () => brokenAffectedRules(model, affectedRules, row, format),
        });
        return refusal ?? DONE_OUTCOME;
      },
    }),
    rowsOf: (row) => [rootRow(id, row)],
    partsOf: (row) => decodeDeletedParts(context, entity, row, WRITTEN_ROWS.alias),
    parts: [],
    places: new Map([[id, ""]]),
    shows: null,
    constraint: (name, deleted) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...deleted, ...deletedEntities(model, entity, entity.clause.id)]),
      ),
    // A part that was created concurrently is found by the next attempt.
    isRetryable: (name) => isPartsReference(model, entity, name),
    outline: () => outlineDeletion(deletion),
  });
};

/** The parts of a deletion that follow from the document and the caller, for each record. */
interface Deletion {
  readonly context: PlanContext;
  readonly entity: Entity;
  readonly principal: Principal;
  readonly grants: readonly Grant[];
  readonly clause: string;
  /** True if more is written in the same transaction. */
  readonly hasAfterWrite: boolean;
  /** Rules of other records that the statement checks; those of a longer write are checked at its end. */
  readonly affectedRules: readonly AffectedRule[];
  readonly locked: LockedWrite;
  readonly lockedChecks: Required<Pick<LockedChecks, "affectedRules" | "guards" | "triggers">>;
  /** True if locks are taken by statements of their own, before the record is read. */
  readonly isLockedBefore: boolean;
  /** The key of its statements. */
  readonly key: StatementKey;
}

const specifyDeletion = (
  context: PlanContext,
  entity: Entity,
  principal: Principal,
  endpoint: EndpointBatch | undefined,
): Deletion => {
  const { model } = context;
  const hasAfterWrite = endpoint !== undefined || causesAfterWrite(model, entity, "delete", null);
  const affected = rulesAffectedBy(model, entity, null);
  const lockedChecks = {
    affectedRules: affected,
    guards: findGuardReads(model, entity, "delete"),
    triggers: triggersAffectedBy(model, entity, "delete", null),
  };
  return {
    context,
    entity,
    principal,
    grants: grantsFor(model, entity, "delete", principal),
    clause: decidingClauseId(entity, "delete"),
    hasAfterWrite,
    affectedRules: hasAfterWrite ? [] : affected,
    locked: { model, entity, changed: null, sides: { was: CURRENT.alias, is: null }, states: null },
    lockedChecks,
    isLockedBefore: hasAfterWrite || hasEarlyLocks(lockedChecks),
    key: ["delete", entity.name, principalKey(principal), hasAfterWrite, endpoint === undefined],
  };
};

/** The record as it is, if the caller can read it; its row and its parents are locked. */
const currentRow = ({ context: { model }, entity, principal }: Deletion): Sql =>
  tableAs(
    CURRENT,
    sql`SELECT * FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${lockParents(model, entity, (name) => sql`(SELECT ${OWN}.${identifier(name)} FROM ${tableSql(entity)} AS ${OWN} WHERE ${OWN}."id" = ${slot("id", "uuid")})`)} AND ${asCondition(readScope(model, entity, principal, TABLE.alias).rows)} FOR UPDATE`,
  );

/** Lock statements before the deletion, in order. */
const locksBeforeDeletion = (deletion: Deletion, isStep: boolean): readonly Sql[] =>
  deletion.isLockedBefore
    ? lockStatements(deletion.locked, deletion.lockedChecks).map((rows, round) => {
        const isWithoutWaiting = isStep || (deletion.hasAfterWrite && round > 0);
        return withTables([currentRow(deletion)], isWithoutWaiting ? tryLocksSql(rows) : takeLocksSql(rows));
      })
    : [];

/** The statement that checks and deletes the record with its parts. */
const deletionSql = (deletion: Deletion): Sql => {
  const { context, entity, principal, grants, clause, hasAfterWrite, affectedRules, locked, isLockedBefore } = deletion;
  const { model } = context;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, null);
  const failingOwners = affectedRules.map((affectedRule) =>
    failingOwnersQuery(model, entity, affectedRule, locked.sides, replaced),
  );
  const checks: readonly WriteCheck[] = [
    {
      column: FRESH,
      condition: sql`(${slot("version", "integer")} IS NULL OR ${CURRENT}."version" = ${slot("version", "integer")})`,
    },
    ...affectedRuleChecks(failingOwners),
  ];
  return writeStatementSql({
    rows: [currentRow(deletion)],
    locks: isLockedBefore ? [] : locksOfWrite(locked),
    checked: {
      from: sql`FROM ${CURRENT}`,
      key: [sql`${CURRENT}."id"`],
      permission: { grants, fields: [], env: rowEnv(model, entity, CURRENT.alias) },
      checks,
    },
    written: (holds) =>
      deleteRowsSql({
        context,
        entity,
        clause,
        canReturn: true,
        actingFor: actingForSql(grants, [], rowEnv(model, entity, WRITTEN_ROWS.alias)),
        from: sql`USING ${CHECKED} WHERE ${TABLE}."id" = ${CHECKED}."id" AND ${holds}`,
      }),
    result: {
      columns: [
        CHECK_COLUMNS,
        ...affectedRuleMessages(model, principal, failingOwners, replaced),
        ...(hasAfterWrite
          ? [...rootColumns("stored"), ...deletedPartsColumns(context, entity, WRITTEN_ROWS.alias, LINES.alias)]
          : []),
      ],
      from: sql`FROM ${CHECKED} CROSS JOIN ${CURRENT}`,
    },
  });
};

const outlineDeletion = ({
  context: { model },
  entity,
  grants,
  clause,
  hasAfterWrite,
  affectedRules,
  locked,
  lockedChecks,
  isLockedBefore,
}: Deletion): WriteOutline => ({
  locks: describeLocks(isLockedBefore ? lockStatements(locked, lockedChecks).flat() : locksOfWrite(locked)),
  checks: [
    ...permissionRefusals(clause, grants, []),
    { ...versionRefusal(entity), at: "" },
    ...ruleRefusals(model, [], [], affectedRules),
  ],
  sets: null,
  audit: `delete (${clause})`,
  triggers: lockedChecks.triggers.map(describeTrigger),
  finalChecks: hasAfterWrite ? ruleRefusals(model, [], [], lockedChecks.affectedRules) : [],
});

/**
 * The entities of the records that a deletion deletes, each with the clause of a refusal if one of them must remain:
 * that of the root record.
 */
export const deletedEntities = (model: Model, entity: Entity, clause: string): ReadonlyMap<string, string> =>
  new Map([
    ...findParts(model, entity).flatMap((part) => [...deletedEntities(model, part.entity, clause)]),
    [entity.name, clause],
  ]);

/** True if the constraint is the reference of a part to its parent, at any depth. */
const isPartsReference = (model: Model, entity: Entity, constraint: string): boolean =>
  findParts(model, entity).some(
    (part) =>
      constraint === referenceName(part.entity.table, part.field.name) ||
      isPartsReference(model, part.entity, constraint),
  );
