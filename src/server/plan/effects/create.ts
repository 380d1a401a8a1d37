import type { Effect } from "../../../core/model/effect.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import { sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { CANDIDATE, LINES, RUNS, SOURCES, WRITTEN_ROWS } from "../aliases.ts";

import { callerParams, getEntity } from "../context.ts";
import { drawEach, findSequences, sequenceParams } from "../input/generated-values.ts";
import { resultColumnSql, selectAs } from "../result-columns.ts";
import { type Steps, send } from "../steps.ts";
import { findParentRows, listChangedRecords, requireLocks } from "../transaction/early-locks.ts";
import { insertRowsSql, NTH, newRowsSql } from "../transaction/insert-rows.ts";
import { type LockRows, positionLock, sequenceLock, tryLocksSql } from "../transaction/locks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { insertedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import { tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { findBrokenConstraintRules } from "./constraint-rules.ts";
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

/** Creates a record per run of the effect. */
export function* runCreateEffect(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  effectRuns: readonly EffectRun[],
): Steps<Refusal | readonly WriteSet[]> {
  if (effectRuns.length === 0) return [];
  const { context, caller } = tx;
  const entity = getEntity(context, effect.entity);
  const series = findSequences(entity, "create");
  yield* lockParentsOfNew(tx, writeSet, effect, effectRuns);
  yield* lockGeneratedValues(tx, writeSet, effect, effectRuns);
  const tables = () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const candidate = newRowsSql(context.model, entity, {
      id: sql`uuidv7()`,
      value: (field) => initialEffectValue(context.model, entity, field, effect, env),
      more: [selectAs(sql`${RUNS}."line"`, CAUSE), selectAs(sql`${RUNS}."nth"`, NTH)],
      from: sql`FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source"`,
    });
    return [tableAs(CANDIDATE, candidate)];
  };
  const params = { wave: sourceRowsParam(writeSet), pairs: runsParam(effectRuns) };
  const write = { entity, action: "create", changed: null, rows: tables, params };
  const refused = yield* findBrokenConstraintRules(tx, effect, write);
  if (refused !== undefined) return refused;
  const written = context.statements.get(["effect", effect.clause.id, "create"], () => {
    const rows = insertRowsSql({
      context,
      entity,
      clause: effect.clause.id,
      numbers: drawEach(entity, series, CANDIDATE.alias, NTH.alias),
      from: sql`FROM ${CANDIDATE} ORDER BY ${resultColumnSql(CANDIDATE, NTH)}`,
      cause: resultColumnSql(CANDIDATE, CAUSE),
      lines: sql`FROM ${WRITTEN_ROWS} JOIN ${CANDIDATE} ON ${CANDIDATE}."id" = ${WRITTEN_ROWS}."id"`,
      readsLines: true,
    });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: tables(),
        written: () => rows,
        result: {
          columns: [insertedRow.select({ id: sql`${LINES}."record"`, line: sql`${LINES}."id"` })],
          from: sql`FROM ${LINES} ORDER BY ${LINES}."id"`,
        },
      }),
    };
  });
  const rows = yield* send(written, {
    ...callerParams(caller),
    ...sequenceParams(series, caller.today),
    ...params,
  });
  return [{ entity, action: "create", changed: null, rows: toWrittenRows(rows) }];
}

/**
 * Takes the locks for generated values. Without them, two transactions could generate an equal position, and two that
 * take numbers from several sequences could deadlock on the counters.
 */
function* lockGeneratedValues(
  { context, caller, written: writeSets }: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  effectRuns: readonly EffectRun[],
): Steps<void> {
  const entity = getEntity(context, effect.entity);
  const places = [...entity.fields.values()].filter((field) => isPositionGenerated(field, effect));
  const series = findSequences(entity, "create");
  if (places.length + series.length === 0) return;
  const holding = context.statements.get(["effect", effect.clause.id, "drawings"], () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const keys = [
      ...places.map((field) => positionLock(entity, field, parentIdSql(entity, field, effect, env))),
      ...series.map((field) => sequenceLock(entity, field)),
    ];
    const from = sql`FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source"`;
    const rows = keys.map((key): LockRows => ({ ...key, several: false, single: false, alone: true, from }));
    return { more: undefined, sql: tryLocksSql(rows) };
  });
  const locks = yield* send(holding, {
    ...callerParams(caller),
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  requireLocks(context.model, locks, listChangedRecords(writeSets));
}

/** Locks the parents of the new records. The written record is locked already. */
function* lockParentsOfNew(
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
    return findParentRows(model, entity, (field) => {
      const expr = effect.set.get(field.name);
      const value = expr === undefined ? sql`NULL::uuid` : effectValueSql(field, expr, env);
      return sql`SELECT ${value} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source"`;
    });
  };
  yield* lockParentsOf(tx, effect.clause.id, ofNew, { wave: sourceRowsParam(writeSet), pairs: runsParam(effectRuns) });
}
