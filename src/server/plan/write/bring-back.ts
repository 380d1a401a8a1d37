import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { canFindTrash } from "../../../core/derive/authorization/trash.ts";
import { type CheckRefusal, recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { findGuardReads, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import { constraintName } from "../../../core/derive/tables/names.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { isWritten } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { BRING_BACK } from "../../../core/model/write-actions.ts";
import { identifier, slot, sql } from "../../../core/sql.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuseAt, refuseCall } from "../../refusal.ts";
import { CANDIDATE, CHECKED, TABLE, TRASH } from "../aliases.ts";
import { decideRefusal } from "../checks/decide-refusal.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { rowEnv } from "../row/sql-env.ts";
import { couldDelete, isTrashed, trashedRowsSql } from "../row/trashed-rows.ts";
import { toQuery } from "../statements.ts";
import { bringBackRowsSql, decodeReturnedParts, returnedPartsColumns } from "../transaction/bring-back-rows.ts";
import { constraintRefusal } from "../transaction/constraint-errors.ts";
import { lockStatements, takeLocksSql } from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { rootColumns, rootRow } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, withTables, writeStatementSql } from "../transaction/write-statement.ts";
import { describeLocks, describeTrigger, ruleRefusals } from "./describe-write.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";

/** The rounds of checks, in order. */
const ROUNDS = [["record"], ["rules", "uniqueness"]] as const;

/**
 * Plans to restore a deleted record with its parts, as it was. Only people who could delete it can find it. The rules
 * of the document are checked again, because other records have changed. No effects run.
 */
export const planBringBack = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "bring back" }>,
  caller: Caller,
  format: Format,
): WritePlan<Done> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  if (!canFindTrash(model, entity, principal)) return refuseCall(recordRefusal(entity));
  const clause = decidingClauseId(entity, "delete");
  const all = rulesAt(entity, BRING_BACK, new Set());
  // A CHECK constraint cannot be postponed. All other rules are also checked after the parts are restored.
  const rules = all.filter((rule) => isConstraint(rule, entity, model));
  const uniquenessRules = uniquenessRulesAt(entity, BRING_BACK, new Set());
  const guards = findGuardReads(model, entity, "delete");
  const triggers = triggersAffectedBy(model, entity, BRING_BACK, null);
  const key = [BRING_BACK, entity.name, principalKey(principal)];
  const candidate = () =>
    tableAs(
      CANDIDATE,
      sql`SELECT ${TABLE}.* FROM ${trashedRowsSql(entity, TABLE)} WHERE ${TRASH}.record = ${slot("id", "uuid")} AND ${isTrashed(model, entity)} AND ${lockParents(model, entity, (name) => sql`${TABLE}.${identifier(name)}`)} AND ${couldDelete(model, entity, principal, TABLE)} FOR UPDATE OF ${TRASH}`,
    );
  const touched = {
    model,
    entity,
    changed: null,
    sides: { was: null, is: CANDIDATE.alias },
    states: null,
    single: true,
  };
  const locks = context.statements.list(key, () =>
    lockStatements(touched, { rules: all, guards, triggers }).map((rows) =>
      withTables([candidate()], takeLocksSql(rows)),
    ),
  );
  const statement = context.statements.get(key, () => {
    const env = rowEnv(model, entity, CANDIDATE.alias);
    const seen = readerEnvIfReadable(model, entity, principal, CANDIDATE.alias);
    const disclosure = () =>
      disclosedWhere(model, principal, entity, { grants: [grantsFor(model, entity, "read", principal)] });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [candidate()],
        checked: {
          from: sql`FROM ${CANDIDATE}`,
          checks: [...ruleChecks(rules, env), ...uniquenessChecks(model, entity, uniquenessRules)],
        },
        written: (holds) =>
          bringBackRowsSql({
            context,
            entity,
            clause,
            from: sql`FROM ${CANDIDATE}, ${CHECKED} WHERE ${holds}`,
            alias: CANDIDATE.alias,
          }),
        result: {
          columns: [
            CHECK_COLUMNS,
            ...ruleMessageColumns(rules, seen, disclosure),
            ...uniquenessMessageColumns(uniquenessRules, seen),
            ...rootColumns("new"),
            ...returnedPartsColumns(context, entity),
          ],
          from: sql`FROM ${CHECKED} CROSS JOIN ${CANDIDATE}`,
        },
      }),
    };
  });
  const { id } = intent;
  const slots = { ...callerParams(caller), id };
  return planWrite<Done>({
    context,
    caller,
    format,
    entity,
    action: BRING_BACK,
    changed: null,
    hasAfterWrite: true,
    endpoint: undefined,
    locks: locks.map((lock) => toQuery(lock, slots)),
    fastPath: null,
    checked: () => ({
      query: toQuery(statement, slots),
      decode: (row) =>
        decideRefusal<(typeof ROUNDS)[number][number]>(ROUNDS, {
          record: () => (row === undefined ? refuseCall(recordRefusal(entity)) : undefined),
          rules: () => brokenRules(model, rules, row ?? {}, format),
          uniqueness: () => brokenUniqueness(model, entity, uniquenessRules, row ?? {}, format),
        }) ?? DONE_OUTCOME,
    }),
    rowsOf: (row) => [rootRow(id, row)],
    partsOf: (row) => decodeReturnedParts(context, entity, row),
    parts: [],
    places: new Map([[id, ""]]),
    shows: null,
    constraint: (name) => constraintRefusal(model, entity, name) ?? misfitRefusal(model, name),
    outline: () => ({
      locks: describeLocks(lockStatements(touched, { rules: all, guards, triggers }).flat()),
      checks: [{ ...recordRefusal(entity), at: "" }, ...ruleRefusals(model, rules, uniquenessRules, [])],
      sets: writtenFields(entity),
      audit: `${BRING_BACK} (${clause})`,
      triggers: triggers.map(describeTrigger),
      finalChecks: ruleRefusals(model, all, [], []),
    }),
  });
};

const writtenFields = (entity: Entity): readonly string[] =>
  [...entity.fields.values()].filter(isWritten).map(({ name }) => name);

/** The refusal for a value that the document no longer allows. */
const misfitRefusal = ({ entities }: Model, constraint: string): Refusal | undefined => {
  for (const entity of entities.values())
    for (const field of entity.fields.values())
      if (constraint === constraintName(entity.table, "values", field.name)) {
        const refusal: CheckRefusal = { code: "NOT_A_CHOICE", clause: field.clause.id, at: "" };
        return refuseAt([{ ...refusal, values: { field: field.title } }]);
      }
  return undefined;
};
