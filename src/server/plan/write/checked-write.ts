import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { whoMay, whoMayMake } from "../../../core/explain/who-may.ts";
import type { Field } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { forbid, type Refusal, type RefusalAt, refuse, refuseAt } from "../../refusal.ts";
import type { Elsewhere } from "../action.ts";
import { brokenReaches, failingOf, reachVerdicts, reachWords } from "../checks/affected-rules.ts";
import { allHold, CANDIDATE, CURRENT, DONE, JUDGED, type Verdict, verdictColumns } from "../checks/check.ts";
import { brokenFields } from "../checks/field-conditions.ts";
import { brokenFiles, fileVerdicts } from "../checks/files.ts";
import { fieldsRefused, gateColumns, gatesHold } from "../checks/permissions.ts";
import { brokenReferences } from "../checks/references.ts";
import { brokenRules, ruleWords, toldTo } from "../checks/rules.ts";
import { brokenTogether, togetherVerdicts, togetherWords } from "../checks/uniqueness.ts";
import { drawings, drawnNumber } from "../input/generated-values.ts";
import type { Given } from "../input/parse-input.ts";
import { missingOf } from "../input/parse-input.ts";
import { auditLine, changesBetween, generatedFrom } from "../row/audit-line.ts";
import { whyNotState } from "../row/capabilities.ts";
import { seenWhereRead } from "../row/labels.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { columnsOf, type Reader, readerOf } from "../row/record-columns.ts";
import { replacedRows, rowEnv, tableOf } from "../row/sql-env.ts";
import { lockedBy, lockedColumn } from "../transaction/locks.ts";
import { wholesRaised } from "../transaction/parent-versions.ts";
import {
  type Change,
  type Creation,
  candidateMade,
  changeVerdicts,
  creationVerdicts,
  currentAndCandidate,
  keyRemembered,
  lineOfCreation,
  locksWithinChange,
  locksWithinCreation,
  madeColumns,
  otherThan,
  touchedByChange,
  touchedByCreation,
} from "./write-spec.ts";

/*
 * A write that says why it is refused: each verdict is a column beside the record as it is and as it would be, with the
 * values that messages name, and it writes where all of them hold. Its row is read here too.
 */

interface Statement {
  readonly sql: Sql;
  readonly more: Reader;
}

/**
 * The record as it is (locked, with the permission in the WHERE), as it would be, what is judged of both, the write where
 * all of it holds, and the audit line. A row says why when nothing was written; no row: not there.
 */
export const judgedChange = (of: Change): Statement => {
  const {
    context,
    asker,
    entity,
    gates: grants,
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
  const { person } = asker;
  const now = slot("now", "timestamptz");
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE);
  const after = eyesOf(model, entity, person, DONE, replaced.table);
  const reached = affectedRules.map((affectedRule) =>
    failingOf(model, entity, affectedRule, touchedByChange(of).sides, replaced),
  );
  const judged: readonly Verdict[] = [
    ...changeVerdicts(of, CANDIDATE),
    ...fileVerdicts(of.files),
    ...reachVerdicts(reached),
    ...togetherVerdicts(model, entity, of.together),
  ];
  const seen = seenWhereRead(model, entity, person, CANDIDATE, { rows: replaced.table, given: asked });
  const words = [
    ...ruleWords(
      of.rules,
      seen,
      () => toldTo(model, person, entity, [grantsFor(model, entity, "read", person), grants], changed),
      rowEnv(model, entity, CURRENT),
    ),
    ...togetherWords(of.together, seen),
    ...reachWords(model, person, reached, replaced),
  ];
  const other = otherThan(of, CANDIDATE);
  const writes = of.withParts ? [] : other;
  const holds = sql`${slot("valid", "boolean")} AND ${gatesHold(grants, named)} AND ${allHold([...writes, ...judged])}`;
  const numbered = new Map(series.map((field) => [field.name, drawnNumber(field)]));
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
    ...gateColumns(grants, rowEnv(model, entity, CURRENT)),
    ...verdictColumns([...other, ...judged]),
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
    columnsOf(context, person, after, DONE, wanted),
    ...lockedColumn(locks),
    ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`, sql`to_jsonb("c")::text AS "is:before"`] : []),
  ];
  return {
    more: readerOf(context, person, after, wanted, of.format),
    sql: sql`WITH ${currentAndCandidate(of, "whole")},${lockedBy(locks)}
        "j" AS MATERIALIZED (SELECT ${join(verdicts, ", ")} FROM "c", "n"),
        ${drawings(entity, series, numberless)}"d" AS (UPDATE ${tableOf(entity)} AS "t" SET ${join(sets, ", ")} FROM "n", "j" WHERE "t"."id" = "n"."id" AND ${holds} RETURNING "t".*),
        "a" AS (${line}${follows ? sql` RETURNING "id"` : sql``})${wholesRaised(model, entity, DONE)}
        SELECT ${join(answer, ", ")} FROM "j" CROSS JOIN "n" CROSS JOIN "c" LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/**
 * What a row of the judged form has against a change; undefined where it was made. `wrong` and `closed`: what was found in
 * what was sent. In the order in which refusals are answered: 404, 403, 412, 422, 409; a wrong state before its rules,
 * which mean nothing there.
 */
export const againstChange = (
  of: Change,
  { closed, wrong }: Pick<Given, "closed" | "wrong">,
  row: Row,
): Refusal | Elsewhere | undefined => {
  const { context, asker, format, entity, clause, gates: grants, move } = of;
  const { model } = context;
  const refused = fieldsRefused(grants, of.named, row);
  if (refused === undefined)
    return forbid(
      clause,
      move === null ? whoMay(asker.tongue, entity, "update") : whoMayMake(asker.tongue, entity, move.transition),
    );
  if (closed.length > 0) return refuseAt(closed);
  if (refused.length > 0) return notTheirs(of, refused);
  if (row["is:fresh"] !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
  if (move !== null && row["is:state"] !== true) {
    const { because, state } = whyNotState(asker, model, entity, move.transition, String(row["was:state"]));
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
    ...brokenTogether(model, entity, of.together, row, format),
    ...brokenReaches(model, of.reaches, row, format),
  ];
  if (broken.length > 0) return refuseAt(broken);
  if (row["is:done"] !== true) throw new Error(`${of.moment} of ${entity.name} judged nothing wrong and wrote nothing`);
  return undefined;
};

/** The record as it would be, what is judged of it, the record where all of it holds, its audit line and its key's memory. */
export const judgedCreation = (of: Creation): Statement => {
  const { context, asker, entity, gates: grants, named, series, reaches: affectedRules, follows, wanted } = of;
  const { model } = context;
  const { person } = asker;
  const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, CANDIDATE);
  const env = rowEnv(model, entity, CANDIDATE, replaced);
  const reached = affectedRules.map((affectedRule) =>
    failingOf(model, entity, affectedRule, touchedByCreation(of).sides, replaced),
  );
  const verdicts = [...creationVerdicts(of, env), ...reachVerdicts(reached)];
  const seen = seenWhereRead(model, entity, person, CANDIDATE, { rows: replaced.table, given: of.asked });
  const words = [
    ...ruleWords(of.rules, seen, () => toldTo(model, person, entity, [grants], new Set())),
    ...togetherWords(of.together, seen),
    ...reachWords(model, person, reached, replaced),
  ];
  const locks = locksWithinCreation(of);
  const eyes = eyesOf(model, entity, person, DONE, replaced.table);
  const columns = madeColumns(of);
  const names = columns.map(([column]) => identifier(column));
  const values = columns.map(([column, from]) => {
    const numbered = series.find(({ name }) => name === column);
    return numbered === undefined ? sql`${identifier(CANDIDATE)}.${identifier(from)}` : drawnNumber(numbered);
  });
  const holds = sql`FROM ${identifier(CANDIDATE)}, ${identifier(JUDGED)} WHERE ${gatesHold(grants, named)} AND ${allHold(verdicts)}`;
  const line = lineOfCreation(of);
  const answer = [
    sql`${identifier(JUDGED)}.*`,
    ...words,
    sql`${asCondition(eyes.rows)} AS "is:readable"`,
    columnsOf(context, person, eyes, DONE, wanted),
    ...lockedColumn(locks),
    ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`] : []),
  ];
  return {
    more: readerOf(context, person, eyes, wanted, of.format),
    sql: sql`WITH ${candidateMade(of)},${lockedBy(locks)}
        ${identifier(JUDGED)} AS MATERIALIZED (SELECT ${join([...gateColumns(grants, env), ...verdictColumns(verdicts)], ", ")} FROM ${identifier(CANDIDATE)}),
        ${drawings(entity, series, () => holds)}${identifier(DONE)} AS (INSERT INTO ${tableOf(entity)} (${join(names, ", ")}) SELECT ${join(values, ", ")} ${holds} RETURNING *),
        a AS (${line}${follows ? sql` RETURNING "id"` : sql``})${wholesRaised(model, entity, DONE)}${keyRemembered(of, DONE)}
        SELECT ${join(answer, ", ")} FROM ${identifier(JUDGED)} CROSS JOIN ${identifier(CANDIDATE)} LEFT JOIN ${identifier(DONE)} ON TRUE`,
  };
};

/** What a row of the judged form has against a creation; undefined where it was made. */
export const againstCreation = (of: Creation, row: Row): Refusal | Elsewhere | undefined => {
  const { context, asker, format, entity, clause, gates: grants, computed } = of;
  const { model } = context;
  if (row["is:first"] === false) return "repeated";
  // Before anything that is judged by a record that they may not read: it would tell of that.
  const unseen = brokenReferences(entity, of.references, row);
  if (unseen.length > 0) return refuseAt(unseen);
  const refused = fieldsRefused(grants, of.named, row);
  if (refused === undefined) return forbid(clause, whoMay(asker.tongue, entity, "create"));
  if (refused.length > 0) return notTheirs(of, refused);
  const broken = [
    ...missingOf(entity, computed.keys(), (name) => row[`needed:${name}`] !== false),
    ...brokenFiles(of.files, row),
    ...brokenFields(of.conditioned, row),
    ...brokenRules(model, of.rules, row, format),
    ...brokenTogether(model, entity, of.together, row, format),
    ...brokenReaches(model, of.reaches, row, format),
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
