import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { OTHER, RUNS, SOURCES } from "../aliases.ts";
import { callerParams, getEntity } from "../context.ts";
import { asNumber, asText, asTextOrNull, readColumn, resultColumn, resultShape, selectAs } from "../result-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { listChangedRecords, requireLocks } from "../transaction/early-locks.ts";
import { triedLock } from "../transaction/locks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import {
  type EffectRun,
  effectEnv,
  gatheredEnv,
  groupIntoRounds,
  lockRecords,
  runsParam,
  runsSql,
  sourceRowsParam,
  sourceRowsSql,
  targetId,
} from "./targets.ts";
import { effectValueSql } from "./values.ts";

/** The key of a run as text, with the index of the run. */
const keyedRun = resultShape({ text: asText, nth: asNumber });

const TARGET = resultColumn("target", asTextOrNull);

type Put = Extract<Effect, { kind: "put" }>;

/**
 * Groups the runs of an effect so that each key occurs once per group. Locks the keys, so that two concurrent
 * transactions do not both create the record.
 */
export function* groupByKey(
  { context, caller, written: writeSets }: WriteTransaction,
  writeSet: WriteSet,
  effect: Put,
  effectRuns: readonly EffectRun[],
): Steps<readonly (readonly EffectRun[])[]> {
  if (effectRuns.length === 0) return [];
  const entity = getEntity(context, effect.entity);
  const waiting = context.statements.get(["effect", effect.clause.id, "wait"], () => ({
    more: undefined,
    sql: sql`SELECT ${triedLock.select({ name: constant(`put ${entity.name}`), key: sql`hashtextextended("text", 0)::text`, alone: sql`TRUE`, held: sql`pg_try_advisory_xact_lock(hashtextextended("text", 0))` })}, ${keyedRun.select({ text: sql`"text"`, nth: sql`"nth"` })} FROM (SELECT ${constant(`put ${entity.name} ${effect.key.join(",")} `)} || jsonb_build_array(${join(
      buildKey(context.model, entity, writeSet, effect).map(([, value]) => value),
      ", ",
    )})::text AS "text", ${RUNS}."nth" FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source" ORDER BY "text", ${RUNS}."nth" OFFSET 0) AS ${OTHER}`,
  }));
  const keys = new Map<EffectRun, string>();
  const rows = yield* send(waiting, {
    ...callerParams(caller),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  requireLocks(context.model, rows, listChangedRecords(writeSets));
  for (const { nth, text } of rows.map(keyedRun.read)) {
    const effectRun = effectRuns[nth];
    if (effectRun !== undefined) keys.set(effectRun, text);
  }
  return groupIntoRounds(effectRuns, (effectRun) => keys.get(effectRun) ?? "");
}

/** Splits the runs of one group: those whose key has a record, which is locked, and the others. */
export function* findTargetsByKey(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Put,
  round: readonly EffectRun[],
): Steps<{ readonly existing: readonly EffectRun[]; readonly missing: readonly EffectRun[] }> {
  const { context, caller } = tx;
  const entity = getEntity(context, effect.entity);
  const finding = context.statements.get(["effect", effect.clause.id, "find"], () => ({
    more: undefined,
    sql: sql`SELECT ${selectAs(
      sql`(SELECT ${OTHER}."id" FROM ${tableSql(entity)} AS ${OTHER} WHERE ${join(
        buildKey(context.model, entity, writeSet, effect).map(
          ([field, value]) => sql`${OTHER}.${identifier(field.name)} IS NOT DISTINCT FROM ${value}`,
        ),
        " AND ",
      )} ORDER BY ${OTHER}."id" LIMIT 1)`,
      TARGET,
    )} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source" ORDER BY ${RUNS}."nth"`,
  }));
  const found = yield* send(finding, {
    ...callerParams(caller),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(round),
  });
  const aimed = round.map((effectRun, i): EffectRun => ({ ...effectRun, target: readColumn(found[i] ?? {}, TARGET) }));
  const withTarget = aimed.filter(({ target }) => target !== null);
  const locked = yield* lockRecords(tx, effect.entity, withTarget.map(targetId));
  return {
    existing: withTarget.filter((effectRun) => locked.has(targetId(effectRun))),
    missing: aimed.filter(({ target }) => target === null),
  };
}

const buildKey = (
  model: Model,
  entity: Entity,
  writeSet: WriteSet,
  effect: Put,
): readonly (readonly [Field, Sql])[] => {
  const env = effectEnv(model, writeSet, gatheredEnv(effect));
  return effect.key.flatMap((name) => {
    const field = entity.fields.get(name);
    const expr = effect.set.get(name);
    return field === undefined || expr === undefined ? [] : [[field, effectValueSql(field, expr, env)] as const];
  });
};
