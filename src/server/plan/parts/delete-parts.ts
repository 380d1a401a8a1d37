import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { slot, sql } from "../../../core/sql.ts";
import { LINES, TABLE, WRITTEN_ROWS } from "../aliases.ts";

import { callerParams } from "../context.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { type Steps, send } from "../steps.ts";
import { decodeDeletedParts, deletedPartsColumns, deleteRowsSql } from "../transaction/delete-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRow, toWrittenRows, type WriteSet } from "../transaction/write-set.ts";
import { writeStatementSql } from "../transaction/write-statement.ts";

/** Deletes parts with their nested parts, with an audit line for each. */
export function* deleteParts(
  { context, caller }: WriteTransaction,
  causing: number,
  { entity }: PartListInput,
  ids: readonly string[],
): Steps<readonly WriteSet[]> {
  const removing = context.statements.get(["parts remove", entity.name], () => ({
    more: undefined,
    sql: writeStatementSql({
      written: () =>
        deleteRowsSql({
          context,
          entity,
          clause: decidingClauseId(entity, "delete"),
          from: sql`WHERE ${TABLE}."id" = ANY(${slot("ids", "uuid[]")})`,
          cause: sql`${slot("line", "bigint")}`,
          raisesParents: false,
        }),
      result: {
        columns: [
          changedRow.select({
            id: sql`${LINES}."record"`,
            line: sql`${LINES}."id"`,
            before: sql`to_jsonb(${WRITTEN_ROWS})::text`,
          }),
          ...deletedPartsColumns(context, entity, WRITTEN_ROWS.alias, LINES.alias),
        ],
        from: sql`FROM ${LINES} JOIN ${WRITTEN_ROWS} ON ${WRITTEN_ROWS}."id" = ${LINES}."record" ORDER BY ${LINES}."id"`,
      },
    }),
  }));
  const rows = yield* send(removing, { ...callerParams(caller), ids, line: causing });
  const [first] = rows;
  return [
    { entity, action: "delete", changed: null, rows: toWrittenRows(rows) },
    ...(first === undefined ? [] : decodeDeletedParts(context, entity, first, WRITTEN_ROWS.alias)),
  ];
}
