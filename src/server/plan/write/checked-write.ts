import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { whoMay, whoMayMake } from "../../../core/explain/who-may.ts";
import type { Field } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { forbid, type Refusal, type RefusalAt, refuse, refuseAt } from "../../refusal.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
} from "../checks/affected-rules.ts";
import {
  allChecksHold,
  CANDIDATE,
  CHECKED,
  CURRENT,
  checkColumns,
  DIFFERS,
  DONE,
  FIRST_USE,
  FRESH,
  GUARD,
  IN_STATE,
  type WriteCheck,
} from "../checks/check.ts";
import { brokenFields, isDefaultMissing } from "../checks/field-conditions.ts";
import { brokenFiles, fileChecks } from "../checks/files.ts";
import { areGranted, grantColumns, refusedFields } from "../checks/permissions.ts";
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
import { replacedRows, rowEnv } from "../row/sql-env.ts";
import { insertRowsSql } from "../transaction/insert-rows.ts";
import { locksColumn, withLocksSql } from "../transaction/locks.ts";
import { isCandidate, updateRowsSql } from "../transaction/update-rows.ts";
import { ROOT_BEFORE, ROOT_LINE } from "../transaction/write-set.ts";
import type { NotWritten } from "./plan-write.ts";
import {
  type Change,
  type Creation,
  candidateTable,
  changedCheck,
  currentAndCandidate,
  insertChecks,
  lockedByInsert,
  lockedByUpdate,
  locksWithinChange,
  locksWithinCreation,
  READABLE,
  rememberKeySql,
  updateChecks,
} from "./write-spec.ts";

/*
 * The checked form of a write: each check is a column beside the record before and after the write, with the values for
 * messages; it writes if all checks hold. This file also decodes the row.
 */

/** The state before the transition. */
const STATE = resultColumn("was:state", asText);
const IS_WRITTEN = booleanColumn("is:done");

interface Statement {
  readonly sql: Sql;
  readonly more: RowReader;
}

/**
 * Builds the checked update: the record before (locked, with permissions in the WHERE clause) and after the write, the
 * checks of both, the conditional write, and the audit line. The row gives the reason if nothing was written; without a
 * row, the record was not found.
 */
export const checkedUpdate = (of: Change): Statement => {
  const {
    context,
    caller,
    entity,
    grants,
    named,
    asked,
    move,
    changed,
    series,
    reaches: affectedRules,
    follows,
    wanted,
  } = of;
  const { model } = context;
  const { principal } = caller;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE);
  const after = readScope(model, entity, principal, DONE, replaced.table);
  const reached = affectedRules.map((affectedRule) =>
    failingOwnersQuery(model, entity, affectedRule, lockedByUpdate(of).sides, replaced),
  );
  const judged: readonly WriteCheck[] = [
    ...updateChecks(of, CANDIDATE),
    ...fileChecks(of.files),
    ...affectedRuleChecks(reached),
    ...uniquenessChecks(model, entity, of.together),
  ];
  const seen = readerEnvIfReadable(model, entity, principal, CANDIDATE, { rows: replaced.table, given: asked });
  const words = [
    ...ruleMessageColumns(
      of.rules,
      seen,
      () => disclosedWhere(model, principal, entity, [grantsFor(model, entity, "read", principal), grants], changed),
      rowEnv(model, entity, CURRENT),
    ),
    ...uniquenessMessageColumns(of.together, seen),
    ...affectedRuleMessages(model, principal, reached, replaced),
  ];
  const other = changedCheck(of, CANDIDATE);
  const writes = of.withParts ? [] : other;
  const holds = sql`${slot("valid", "boolean")} AND ${areGranted(grants, named)} AND ${allChecksHold([...writes, ...judged])}`;
  // A record keeps an existing number, even if it makes the transition again.
  const numberless = (field: Field) => sql`FROM "c", "j" WHERE "c".${identifier(field.name)} IS NULL AND ${holds}`;
  const locks = locksWithinChange(of);
  const verdicts = [
    ...(move === null ? [] : [selectAs(sql`"c".${identifier(move.states.field)}`, STATE)]),
    ...grantColumns(grants, rowEnv(model, entity, CURRENT)),
    ...checkColumns([...other, ...judged]),
  ];
  const rows = updateRowsSql({
    context,
    entity,
    action: of.moment,
    clause: of.clause,
    changed,
    moves: move !== null,
    numbers: drawOne(entity, series, CANDIDATE, numberless),
    from: sql`FROM "n", "j" WHERE ${isCandidate} AND ${holds}`,
    lines: sql`FROM "c", "d"`,
    readsLines: follows,
  });
  const answer = [
    sql`"j".*`,
    ...words,
    selectAs(sql`"d"."id" IS NOT NULL`, IS_WRITTEN),
    selectAs(asCondition(after.rows), READABLE),
    recordColumns(context, principal, after, DONE, wanted),
    ...locksColumn(locks),
    ...(follows
      ? [selectAs(sql`(SELECT "id" FROM "a")`, ROOT_LINE), selectAs(sql`to_jsonb("c")::text`, ROOT_BEFORE)]
      : []),
  ];
  return {
    more: rowReader(context, principal, after, wanted, of.format),
    sql: sql`WITH ${currentAndCandidate(of, "whole")},${withLocksSql(locks)}
        "j" AS MATERIALIZED (SELECT ${join(verdicts, ", ")} FROM "c", "n"),
        ${rows}
        SELECT ${join(answer, ", ")} FROM "j" CROSS JOIN "n" CROSS JOIN "c" LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/**
 * The refusal of an update from its row; undefined if it was written. `wrong` and `closed` are validation errors of the
 * body. Refusals are returned in the order 404, 403, 412, 422, 409; a wrong state precedes violated rules, which are
 * meaningless in that state.
 */
export const decodeUpdateRefusal = (
  of: Change,
  { closed, wrong }: Pick<ParsedInput, "closed" | "wrong">,
  row: Row,
): Refusal | NotWritten | undefined => {
  const { context, caller, format, entity, clause, grants, move } = of;
  const { model } = context;
  const refused = refusedFields(grants, of.named, row);
  if (refused === undefined)
    return forbid(
      clause,
      move === null ? whoMay(caller.phrases, entity, "update") : whoMayMake(caller.phrases, entity, move.transition),
    );
  if (closed.length > 0) return refuseAt(closed);
  if (refused.length > 0) return notTheirs(of, refused);
  if (readColumn(row, FRESH) !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
  if (move !== null && readColumn(row, IN_STATE) !== true) {
    const { because, state } = wrongStateText(caller, model, entity, move.transition, readColumn(row, STATE));
    return { ...refuse("WRONG_STATE", clause, { state }), message: because };
  }
  if (wrong.length > 0) return refuseAt(wrong);
  if (readColumn(row, GUARD) === false) return refuse("GUARD", clause);
  // Nothing is checked against an unreadable record, because the outcome would disclose it.
  const unseen = brokenReferences(entity, of.references, row);
  if (unseen.length > 0) return refuseAt(unseen);
  // A rejected file leaves the record unchanged, but must still be refused.
  const absent = brokenFiles(of.files, row);
  if (!of.withParts && readColumn(row, DIFFERS) === false && absent.length === 0) return "unchanged";
  const broken = [
    ...absent,
    ...brokenFields(of.conditioned, row),
    ...brokenRules(model, of.rules, row, format),
    ...brokenUniqueness(model, entity, of.together, row, format),
    ...brokenAffectedRules(model, of.reaches, row, format),
  ];
  if (broken.length > 0) return refuseAt(broken);
  if (readColumn(row, IS_WRITTEN) !== true)
    throw new Error(`${of.moment} of ${entity.name} judged nothing wrong and wrote nothing`);
  return undefined;
};

/**
 * Builds the checked insert: the candidate, its checks, the conditional write, the audit line and the idempotency key.
 */
export const checkedInsert = (of: Creation): Statement => {
  const { context, caller, entity, grants, named, series, reaches: affectedRules, follows, wanted } = of;
  const { model } = context;
  const { principal } = caller;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE);
  const env = rowEnv(model, entity, CANDIDATE, replaced);
  const reached = affectedRules.map((affectedRule) =>
    failingOwnersQuery(model, entity, affectedRule, lockedByInsert(of).sides, replaced),
  );
  const verdicts = [...insertChecks(of, env), ...affectedRuleChecks(reached)];
  const seen = readerEnvIfReadable(model, entity, principal, CANDIDATE, { rows: replaced.table, given: of.asked });
  const words = [
    ...ruleMessageColumns(of.rules, seen, () => disclosedWhere(model, principal, entity, [grants], new Set())),
    ...uniquenessMessageColumns(of.together, seen),
    ...affectedRuleMessages(model, principal, reached, replaced),
  ];
  const locks = locksWithinCreation(of);
  const scope = readScope(model, entity, principal, DONE, replaced.table);
  const holds = sql`FROM ${identifier(CANDIDATE)}, ${identifier(CHECKED)} WHERE ${areGranted(grants, named)} AND ${allChecksHold(verdicts)}`;
  const rows = insertRowsSql({
    context,
    entity,
    clause: of.clause,
    numbers: drawOne(entity, series, CANDIDATE, () => holds),
    from: holds,
    readsLines: follows,
  });
  const answer = [
    sql`${identifier(CHECKED)}.*`,
    ...words,
    selectAs(asCondition(scope.rows), READABLE),
    recordColumns(context, principal, scope, DONE, wanted),
    ...locksColumn(locks),
    ...(follows ? [selectAs(sql`(SELECT "id" FROM "a")`, ROOT_LINE)] : []),
  ];
  return {
    more: rowReader(context, principal, scope, wanted, of.format),
    sql: sql`WITH ${candidateTable(of)},${withLocksSql(locks)}
        ${identifier(CHECKED)} AS MATERIALIZED (SELECT ${join([...grantColumns(grants, env), ...checkColumns(verdicts)], ", ")} FROM ${identifier(CANDIDATE)}),
        ${rows}${rememberKeySql(of, DONE)}
        SELECT ${join(answer, ", ")} FROM ${identifier(CHECKED)} CROSS JOIN ${identifier(CANDIDATE)} LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/** The refusal of an insert from its row; undefined if it was written. */
export const decodeInsertRefusal = (of: Creation, row: Row): Refusal | NotWritten | undefined => {
  const { context, caller, format, entity, clause, grants, computed } = of;
  const { model } = context;
  if (readColumn(row, FIRST_USE) === false) return "repeated";
  // Comes before all checks that read a referenced record, whose outcome would disclose an unreadable one.
  const unseen = brokenReferences(entity, of.references, row);
  if (unseen.length > 0) return refuseAt(unseen);
  const refused = refusedFields(grants, of.named, row);
  if (refused === undefined) return forbid(clause, whoMay(caller.phrases, entity, "create"));
  if (refused.length > 0) return notTheirs(of, refused);
  const broken = [
    ...missingFields(entity, computed.keys(), (name) => !isDefaultMissing(name, row)),
    ...brokenFiles(of.files, row),
    ...brokenFields(of.conditioned, row),
    ...brokenRules(model, of.rules, row, format),
    ...brokenUniqueness(model, entity, of.together, row, format),
    ...brokenAffectedRules(model, of.reaches, row, format),
  ];
  return broken.length > 0 ? refuseAt(broken) : undefined;
};

const notTheirs = ({ entity, clause }: Change | Creation, fields: readonly string[]): Refusal =>
  refuseAt(
    fields.map(
      (name): RefusalAt => ({
        at: `/${name}`,
        code: "NOT_YOURS_TO_WRITE",
        clause,
        values: { field: entity.fields.get(name)?.title ?? name },
      }),
    ),
  );
