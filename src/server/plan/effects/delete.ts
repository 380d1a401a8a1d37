import type { Effect } from "../../../core/model/model.ts";
import { constant, join, sql } from "../../../core/sql.ts";
import { callerParams, getEntity } from "../context.ts";
import { columnOf, selectAs } from "../result-columns.ts";
import { auditLine, changesOfRow, storedOf } from "../row/audit-line.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { decodeDeletedParts, deletedPartsColumns, deletePartsSql } from "../transaction/cascade-delete.ts";
import { bumpParentVersions } from "../transaction/parent-versions.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
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
    sql: sql`WITH "d" AS (DELETE FROM ${tableSql(entity)} AS "x" USING ${runsSql} WHERE "x"."id" = "p"."target" RETURNING "x".*, ${selectAs(sql`"p"."line"`, CAUSE)}),
      "a" AS (${auditLine({ entity, action: "delete", clause: effect.clause.id, version: context.version, changes: changesOfRow(entity, storedOf(entity), "d", "before"), cause: columnOf("d", CAUSE), from: sql`FROM "d"` })} RETURNING "id", "record")${deletePartsSql(context, entity, "d", "a")}${bumpParentVersions(context.model, entity, "d")}
      SELECT ${join([changedRow.select({ id: sql`"a"."record"`, line: sql`"a"."id"`, before: sql`(to_jsonb("d") - ${constant(CAUSE.alias)})::text` }), ...deletedPartsColumns(context, entity, "d", "a")], ", ")} FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
  }));
  const rows = yield* send(written, { ...callerParams(caller), pairs: runsParam(effectRuns) });
  const [first] = rows;
  const gone = first === undefined ? [] : decodeDeletedParts(context, entity, first, "d");
  return [{ entity, moment: "delete", changed: null, rows: toWrittenRows(rows) }, ...gone];
}
