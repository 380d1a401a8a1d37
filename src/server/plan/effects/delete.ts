import type { Effect } from "../../../core/model/model.ts";
import { constant, sql } from "../../../core/sql.ts";
import { DONE } from "../checks/check.ts";
import { callerParams, getEntity } from "../context.ts";
import { columnOf, selectAs } from "../result-columns.ts";
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
          from: sql`USING ${runsSql} WHERE "t"."id" = "p"."target"`,
          more: [selectAs(sql`"p"."line"`, CAUSE)],
          cause: columnOf(DONE, CAUSE),
        }),
      result: {
        columns: [
          changedRow.select({
            id: sql`"a"."record"`,
            line: sql`"a"."id"`,
            before: sql`(to_jsonb("d") - ${constant(CAUSE.alias)})::text`,
          }),
          ...deletedPartsColumns(context, entity, DONE, "a"),
        ],
        from: sql`FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
      },
    }),
  }));
  const rows = yield* send(written, { ...callerParams(caller), pairs: runsParam(effectRuns) });
  const [first] = rows;
  const gone = first === undefined ? [] : decodeDeletedParts(context, entity, first, DONE);
  return [{ entity, moment: "delete", changed: null, rows: toWrittenRows(rows) }, ...gone];
}
