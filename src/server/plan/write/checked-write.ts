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
import { allChecksHold, CANDIDATE, CHECKED, CURRENT, checkColumns, DONE, type WriteCheck } from "../checks/check.ts";
import { brokenFields } from "../checks/field-conditions.ts";
import { brokenFiles, fileChecks } from "../checks/files.ts";
import { areGranted, grantColumns, refusedFields } from "../checks/permissions.ts";
import { brokenReferences } from "../checks/references.ts";
import { brokenRules, disclosedWhere, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { drawNumbersSql, drawnNumberSql } from "../input/generated-values.ts";
import type { ParsedInput } from "../input/parse-input.ts";
import { missingFields } from "../input/parse-input.ts";
import { auditLine, changesBetween, generatedFrom } from "../row/audit-line.ts";
import { wrongStateText } from "../row/capabilities.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { type RowReader, recordColumns, rowReader } from "../row/record-columns.ts";
import { replacedRows, rowEnv, tableSql } from "../row/sql-env.ts";
import { locksColumn, withLocksSql } from "../transaction/locks.ts";
import { bumpParentVersions } from "../transaction/parent-versions.ts";
import type { NotWritten } from "./plan-write.ts";
import {
  type Change,
  type Creation,
  candidateTable,
  changedCheck,
  creationLineSql,
  currentAndCandidate,
  insertChecks,
  insertColumns,
  lockedByInsert,
  lockedByUpdate,
  locksWithinChange,
  locksWithinCreation,
  rememberKeySql,
  updateChecks,
} from "./write-spec.ts";

/*
 * A write that says why it is refused: each verdict is a column beside the record as it is and as it would be, with the
 * values that messages name, and it writes where all of them hold. Its row is read here too.
 */

interface Statement {
  readonly sql: Sql;
  readonly more: RowReader;
}

/**
 * The record as it is (locked, with the permission in the WHERE), as it would be, what is judged of both, the write where
 * all of it holds, and the audit line. A row says why when nothing was written; no row: not there.
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
  const { model, version } = context;
  const { principal } = caller;
  const now = slot("now", "timestamptz");
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
  const numbered = new Map(series.map((field) => [field.name, drawnNumberSql(field)]));
  const sets = [
    sql`"version" = "t"."version" + 1`,
    sql`"updated_at" = ${now}`,
    ...(move === null ? [] : [sql`"state_since" = ${now}`]),
    ...[...changed].map((name) => {
      const drawn = numbered.get(name);
      const kept = sql`"n".${identifier(name)}`;
      return sql`${identifier(name)} = ${drawn === undefined ? kept : sql`COALESCE(${kept}, ${drawn})`}`;
    }),
  ];
  // A record that has its number keeps it, however often it goes this way.
  const numberless = (field: Field) => sql`FROM "c", "j" WHERE "c".${identifier(field.name)} IS NULL AND ${holds}`;
  const locks = locksWithinChange(of);
  const verdicts = [
    sql`"c"."id" AS "was:id"`,
    ...(move === null ? [] : [sql`"c".${identifier(move.states.field)} AS "was:state"`]),
    ...grantColumns(grants, rowEnv(model, entity, CURRENT)),
    ...checkColumns([...other, ...judged]),
  ];
  const told = [...changed, ...generatedFrom(entity, changed)];
  const line = auditLine({
    entity,
    action: of.moment,
    clause: of.clause,
    version,
    changes: changesBetween(entity, told, CURRENT, DONE),
    from: sql`FROM "c", "d"`,
  });
  const answer = [
    sql`"j".*`,
    ...words,
    sql`"d"."id" IS NOT NULL AS "is:done"`,
    sql`${asCondition(after.rows)} AS "is:readable"`,
    recordColumns(context, principal, after, DONE, wanted),
    ...locksColumn(locks),
    ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`, sql`to_jsonb("c")::text AS "is:before"`] : []),
  ];
  return {
    more: rowReader(context, principal, after, wanted, of.format),
    sql: sql`WITH ${currentAndCandidate(of, "whole")},${withLocksSql(locks)}
        "j" AS MATERIALIZED (SELECT ${join(verdicts, ", ")} FROM "c", "n"),
        ${drawNumbersSql(entity, series, numberless)}"d" AS (UPDATE ${tableSql(entity)} AS "t" SET ${join(sets, ", ")} FROM "n", "j" WHERE "t"."id" = "n"."id" AND ${holds} RETURNING "t".*),
        "a" AS (${line}${follows ? sql` RETURNING "id"` : sql``})${bumpParentVersions(model, entity, DONE)}
        SELECT ${join(answer, ", ")} FROM "j" CROSS JOIN "n" CROSS JOIN "c" LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/**
 * What a row of the judged form has against a change; undefined where it was made. `wrong` and `closed`: what was found in
 * what was sent. In the order in which refusals are answered: 404, 403, 412, 422, 409; a wrong state before its rules,
 * which mean nothing there.
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
  if (row["is:fresh"] !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
  if (move !== null && row["is:state"] !== true) {
    const { because, state } = wrongStateText(caller, model, entity, move.transition, String(row["was:state"]));
    return { ...refuse("WRONG_STATE", clause, { state }), message: because };
  }
  if (wrong.length > 0) return refuseAt(wrong);
  if (row["is:guard"] === false) return refuse("GUARD", clause);
  // Nothing is judged by a record that they may not read: it would tell of that.
  const unseen = brokenReferences(entity, of.references, row);
  if (unseen.length > 0) return refuseAt(unseen);
  // A file that may not be given is kept nowhere, so the record stays as it is: that is no reason to say nothing.
  const absent = brokenFiles(of.files, row);
  if (!of.withParts && row["is:other"] === false && absent.length === 0) return "unchanged";
  const broken = [
    ...absent,
    ...brokenFields(of.conditioned, row),
    ...brokenRules(model, of.rules, row, format),
    ...brokenUniqueness(model, entity, of.together, row, format),
    ...brokenAffectedRules(model, of.reaches, row, format),
  ];
  if (broken.length > 0) return refuseAt(broken);
  if (row["is:done"] !== true) throw new Error(`${of.moment} of ${entity.name} judged nothing wrong and wrote nothing`);
  return undefined;
};

/** The record as it would be, what is judged of it, the record where all of it holds, its audit line and its key's memory. */
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
  const columns = insertColumns(of);
  const names = columns.map(([column]) => identifier(column));
  const values = columns.map(([column, from]) => {
    const numbered = series.find(({ name }) => name === column);
    return numbered === undefined ? sql`${identifier(CANDIDATE)}.${identifier(from)}` : drawnNumberSql(numbered);
  });
  const holds = sql`FROM ${identifier(CANDIDATE)}, ${identifier(CHECKED)} WHERE ${areGranted(grants, named)} AND ${allChecksHold(verdicts)}`;
  const line = creationLineSql(of);
  const answer = [
    sql`${identifier(CHECKED)}.*`,
    ...words,
    sql`${asCondition(scope.rows)} AS "is:readable"`,
    recordColumns(context, principal, scope, DONE, wanted),
    ...locksColumn(locks),
    ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`] : []),
  ];
  return {
    more: rowReader(context, principal, scope, wanted, of.format),
    sql: sql`WITH ${candidateTable(of)},${withLocksSql(locks)}
        ${identifier(CHECKED)} AS MATERIALIZED (SELECT ${join([...grantColumns(grants, env), ...checkColumns(verdicts)], ", ")} FROM ${identifier(CANDIDATE)}),
        ${drawNumbersSql(entity, series, () => holds)}${identifier(DONE)} AS (INSERT INTO ${tableSql(entity)} (${join(names, ", ")}) SELECT ${join(values, ", ")} ${holds} RETURNING *),
        a AS (${line}${follows ? sql` RETURNING "id"` : sql``})${bumpParentVersions(model, entity, DONE)}${rememberKeySql(of, DONE)}
        SELECT ${join(answer, ", ")} FROM ${identifier(CHECKED)} CROSS JOIN ${identifier(CANDIDATE)} LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/** What a row of the judged form has against a creation; undefined where it was made. */
export const decodeInsertRefusal = (of: Creation, row: Row): Refusal | NotWritten | undefined => {
  const { context, caller, format, entity, clause, grants, computed } = of;
  const { model } = context;
  if (row["is:first"] === false) return "repeated";
  // Before anything that is judged by a record that they may not read: it would tell of that.
  const unseen = brokenReferences(entity, of.references, row);
  if (unseen.length > 0) return refuseAt(unseen);
  const refused = refusedFields(grants, of.named, row);
  if (refused === undefined) return forbid(clause, whoMay(caller.phrases, entity, "create"));
  if (refused.length > 0) return notTheirs(of, refused);
  const broken = [
    ...missingFields(entity, computed.keys(), (name) => row[`needed:${name}`] !== false),
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
