import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import { type Effect, type Entity, type Field, isGiven, isWritten } from "../../../core/model/model.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { callerParams, getEntity } from "../context.ts";
import { drawManyNumbersSql, drawnNumberOfRow, sequenceParams, sequencesAt } from "../input/generated-values.ts";
import { columnOf, selectAs } from "../result-columns.ts";
import { auditLine, changesBetween, differs, generatedFrom } from "../row/audit-line.ts";
import { candidateSql } from "../row/proposed-row.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { bumpParentVersions } from "../transaction/parent-versions.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import {
  CAUSE,
  type EffectRun,
  effectEnv,
  gatheredEnv,
  lockParentsById,
  runsParam,
  runsSql,
  sourceRowsParam,
  sourceRowsSql,
} from "./targets.ts";
import { type EffectValue, effectValueSql } from "./values.ts";

/** Updates fields of locked records. */
export function* update(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "put" | "update" }>,
  effectRuns: readonly EffectRun[],
): Steps<readonly WriteSet[]> {
  const entity = getEntity(tx.context, effect.entity);
  const set = new Map(
    [...effect.set].map(([name, expr]) => [name, (field: Field, env: SqlEnv) => effectValueSql(field, expr, env)]),
  );
  return yield* change(tx, writeSet, effect, { entity, moment: "update", set }, effectRuns);
}

/** Changes locked records, each once, by an operation: `update` or the name of a transition. */
export function* change(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Effect,
  {
    entity,
    moment,
    set,
  }: { readonly entity: Entity; readonly moment: string; readonly set: ReadonlyMap<string, EffectValue> },
  effectRuns: readonly EffectRun[],
): Steps<readonly WriteSet[]> {
  if (effectRuns.length === 0) return [];
  const { context, caller } = tx;
  yield* lockParentsById(tx, entity, effectRuns);
  const series = sequencesAt(entity, moment);
  const written = context.statements.get(["effect", effect.clause.id, "change"], () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const fields = [...entity.fields.values()].filter(isWritten);
    const values = fields.filter(isGiven).map((field) => {
      const value = set.get(field.name)?.(field, env) ?? sql`"c".${identifier(field.name)}`;
      return sql`${value} AS ${identifier(field.name)}`;
    });
    const kept = fields.filter((field) => !isGiven(field)).map(({ name }) => name);
    const names = [...set.keys(), ...kept];
    const changed = new Set([...names, ...series.map(({ name }) => name)]);
    const moves = entity.states !== null && set.has(entity.states.field);
    const assignments = [
      ...(moves ? [sql`"state_since" = ${slot("now", "timestamptz")}`] : []),
      ...names.map((name) => sql`${identifier(name)} = "s".${identifier(name)}`),
      ...series.map((field) => sql`${identifier(field.name)} = ${drawnNumberOfRow(field, "s", "id")}`),
    ];
    const system = ["id", "version", "created_at", "updated_at"].map((name) => sql`"c".${identifier(name)}`);
    // Skips updates without a change; a transition is always made.
    const otherwise =
      moment === "update"
        ? sql` AND EXISTS (SELECT FROM "c" WHERE "c"."id" = "s"."id" AND ${differs(entity, set.keys(), "c", "s")})`
        : sql``;
    return {
      more: undefined,
      sql: sql`WITH "c" AS MATERIALIZED (SELECT "x".* FROM ${tableSql(entity)} AS "x" WHERE "x"."id" IN (SELECT "p"."target" FROM ${runsSql})),
        "s" AS MATERIALIZED (${candidateSql(context.model, entity, sql`SELECT ${join([...system, selectAs(sql`"p"."line"`, CAUSE), ...values], ", ")} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON "w"."id" = "p"."source" JOIN "c" ON "c"."id" = "p"."target"`)}),
        ${drawManyNumbersSql(entity, series, "s")}"d" AS (UPDATE ${tableSql(entity)} AS "u" SET ${join([sql`"version" = "u"."version" + 1`, sql`"updated_at" = ${slot("now", "timestamptz")}`, ...assignments], ", ")} FROM "s" WHERE "u"."id" = "s"."id"${otherwise} RETURNING "u".*),
        "a" AS (${auditLine({ entity, action: moment, clause: effect.clause.id, version: context.version, changes: changesBetween(entity, [...changed, ...generatedFrom(entity, changed)], "c", "d"), cause: columnOf("s", CAUSE), from: sql`FROM "c" JOIN "d" ON "d"."id" = "c"."id" JOIN "s" ON "s"."id" = "c"."id"` })} RETURNING "id", "record")${bumpParentVersions(context.model, entity, "d")}
        SELECT ${changedRow.select({ id: sql`"a"."record"`, line: sql`"a"."id"`, before: sql`to_jsonb("c")::text` })} FROM "a" JOIN "c" ON "c"."id" = "a"."record" ORDER BY "a"."id"`,
    };
  });
  const rows = yield* send(written, {
    ...callerParams(caller),
    ...sequenceParams(series, caller.today),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name);
  const changed = new Set([...set.keys(), ...kept, ...series.map(({ name }) => name)]);
  return [{ entity, moment, changed, rows: toWrittenRows(rows) }];
}
