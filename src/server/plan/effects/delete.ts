import type { Effect } from "../../../core/model/model.ts";
import { join, sql } from "../../../core/sql.ts";
import { entityOf, slotsOf } from "../context.ts";
import { auditLine, changesOfWhole, storedOf } from "../row/audit-line.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { goneColumns, goneWaves, partsGone } from "../transaction/cascade-delete.ts";
import { wholesRaised } from "../transaction/parent-versions.ts";
import type { Following } from "../transaction/transaction-context.ts";
import { rowsWritten, type Written } from "../transaction/write-set.ts";
import { type Pair, pairsSlot, pairsSql, wholesHeldById } from "./targets.ts";

/** Deletes records that are locked, and with each the parts that go with it. */
export function* remove(
  following: Following,
  effect: Extract<Effect, { kind: "delete" }>,
  pairs: readonly Pair[],
): Steps<readonly Written[]> {
  if (pairs.length === 0) return [];
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  yield* wholesHeldById(following, entity, pairs);
  const written = context.statements.get(["effect", effect.clause.id, "delete"], () => ({
    more: undefined,
    sql: sql`WITH "d" AS (DELETE FROM ${tableOf(entity)} AS "x" USING ${pairsSql} WHERE "x"."id" = "p"."target" RETURNING "x".*, "p"."line" AS "is:cause"),
      "a" AS (${auditLine({ entity, action: "delete", clause: effect.clause.id, version: context.version, changes: changesOfWhole(entity, storedOf(entity), "d", "before"), cause: sql`"d"."is:cause"`, from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, "d", "a")}${wholesRaised(context.model, entity, "d")}
      SELECT ${join([sql`"a"."record" AS "id"`, sql`"a"."id" AS "line"`, sql`(to_jsonb("d") - 'is:cause')::text AS "before"`, ...goneColumns(context, entity, "d", "a")], ", ")} FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
  }));
  const rows = yield queryOf(written, { ...slotsOf(asker), pairs: pairsSlot(pairs) });
  const [first] = rows;
  const gone = first === undefined ? [] : goneWaves(context, entity, first, "d");
  return [{ entity, moment: "delete", changed: null, rows: rowsWritten(rows) }, ...gone];
}
