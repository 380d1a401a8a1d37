import type { Gate, Person } from "../../core/derive/access.ts";
import type { Values } from "../../core/derive/environment.ts";
import type { Entity } from "../../core/model/model.ts";
import type { SqlEnv } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import { auditLine, changesBetween, changesOfWhole, storedOf } from "./audit.ts";
import type { Context } from "./context.ts";
import { environmentOf, replacedRows, tableOf } from "./environment.ts";
import { asCondition, type Eyes, eyesOf } from "./eyes.ts";
import { allTrue, CANDIDATE, CURRENT, DONE, gatesHold, gatesOn, type Verdict } from "./judge.ts";

/*
 * Most writes hold. A statement that says why one does not costs as much as the write itself: it keeps the record as it is
 * and as it would be, each verdict as a column, and the words of every refusal. So a write is tried first: the same
 * conditions stand in its WHERE, and nothing is told of them. Where it writes nothing it answers no row, and then the
 * statement that judges is asked, which decides by itself.
 */

/** What decides a change, on the record as it is (`c`) and on the values that it would have. */
interface Change {
  readonly context: Context;
  readonly person: Person;
  readonly entity: Entity;
  readonly action: string;
  readonly clause: string;
  readonly gates: readonly Gate[];
  /** The fields that go through its gates. */
  readonly named: readonly string[];
  /** What is written of the fields, without those that Postgres computes. */
  readonly assigned: readonly string[];
  /** What the audit tells of, where it changes. */
  readonly told: readonly string[];
  readonly candidate: Values;
  readonly verdicts: readonly Verdict[];
  /** Whether it goes to another state. */
  readonly moves: boolean;
  /** The record as it is then, as who wrote it sees it, and the columns that answer it. */
  readonly after: Eyes;
  readonly columns: Sql;
}

/** The eyes of who wrote a record, on what their write has made of it. */
export const eyesAfter = ({ model }: Context, entity: Entity, person: Person): Eyes => {
  const written: Values = (name) => sql`${identifier(DONE)}.${identifier(name)}`;
  const { table } = replacedRows(model, entity, sql`${slot("id", "uuid")}`, written);
  return eyesOf(model, entity, person, DONE, table);
};

const candidateColumn: Values = (name) => sql`${identifier(CANDIDATE)}.${identifier(name)}`;

/** A record that is made, as the statement around has its values. */
export const candidateEnvironment = ({ model }: Context, entity: Entity): ReturnType<typeof environmentOf> => {
  const { table } = replacedRows(model, entity, sql`${slot("id", "uuid")}`, candidateColumn);
  return environmentOf(model, entity, CANDIDATE, { table });
};

const before = (field: string): Sql => identifier(`was:${field}`);

/**
 * Writes a change where all of it holds. What somebody else changes in between is looked at again by Postgres, in the row
 * that it waited for; so what was judged is what is written.
 */
export const triedChange = (of: Change): Sql => {
  const { context, person, entity, candidate, told } = of;
  const { model, version } = context;
  const now = sql`${slot("now", "timestamptz")}`;
  const holds = [
    sql`"c"."id" = ${slot("id", "uuid")}`,
    asCondition(eyesOf(model, entity, person, CURRENT).rows),
    gatesHold(of.gates, of.named, gatesOn(of.gates, environmentOf(model, entity, CURRENT))),
    allTrue(of.verdicts),
  ];
  const sets = [
    sql`"version" = "c"."version" + 1`,
    sql`"updated_at" = ${now}`,
    ...(of.moves ? [sql`"state_since" = ${now}`] : []),
    ...of.assigned.map((name) => sql`${identifier(name)} = ${candidate(name)}`),
  ];
  const kept = told.map((name) => sql`old.${identifier(name)} AS ${before(name)}`);
  const was = told.map((name) => sql`${identifier(DONE)}.${before(name)} AS ${identifier(name)}`);
  const line = auditLine({
    entity,
    action: of.action,
    clause: of.clause,
    version,
    changes: changesBetween(entity, told, CURRENT, DONE),
    from: sql`FROM ${identifier(DONE)} CROSS JOIN LATERAL (SELECT ${join(was, ", ")}) AS ${identifier(CURRENT)}`,
  });
  return sql`WITH ${identifier(DONE)} AS (UPDATE ${tableOf(entity)} AS ${identifier(CURRENT)} SET ${join(sets, ", ")} WHERE ${join(holds, " AND ")} RETURNING ${join([sql`new.*`, ...kept], ", ")}),
        "a" AS (${line})
        SELECT ${asCondition(of.after.rows)} AS "is:readable", ${of.columns} FROM ${identifier(DONE)}`;
};

/** What decides a creation, on the values that the record would have (`n`). */
interface Creation {
  readonly context: Context;
  readonly entity: Entity;
  readonly clause: string;
  readonly gates: readonly Gate[];
  readonly named: readonly string[];
  /** Selects the record's columns as they would be. */
  readonly candidate: Sql;
  /** The columns that are written, each with the one of the candidate that it takes. */
  readonly written: readonly (readonly [column: string, of: string])[];
  /** Its values, as what judges it reads them. */
  readonly env: SqlEnv;
  readonly verdicts: readonly Verdict[];
  /** Table expressions that follow, each with a comma before it. */
  readonly more: Sql;
  readonly after: Eyes;
  readonly columns: Sql;
}

/** Makes a record where all of it holds. */
export const triedCreation = (of: Creation): Sql => {
  const { context, entity } = of;
  const { version } = context;
  const holds = [gatesHold(of.gates, of.named, gatesOn(of.gates, of.env)), allTrue(of.verdicts)];
  const [names, values] = [
    of.written.map(([column]) => identifier(column)),
    of.written.map(([, from]) => candidateColumn(from)),
  ];
  const changes = changesOfWhole(entity, storedOf(entity), DONE, "after");
  return sql`WITH ${identifier(DONE)} AS (INSERT INTO ${tableOf(entity)} (${join(names, ", ")}) SELECT ${join(values, ", ")} FROM (${of.candidate}) AS ${identifier(CANDIDATE)} WHERE ${join(holds, " AND ")} RETURNING *),
        "a" AS (${auditLine({ entity, action: "create", clause: of.clause, version, changes, from: sql`FROM ${identifier(DONE)}` })})${of.more}
        SELECT ${asCondition(of.after.rows)} AS "is:readable", ${of.columns} FROM ${identifier(DONE)}`;
};
