import type { Effect } from "../../../core/model/effect.ts";
import { constant, sql } from "../../../core/sql.ts";
import { LINES, RUNS, TABLE, WRITTEN_ROWS } from "../aliases.ts";

import { callerParams, getEntity } from "../context.ts";
import { resultColumnSql, selectAs } from "../result-columns.ts";
import { type Steps, send } from "../steps.ts";
import { decodeDeletedParts, deletedPartsColumns, deleteRowsSql } from "../transaction/delete-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import { writeStatementSql } from "../transaction/write-statement.ts";
import { CAUSE, type EffectRun, lockParentsById, runsParam, runsSql } from "./targets.ts";

/** Deletes locked records with their parts. */
export function* runDeleteEffect(
  tx: WriteTransaction,
  effect: Extract<Effect, { kind: "delete" }>,
  effectRuns: readonly EffectRun[],
): Steps<readonly WriteSet[]> {
  if (effectRuns.length === 0) return [];
  const { context, caller } = tx;
  const entity = getEntity(context, effect.entity);
  yield* lockParentsById(tx, entity, effectRuns);
  const written = context.statements.get(["effect", effect.clause.id, "delete"], () => ({
    more: undefined,
    sql: writeStatementSql({
      written: () =>
        deleteRowsSql({
          context,
          entity,
          clause: effect.clause.id,
          from: sql`USING ${runsSql} WHERE ${TABLE}."id" = ${RUNS}."target"`,
          more: [selectAs(sql`${RUNS}."line"`, CAUSE)],
          cause: resultColumnSql(WRITTEN_ROWS, CAUSE),
        }),
      result: {
        columns: [
          changedRow.select({
            id: sql`${LINES}."record"`,
            line: sql`${LINES}."id"`,
            before: sql`(to_jsonb(${WRITTEN_ROWS}) - ${constant(CAUSE.alias)})::text`,
          }),
          ...deletedPartsColumns(context, entity, WRITTEN_ROWS.alias, LINES.alias),
        ],
        from: sql`FROM ${LINES} JOIN ${WRITTEN_ROWS} ON ${WRITTEN_ROWS}."id" = ${LINES}."record" ORDER BY ${LINES}."id"`,
      },
    }),
  }));
  const rows = yield* send(written, { ...callerParams(caller), pairs: runsParam(effectRuns) });
  const [first] = rows;
  const deletedParts = first === undefined ? [] : decodeDeletedParts(context, entity, first, WRITTEN_ROWS.alias);
  return [{ entity, action: "delete", changed: null, rows: toWrittenRows(rows) }, ...deletedParts];
}
