import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { type CheckAt, callChecks } from "../../../core/derive/consistency/call-checks.ts";
import {
  closedFieldRefusal,
  recordRefusal,
  requiredRefusal,
  stateRefusal,
  versionRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import type { Transition } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { forbid, type Refusal, type RefusalAt, refuseCall } from "../../refusal.ts";
import { CANDIDATE, CHECKED, CURRENT, WRITTEN_ROWS } from "../aliases.ts";
import { actingForSql } from "../checks/acting-for.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
} from "../checks/affected-rules.ts";
import { DIFFERS, FIRST_USE, FRESH, IN_STATE, type WriteCheck } from "../checks/check.ts";
import { decideRefusal } from "../checks/decide-refusal.ts";
import { brokenBounds } from "../checks/field-bounds.ts";
import { brokenFields, isDefaultMissing } from "../checks/field-conditions.ts";
import { brokenFiles, fileChecks } from "../checks/files.ts";
import { refusedFields } from "../checks/permissions.ts";
import { brokenGuard, preconditionChecks, preconditionMessageColumns } from "../checks/preconditions.ts";
import { brokenReferences } from "../checks/references.ts";
import { brokenRules, disclosedWhere, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { drawOne } from "../input/generated-values.ts";
import type { ParsedInput } from "../input/parse-input.ts";
import { missingFields } from "../input/parse-input.ts";
import { asText, booleanColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { wrongStateText } from "../row/capabilities.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { type RowReader, recordColumns, rowReader } from "../row/record-columns.ts";
import { refusedAction, refusedTransition } from "../row/refused-access.ts";
import { replacedRows, rowEnv } from "../row/sql-env.ts";
import { insertRowsSql } from "../transaction/insert-rows.ts";
import { isCandidate, updateRowsSql } from "../transaction/update-rows.ts";
import { rootColumns } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import {
  type Change,
  changedCheck,
  currentAndCandidate,
  isNeededBy,
  lockedByUpdate,
  locksWithinChange,
  updateChecks,
} from "./change-spec.ts";
import { type Creation, candidateSelect, insertChecks, lockedByInsert, locksWithinCreation } from "./creation-spec.ts";
import { rememberKeySql } from "./idempotency.ts";
import type { NotWritten } from "./plan-write.ts";
import { READABLE } from "./write-spec.ts";

/**
 * The checked form of a write: each check is a column beside the record before and after the write, with the values for
 * messages. It writes if all checks hold. This file also decodes the resulting row.
 */

/** The state before the transition. */
const STATE = resultColumn("was:state", asText);
const IS_WRITTEN = booleanColumn("is:done");

interface Statement {
  readonly sql: Sql;
  readonly more: RowReader;
}

/** The checks of a change, with the values for their messages. */
const checksOfChange = (change: Change) => {
  const { context, caller, entity, grants, named, sentFields, stateChange, changed, affectedRules } = change;
  const { model } = context;
  const { principal } = caller;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE.alias);
  const reached = affectedRules.map((affectedRule) =>
    failingOwnersQuery(model, entity, affectedRule, lockedByUpdate(change).sides, replaced),
  );
  const checks: readonly WriteCheck[] = [
    ...updateChecks(change, CANDIDATE.alias),
    ...fileChecks(change.files),
    ...affectedRuleChecks(reached),
    ...uniquenessChecks(model, entity, change.uniquenessRules),
  ];
  const seen = {
    ...readerEnvIfReadable(model, entity, principal, CANDIDATE.alias, { rows: replaced.table, given: sentFields }),
    old: readerEnvIfReadable(model, entity, principal, CURRENT.alias).field,
  };
  const words = [
    ...ruleMessageColumns(
      change.rules,
      seen,
      () =>
        disclosedWhere(model, principal, entity, {
          grants: [grantsFor(model, entity, "read", principal), grants],
          changed,
        }),
      rowEnv(model, entity, CURRENT.alias),
    ),
    ...uniquenessMessageColumns(change.uniquenessRules, seen),
    ...affectedRuleMessages(model, principal, reached, replaced),
  ];
  const other = changedCheck(change, CANDIDATE.alias);
  const preconditions =
    stateChange === null ? [] : preconditionChecks(stateChange.transition, rowEnv(model, entity, CURRENT.alias));
  return {
    replaced,
    checked: {
      from: sql`FROM ${CURRENT}, ${CANDIDATE}`,
      permission: { grants, fields: named, env: rowEnv(model, entity, CURRENT.alias) },
      checks: change.withParts ? checks : [...other, ...checks],
      reported: [...(change.withParts ? other : []), ...preconditions],
    },
    columns: [
      CHECK_COLUMNS,
      ...words,
      ...(stateChange === null ? [] : preconditionMessages(change, stateChange.transition)),
      ...(stateChange === null ? [] : [selectAs(sql`${CURRENT}.${identifier(stateChange.states.field)}`, STATE)]),
    ],
  };
};

/** Checks a change without making it: the statement reads only, and takes no locks. */
export const triedUpdate = (change: Change): Sql => {
  const { checked, columns } = checksOfChange(change);
  return writeStatementSql({
    rows: currentAndCandidate(change, "whole", true),
    checked,
    result: { columns, from: sql`FROM ${CHECKED} CROSS JOIN ${CANDIDATE} CROSS JOIN ${CURRENT}` },
  });
};

/**
 * Builds the checked update: the record before (locked, with permissions in the WHERE clause) and after the write, the
 * checks of both, the conditional write, and the audit line. The row gives the reason if nothing was written. No row
 * means that the record was not found.
 */
export const checkedUpdate = (change: Change): Statement => {
  const { context, caller, entity, grants, named, stateChange, changed, series, hasAfterWrite, extras } = change;
  const { model } = context;
  const { principal } = caller;
  const { replaced, checked, columns } = checksOfChange(change);
  const after = readScope(model, entity, principal, WRITTEN_ROWS.alias, replaced.table);
  const written = (holds: Sql): Sql => {
    const isValid = sql`${slot("valid", "boolean")} AND ${holds}`;
    // A record keeps an existing number, even if it makes the transition again.
    const numberless = (field: Field) =>
      sql`FROM ${CURRENT}, ${CHECKED} WHERE ${CURRENT}.${identifier(field.name)} IS NULL AND ${isValid}`;
    const rows = updateRowsSql({
      context,
      entity,
      action: change.action,
      clause: change.clause,
      changed,
      changesState: stateChange !== null,
      numbers: drawOne(entity, series, CANDIDATE.alias, numberless),
      from: sql`FROM ${CANDIDATE}, ${CHECKED} WHERE ${isCandidate} AND ${isValid}`,
      actingFor: actingForSql(grants, named, rowEnv(model, entity, CURRENT.alias)),
      lines: sql`FROM ${CURRENT}, ${WRITTEN_ROWS}`,
      readsLines: hasAfterWrite,
    });
    return sql`${rows}${rememberKeySql(change.hasKey, WRITTEN_ROWS.alias)}`;
  };
  return {
    more: rowReader(context, principal, after, extras, change.format),
    sql: writeStatementSql({
      rows: currentAndCandidate(change, "whole"),
      locks: locksWithinChange(change),
      checked,
      written,
      result: {
        columns: [
          ...columns,
          selectAs(sql`${WRITTEN_ROWS}."id" IS NOT NULL`, IS_WRITTEN),
          selectAs(asCondition(after.rows), READABLE),
          recordColumns(context, principal, after, WRITTEN_ROWS.alias, extras),
          ...(hasAfterWrite ? rootColumns("stored") : []),
        ],
        from: sql`FROM ${CHECKED} CROSS JOIN ${CANDIDATE} CROSS JOIN ${CURRENT} LEFT JOIN ${WRITTEN_ROWS} ON TRUE`,
      },
    }),
  };
};

/** Decodes the refusal of an update or a transition from its row; undefined if it was written. */
export const decodeUpdateRefusal = (
  change: Change,
  input: Pick<ParsedInput, "closed" | "wrong">,
  found: Row | undefined,
): Refusal | NotWritten | undefined => {
  const refusal = decideUpdate(change, input, found);
  if (refusal === undefined && readColumn(found ?? {}, IS_WRITTEN) !== true)
    throw new Error(`${change.action} of ${change.entity.name} passed every check and wrote nothing`);
  return refusal;
};

/**
 * Decides an update or a transition by its row; undefined if every check holds. `wrong` and `closed` are validation
 * errors of the body.
 */
export const decideUpdate = (
  change: Change,
  { closed, wrong }: Pick<ParsedInput, "closed" | "wrong">,
  found: Row | undefined,
): Refusal | NotWritten | undefined => {
  const { context, caller, entity, clause, grants, stateChange } = change;
  const { model } = context;
  const row = found ?? {};
  const refused = refusedFields(grants, change.named, row);
  const rounds = stateChange === null ? callChecks.update.row : callChecks.transition.row;
  return decideRefusal<CheckAt<"update" | "transition", "row">, NotWritten>(rounds, {
    key: () => (change.hasKey && found !== undefined && readColumn(row, FIRST_USE) === false ? "repeated" : undefined),
    record: () => (found === undefined ? refuseCall(recordRefusal(entity)) : undefined),
    permission: () => {
      if (refused !== undefined) return undefined;
      return forbid(
        clause,
        stateChange === null
          ? refusedAction(model, caller, entity, "update")
          : refusedTransition(model, caller, entity, stateChange.transition),
      );
    },
    fields: () => (closed.length > 0 ? closed : notTheirs(change, refused ?? [])),
    version: () => (readColumn(row, FRESH) === true ? undefined : refuseCall(versionRefusal(entity))),
    state: () => {
      if (stateChange === null || readColumn(row, IN_STATE) === true) return undefined;
      const { because, state } = wrongStateText(caller, model, entity, stateChange.transition, readColumn(row, STATE));
      return { ...refuseCall(stateRefusal(stateChange.transition)), values: { state }, message: because };
    },
    input: () => [
      ...wrong,
      ...change.defaulted
        .filter((field) => isNeededBy(stateChange)(field) && isDefaultMissing(field.name, row))
        .map((field) => ({ ...requiredRefusal(field, stateChange?.transition), values: { field: field.title } })),
    ],
    guard: () => (stateChange === null ? undefined : brokenGuard(model, stateChange.transition, row, change.format)),
    // Nothing is checked against an unreadable record, because the outcome would disclose it.
    references: () => brokenReferences(entity, change.references, row),
    // A rejected file leaves the record unchanged, but must still be refused.
    change: () =>
      !change.withParts && readColumn(row, DIFFERS) === false && brokenFiles(change.files, row).length === 0
        ? "unchanged"
        : undefined,
    ...valueVerdicts(change, row),
  });
};

/** Values of the record before the transition, for the messages of its preconditions. */
const preconditionMessages = (change: Change, transition: Transition): readonly Sql[] => {
  const { context, caller, entity } = change;
  const { model } = context;
  return preconditionMessageColumns(
    transition,
    readerEnvIfReadable(model, entity, caller.principal, CURRENT.alias),
    () =>
      disclosedWhere(model, caller.principal, entity, {
        grants: [grantsFor(model, entity, "read", caller.principal), change.grants],
      }),
  );
};

/** Decodes the checks of the proposed values. */
const valueVerdicts = (spec: Change | Creation, row: Row) => {
  const { context, format, entity } = spec;
  const { model } = context;
  return {
    files: () => brokenFiles(spec.files, row),
    conditions: () => [...brokenBounds(spec.bounded, row), ...brokenFields(spec.conditionalFields, row)],
    rules: () => brokenRules(model, spec.rules, row, format),
    uniqueness: () => brokenUniqueness(model, entity, spec.uniquenessRules, row, format),
    "affected rules": () => brokenAffectedRules(model, spec.affectedRules, row, format),
  };
};

/**
 * Builds the checked insert: the candidate, its checks, the conditional write, the audit line and the idempotency key.
 */
export const checkedInsert = (creation: Creation): Statement => {
  const { context, caller, entity, grants, named, series, affectedRules, hasAfterWrite, extras } = creation;
  const { model } = context;
  const { principal } = caller;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE.alias);
  const env = rowEnv(model, entity, CANDIDATE.alias, replaced);
  const reached = affectedRules.map((affectedRule) =>
    failingOwnersQuery(model, entity, affectedRule, lockedByInsert(creation).sides, replaced),
  );
  const seen = readerEnvIfReadable(model, entity, principal, CANDIDATE.alias, {
    rows: replaced.table,
    given: creation.sentFields,
  });
  const words = [
    ...ruleMessageColumns(creation.rules, seen, () => disclosedWhere(model, principal, entity, { grants: [grants] })),
    ...uniquenessMessageColumns(creation.uniquenessRules, seen),
    ...affectedRuleMessages(model, principal, reached, replaced),
  ];
  const scope = readScope(model, entity, principal, WRITTEN_ROWS.alias, replaced.table);
  const written = (holds: Sql): Sql => {
    const from = sql`FROM ${CANDIDATE}, ${CHECKED} WHERE ${holds}`;
    const numbers = drawOne(entity, series, CANDIDATE.alias, () => from);
    const rows = insertRowsSql({
      context,
      entity,
      clause: creation.clause,
      numbers,
      from,
      readsLines: hasAfterWrite,
      actingFor: actingForSql(grants, named, rowEnv(model, entity, WRITTEN_ROWS.alias)),
    });
    return sql`${rows}${rememberKeySql(creation.hasKey, WRITTEN_ROWS.alias)}`;
  };
  return {
    more: rowReader(context, principal, scope, extras, creation.format),
    sql: writeStatementSql({
      rows: [tableAs(CANDIDATE, candidateSelect(creation))],
      locks: locksWithinCreation(creation),
      checked: {
        from: sql`FROM ${CANDIDATE}`,
        permission: { grants, fields: named, env },
        checks: [...insertChecks(creation, env), ...affectedRuleChecks(reached)],
      },
      written,
      result: {
        columns: [
          CHECK_COLUMNS,
          ...words,
          selectAs(asCondition(scope.rows), READABLE),
          recordColumns(context, principal, scope, WRITTEN_ROWS.alias, extras),
          ...(hasAfterWrite ? rootColumns("new") : []),
        ],
        from: sql`FROM ${CHECKED} CROSS JOIN ${CANDIDATE} LEFT JOIN ${WRITTEN_ROWS} ON TRUE`,
      },
    }),
  };
};

/** Decodes the refusal of an insert from its row; undefined if it was written. */
export const decodeInsertRefusal = (creation: Creation, row: Row): Refusal | NotWritten | undefined => {
  const { caller, entity, clause, grants, computed } = creation;
  const refused = refusedFields(grants, creation.named, row);
  return decideRefusal<CheckAt<"create", "row">, NotWritten>(callChecks.create.row, {
    key: () => (readColumn(row, FIRST_USE) === false ? "repeated" : undefined),
    // Comes before all checks that read a referenced record, whose outcome would disclose an unreadable one.
    references: () => brokenReferences(entity, creation.references, row),
    permission: () =>
      refused === undefined
        ? forbid(clause, refusedAction(creation.context.model, caller, entity, "create"))
        : undefined,
    fields: () => notTheirs(creation, refused ?? []),
    defaults: () => missingFields(entity, computed.keys(), (name) => !isDefaultMissing(name, row)),
    ...valueVerdicts(creation, row),
  });
};

const notTheirs = ({ entity, clause }: Change | Creation, fields: readonly string[]): readonly RefusalAt[] =>
  fields.map((name) => ({
    ...closedFieldRefusal(clause),
    at: `/${name}`,
    values: { field: entity.fields.get(name)?.title ?? name },
  }));
