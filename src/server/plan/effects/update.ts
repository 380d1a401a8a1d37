import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findKeptAt } from "../../../core/model/facts/kept-fields.ts";
import type { Field } from "../../../core/model/field.ts";
import { sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { CANDIDATE, CURRENT, LINES, OTHER, RUNS, SOURCES, WRITTEN_ROWS } from "../aliases.ts";

import { callerParams, getEntity } from "../context.ts";
import { drawEach, findSequences, sequenceParams } from "../input/generated-values.ts";
import { resultColumnSql, selectAs } from "../result-columns.ts";
import { differs } from "../row/audit-line.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRowsSql, isCandidate, updateRowsSql } from "../transaction/update-rows.ts";
import { changedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import { tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { findBrokenConstraintRules } from "./constraint-rules.ts";
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
export function* runUpdateEffect(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "put" | "update" }>,
  effectRuns: readonly EffectRun[],
): Steps<Refusal | readonly WriteSet[]> {
  const entity = getEntity(tx.context, effect.entity);
  const set = new Map(
    [...effect.set].map(([name, expr]) => [name, (field: Field, env: SqlEnv) => effectValueSql(field, expr, env)]),
  );
  return yield* changeTargets(tx, writeSet, effect, { entity, action: "update", set }, effectRuns);
}

/** Changes locked records, each once. `action`: `update` or the name of a transition. */
export function* changeTargets(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Effect,
  {
    entity,
    action,
    set,
  }: { readonly entity: Entity; readonly action: string; readonly set: ReadonlyMap<string, EffectValue> },
  effectRuns: readonly EffectRun[],
): Steps<Refusal | readonly WriteSet[]> {
  if (effectRuns.length === 0) return [];
  const { context, caller } = tx;
  yield* lockParentsById(tx, entity, effectRuns);
  const series = findSequences(entity, action);
  const recomputed = findKeptAt(entity, action, new Set(set.keys()));
  const changed = new Set([...set.keys(), ...recomputed, ...series.map(({ name }) => name)]);
  // Skips updates without a change; a transition is always made.
  const isWritten =
    action === "update"
      ? sql`EXISTS (SELECT FROM ${CURRENT} WHERE ${CURRENT}."id" = ${CANDIDATE}."id" AND ${differs(entity, set.keys(), CURRENT.alias, CANDIDATE.alias)})`
      : sql`TRUE`;
  const tables = () => {
    const env = effectEnv(context.model, writeSet, gatheredEnv(effect));
    const current = sql`SELECT ${OTHER}.* FROM ${tableSql(entity)} AS ${OTHER} WHERE ${OTHER}."id" IN (SELECT ${RUNS}."target" FROM ${runsSql})`;
    const candidate = changedRowsSql(context.model, entity, {
      action,
      value: (field) => set.get(field.name)?.(field, env),
      more: [selectAs(sql`${RUNS}."line"`, CAUSE)],
      from: sql`FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source" JOIN ${CURRENT} ON ${CURRENT}."id" = ${RUNS}."target"`,
    });
    return [tableAs(CURRENT, current), tableAs(CANDIDATE, candidate)];
  };
  const params = { wave: sourceRowsParam(writeSet), pairs: runsParam(effectRuns) };
  const write = { entity, action, changed, rows: tables, isWritten, params };
  const refused = yield* findBrokenConstraintRules(tx, effect, write);
  if (refused !== undefined) return refused;
  const written = context.statements.get(["effect", effect.clause.id, "change"], () => {
    const rows = updateRowsSql({
      context,
      entity,
      action,
      clause: effect.clause.id,
      changed,
      changesState: entity.states !== null && set.has(entity.states.field),
      numbers: drawEach(entity, series, CANDIDATE.alias, "id"),
      from: sql`FROM ${CANDIDATE} WHERE ${isCandidate} AND ${isWritten}`,
      cause: resultColumnSql(CANDIDATE, CAUSE),
      lines: sql`FROM ${CURRENT} JOIN ${WRITTEN_ROWS} ON ${WRITTEN_ROWS}."id" = ${CURRENT}."id" JOIN ${CANDIDATE} ON ${CANDIDATE}."id" = ${CURRENT}."id"`,
      readsLines: true,
    });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: tables(),
        written: () => rows,
        result: {
          columns: [
            changedRow.select({
              id: sql`${LINES}."record"`,
              line: sql`${LINES}."id"`,
              before: sql`to_jsonb(${CURRENT})::text`,
            }),
          ],
          from: sql`FROM ${LINES} JOIN ${CURRENT} ON ${CURRENT}."id" = ${LINES}."record" ORDER BY ${LINES}."id"`,
        },
      }),
    };
  });
  const rows = yield* send(written, {
    ...callerParams(caller),
    ...sequenceParams(series, caller.today),
    ...params,
  });
  return [{ entity, action, changed, rows: toWrittenRows(rows) }];
}
