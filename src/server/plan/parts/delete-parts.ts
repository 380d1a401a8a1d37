import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { join, slot, sql } from "../../../core/sql.ts";
import { DONE } from "../checks/check.ts";
import { slotsOf } from "../context.ts";
import type { GivenList } from "../input/parse-parts.ts";
import { auditLine, changesOfWhole, storedOf } from "../row/audit-line.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { goneColumns, goneWaves, partsGone } from "../transaction/cascade-delete.ts";
import type { Following } from "../transaction/transaction-context.ts";
import { rowsWritten, type Written } from "../transaction/write-set.ts";

/** Deletes parts, with a line of the history for each and all that goes with them. */
export function* removeParts(
  { context, asker }: Following,
  causing: number,
  { entity }: GivenList,
  ids: readonly string[],
): Steps<readonly Written[]> {
  const removing = context.statements.get(["parts remove", entity.name], () => ({
    more: undefined,
    sql: sql`WITH "d" AS (DELETE FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause: decidingClauseId(entity, "delete"), version: context.version, changes: changesOfWhole(entity, storedOf(entity), DONE, "before"), cause: sql`${slot("line", "bigint")}`, from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, DONE, "a")}
      SELECT ${join([sql`"a"."record" AS "id"`, sql`"a"."id" AS "line"`, sql`to_jsonb("d")::text AS "before"`, ...goneColumns(context, entity, DONE, "a")], ", ")} FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
  }));
  const rows = yield queryOf(removing, { ...slotsOf(asker), ids, line: causing });
  const [first] = rows;
  return [
    { entity, moment: "delete", changed: null, rows: rowsWritten(rows) },
    ...(first === undefined ? [] : goneWaves(context, entity, first, DONE)),
  ];
}
