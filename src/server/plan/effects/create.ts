import { type Effect, isGiven, isWritten } from "../../../core/model/model.ts";
import { findParents } from "../../../core/model/parts.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { callerParams, getEntity } from "../context.ts";
import { drawManyNumbersSql, drawnNumberOfRow, sequenceParams, sequencesAt } from "../input/generated-values.ts";
import { asNumber, columnOf, resultColumn, selectAs } from "../result-columns.ts";
import { auditLine, changesOfRow, storedOf } from "../row/audit-line.ts";
import { candidateSql } from "../row/proposed-row.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { changedRecords, parentsOfRows, requireLocks } from "../transaction/early-locks.ts";
import { type LockRows, positionLock, sequenceLock, tryLocksSql } from "../transaction/locks.ts";
import { bumpParentVersions } from "../transaction/parent-versions.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { insertedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import {
  CAUSE,
  type EffectRun,
  effectEnv,
  gatheredEnv,
  lockParentsOf,
  runsParam,
  runsSql,
  sourceRowsParam,
  sourceRowsSql,
} from "./targets.ts";
import { effectValueSql, initialEffectValue, isPositionGenerated, parentIdSql } from "./values.ts";

const NTH = resultColumn("is:nth", asNumber);

/** Creates a record per run of the effect. */
export function* runCreateEffect(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  effectRuns: readonly EffectRun[],
): Steps<readonly WriteSet[]> {
  if (effectRuns.length === 0) return [];
  const { context, caller } = tx;
  const entity = getEntity(context, effect.entity);
  const series = sequencesAt(entity, "create");
  yield* wholesOfNew(tx, writeSet, effect, effectRuns);
  yield* drawingsHeld(tx, writeSet, effect, effectRuns);
  const written = context.statements.get(["effect", effect.clause.id, "create"], () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const fields = [...entity.fields.values()].filter(isWritten);
    const values = fields
      .filter(isGiven)
      .map((field) => sql`${initialEffectValue(entity, field, effect, env)} AS ${identifier(field.name)}`);
    const system = ["id", "version", "created_at", "updated_at"].map(identifier);
    const since = entity.states === null ? [] : [sql`"state_since"`];
    const names = join([...system, ...since, ...fields.map(({ name }) => identifier(name))], ", ");
    const drawn = fields.map((field) =>
      series.includes(field) ? drawnNumberOfRow(field, "s", NTH.alias) : identifier(field.name),
    );
    return {
      more: undefined,
      sql: sql`WITH "s" AS MATERIALIZED (${candidateSql(context.model, entity, sql`SELECT uuidv7() AS "id", 1 AS "version", ${slot("now", "timestamptz")} AS "created_at", ${slot("now", "timestamptz")} AS "updated_at", ${join([...values, selectAs(sql`"p"."line"`, CAUSE), selectAs(sql`"p"."nth"`, NTH)], ", ")} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON "w"."id" = "p"."source"`)}),
        ${drawManyNumbersSql(entity, series, "s")}"d" AS (INSERT INTO ${tableSql(entity)} (${names}) SELECT ${join([...system, ...since.map(() => sql`"created_at"`), ...drawn], ", ")} FROM "s" ORDER BY ${identifier(NTH.alias)} RETURNING *),
        "a" AS (${auditLine({ entity, action: "create", clause: effect.clause.id, version: context.version, changes: changesOfRow(entity, storedOf(entity), "d", "after"), cause: columnOf("s", CAUSE), from: sql`FROM "d" JOIN "s" ON "s"."id" = "d"."id"` })} RETURNING "id", "record")${bumpParentVersions(context.model, entity, "d")}
        SELECT ${insertedRow.select({ id: sql`"a"."record"`, line: sql`"a"."id"` })} FROM "a" ORDER BY "a"."id"`,
    };
  });
  const rows = yield* send(written, {
    ...callerParams(caller),
    ...sequenceParams(series, caller.today),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  return [{ entity, moment: "create", changed: null, rows: toWrittenRows(rows) }];
}

/**
 * Takes the locks for generated values. Without a lock, two transactions could generate an equal position; and two that
 * take numbers from several sequences could deadlock on their counters.
 */
function* drawingsHeld(
  { context, caller, written: writeSets }: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  effectRuns: readonly EffectRun[],
): Steps<void> {
  const entity = getEntity(context, effect.entity);
  const places = [...entity.fields.values()].filter((field) => isPositionGenerated(field, effect));
  const series = sequencesAt(entity, "create");
  if (places.length + series.length === 0) return;
  const holding = context.statements.get(["effect", effect.clause.id, "drawings"], () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const keys = [
      ...places.map((field) => positionLock(entity, field, parentIdSql(entity, field, effect, env))),
      ...series.map((field) => sequenceLock(entity, field)),
    ];
    const from = sql`FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON "w"."id" = "p"."source"`;
    const rows = keys.map((key): LockRows => ({ ...key, several: false, single: false, alone: true, from }));
    return { more: undefined, sql: tryLocksSql(rows) };
  });
  const locks = yield* send(holding, {
    ...callerParams(caller),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  requireLocks(context.model, locks, changedRecords(writeSets));
}

/** Locks the parents of the new records, except the written record, which is locked already. */
function* wholesOfNew(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  effectRuns: readonly EffectRun[],
): Steps<void> {
  const { model } = tx.context;
  const entity = getEntity(tx.context, effect.entity);
  const isWritten = findParents(model, entity).every(({ field }) => effect.set.get(field.name)?.kind === "this");
  if (isWritten) return;
  const ofNew = () => {
    const env = effectEnv(model, writeSet, gatheredEnv(effect));
    return parentsOfRows(model, entity, (field) => {
      const expr = effect.set.get(field.name);
      const value = expr === undefined ? sql`NULL::uuid` : effectValueSql(field, expr, env);
      return sql`SELECT ${value} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON "w"."id" = "p"."source"`;
    });
  };
  yield* lockParentsOf(tx, effect.clause.id, ofNew, { wave: sourceRowsParam(writeSet), pairs: runsParam(effectRuns) });
}
