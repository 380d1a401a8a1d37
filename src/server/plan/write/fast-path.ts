import { wholesOf } from "../../../core/model/parts.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { allTrue, CANDIDATE, CURRENT, DONE } from "../checks/check.ts";
import { isFile } from "../checks/files.ts";
import { gatesHold, gatesOn } from "../checks/permissions.ts";
import { drawnValue } from "../input/generated-values.ts";
import { auditLine, changesBetween, generatedFrom } from "../row/audit-line.ts";
import { candidateValues } from "../row/proposed-row.ts";
import { asCondition, type Eyes, eyesOf, seeWhoCome, staySeen } from "../row/read-scope.ts";
import { columnsOf, type Reader, readerOf } from "../row/record-columns.ts";
import { type ColumnValues, replacedRows, rowEnv, tableOf } from "../row/sql-env.ts";
import { wholesRaised } from "../transaction/parent-versions.ts";
import {
  type Change,
  type Creation,
  candidateSelected,
  changedValue,
  changeVerdicts,
  creationVerdicts,
  keyRemembered,
  lineOfCreation,
  locksWithinChange,
  locksWithinCreation,
  madeColumns,
  otherThan,
} from "./write-spec.ts";

/*
 * Most writes hold. A statement that says why one does not (`judged.ts`) costs as much as the write itself: it keeps the
 * record as it is and as it would be, each verdict as a column, and the words of every refusal. So a write is tried first:
 * the same conditions stand in its WHERE, and nothing is told of them. Where it writes nothing it answers no row, and then
 * the statement that judges is asked, which decides by itself.
 */

interface Statement {
  readonly sql: Sql;
  readonly more: Reader;
}

const columnIn =
  (alias: string): ColumnValues =>
  (name) =>
    sql`${identifier(alias)}.${identifier(name)}`;

/** The eyes of who wrote a record, on what their write has made of it. */
const eyesAfter = ({ context: { model }, entity, asker: { person } }: Change | Creation): Eyes => {
  const { table } = replacedRows(model, entity, sql`${slot("id", "uuid")}`, columnIn(DONE));
  return eyesOf(model, entity, person, DONE, table);
};

/** Whether all that decides it can stand in the WHERE of one UPDATE. */
export const isTriedChange = (of: Change): boolean => {
  const { context, entity } = of;
  const elsewhere = [...of.reaches, ...of.files, ...of.together, ...of.series, ...wholesOf(context.model, entity)];
  return (
    !of.follows &&
    of.gates.length > 0 &&
    elsewhere.length === 0 &&
    ![...entity.fields.values()].some(({ held }) => held.as === "kept") &&
    locksWithinChange(of).length === 0
  );
};

const ofEveryWrite = ["version", "updated_at", "state_since"] as const;

const before = (field: string): Sql => identifier(`was:${field}`);

/**
 * Writes a change where all of it holds. What somebody else changes in between is looked at again by Postgres, in the row
 * that it waited for; so what was judged is what is written.
 */
export const triedChange = (of: Change): Statement => {
  const { context, asker, entity, gates: grants } = of;
  const { model, version } = context;
  const now = sql`${slot("now", "timestamptz")}`;
  const news = [...entity.fields.values()].flatMap((field) => {
    const value = changedValue(of, field);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const candidate = candidateValues(model, entity, CURRENT, new Map(news));
  const eyes = eyesOf(model, entity, asker.person, CURRENT);
  const holds = [
    sql`"c"."id" = ${slot("id", "uuid")}`,
    asCondition(seeWhoCome(eyes, grants) ? undefined : eyes.rows),
    gatesHold(grants, of.named, gatesOn(grants, rowEnv(model, entity, CURRENT))),
    allTrue([...changeVerdicts(of, candidate), ...otherThan(of, candidate)]),
  ];
  const sets = [
    sql`"version" = "c"."version" + 1`,
    sql`"updated_at" = ${now}`,
    ...(of.move === null ? [] : [sql`"state_since" = ${now}`]),
    ...[...of.changed].map((name) => sql`${identifier(name)} = ${candidate(name)}`),
  ];
  const told = [...of.changed, ...generatedFrom(entity, of.changed)];
  const kept = told.map((name) => sql`old.${identifier(name)} AS ${before(name)}`);
  const was = told.map((name) => sql`${identifier(DONE)}.${before(name)} AS ${identifier(name)}`);
  const line = auditLine({
    entity,
    action: of.moment,
    clause: of.clause,
    version,
    changes: changesBetween(entity, told, CURRENT, DONE),
    from: sql`FROM ${identifier(DONE)} CROSS JOIN LATERAL (SELECT ${join(was, ", ")}) AS ${identifier(CURRENT)}`,
  });
  return answering(
    of,
    sql`WITH ${identifier(DONE)} AS (UPDATE ${tableOf(entity)} AS ${identifier(CURRENT)} SET ${join(sets, ", ")} WHERE ${join(holds, " AND ")} RETURNING ${join([sql`new.*`, ...kept], ", ")}),
        "a" AS (${line})`,
    new Set([...told, ...ofEveryWrite]),
  );
};

/** Whether all that decides it can stand in the WHERE of one INSERT. */
export const isTriedCreation = (of: Creation): boolean =>
  !of.follows &&
  of.reaches.length + of.series.length + of.computed.size === 0 &&
  [...of.entity.fields.values()].every(
    (field) => field.held.as !== "kept" && !isFile(field) && drawnValue(of.entity, field) === undefined,
  ) &&
  locksWithinCreation(of).length === 0;

/** Makes a record where all of it holds. */
export const triedCreation = (of: Creation): Statement => {
  const { context, entity, gates: grants } = of;
  const { model } = context;
  const candidate = columnIn(CANDIDATE);
  // A record that is made, as the statement around has its values.
  const env = rowEnv(model, entity, CANDIDATE, replacedRows(model, entity, sql`${slot("id", "uuid")}`, candidate));
  const holds = [gatesHold(grants, of.named, gatesOn(grants, env)), allTrue(creationVerdicts(of, env))];
  const columns = madeColumns(of);
  const names = columns.map(([column]) => identifier(column));
  const values = columns.map(([, from]) => candidate(from));
  const line = lineOfCreation(of);
  return answering(
    of,
    sql`WITH ${identifier(DONE)} AS (INSERT INTO ${tableOf(entity)} (${join(names, ", ")}) SELECT ${join(values, ", ")} FROM (${candidateSelected(of)}) AS ${identifier(CANDIDATE)} WHERE ${join(holds, " AND ")} RETURNING *),
        "a" AS (${line})${wholesRaised(model, entity, DONE)}${keyRemembered(of, DONE)}`,
  );
};

/**
 * The record as it is then, as who wrote it sees it. `changed`: what was written of a record that was found by the same
 * eyes.
 */
const answering = (of: Change | Creation, written: Sql, changed?: ReadonlySet<string>): Statement => {
  const { context, asker, wanted, format } = of;
  const after = eyesAfter(of);
  const rows = changed !== undefined && staySeen(after, changed) ? undefined : after.rows;
  return {
    more: readerOf(context, asker.person, after, wanted, format),
    sql: sql`${written}
        SELECT ${asCondition(rows)} AS "is:readable", ${columnsOf(context, asker.person, after, DONE, wanted)} FROM ${identifier(DONE)}`,
  };
};
