import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { findKeptAt } from "../../../core/model/facts/kept-fields.ts";
import { slot, sql } from "../../../core/sql.ts";
import { CANDIDATE, CHECKED, CURRENT, LINES, SENT, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { DIFFERS } from "../checks/check.ts";
import { fileInputValue, isFileField } from "../checks/files.ts";
import { callerParams, principalKey } from "../context.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { resultColumnSql, selectAs } from "../result-columns.ts";
import { differs } from "../row/audit-line.ts";
import { columnRef, tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { NTH } from "../transaction/insert-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { changedRowsSql, isCandidate, updateRowsSql } from "../transaction/update-rows.ts";
import { changedRow } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { partChecks } from "./check-parts.ts";
import {
  decodePartsOutcome,
  isSentSql,
  type PartsOutcome,
  type PlacedPart,
  sentPartsParam,
  sentPartsSql,
  sentValueSql,
} from "./parts-payload.ts";

/** Updates sent parts in one statement that checks each like the update call of its entity. */
export function* updateParts(
  tx: WriteTransaction,
  causing: number,
  list: PartListInput,
  parts: readonly PlacedPart[],
): Steps<PartsOutcome> {
  const { context, caller } = tx;
  const { model } = context;
  const { entity } = list;
  const sentFields = [...new Set(parts.flatMap((part) => part.sentFields))].sort();
  const recomputed = findKeptAt(entity, "update", new Set(sentFields));
  const changed = new Set([...sentFields, ...recomputed]);
  const checks = partChecks(tx, list, sentFields, "update", changed);
  const written = context.statements.get(
    ["parts change", entity.name, principalKey(caller.principal), sentFields],
    () => {
      const candidate = changedRowsSql(model, entity, {
        action: "update",
        value: (field) => {
          if (!sentFields.includes(field.name)) return undefined;
          const sentValue = isFileField(field)
            ? fileInputValue(field, CURRENT.alias, sentValueSql(field))
            : sentValueSql(field);
          return sql`CASE WHEN ${isSentSql(field.name)} THEN ${sentValue} ELSE ${columnRef(CURRENT.alias, field.name)} END`;
        },
        more: [selectAs(sql`${SENT}."nth"`, NTH)],
        from: sql`FROM ${SENT} JOIN ${CURRENT} ON ${CURRENT}."id" = ${SENT}."id"`,
      });
      const nth = resultColumnSql(CANDIDATE, NTH);
      const current = sql`SELECT ${TABLE}.* FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" IN (SELECT ${SENT}."id" FROM ${SENT})`;
      return {
        more: undefined,
        sql: writeStatementSql({
          rows: [sentPartsSql(entity), tableAs(CURRENT, current), tableAs(CANDIDATE, candidate)],
          checked: checks.checked([
            { column: DIFFERS, condition: differs(entity, sentFields, CURRENT.alias, CANDIDATE.alias) },
          ]),
          written: (holds) =>
            updateRowsSql({
              context,
              entity,
              action: "update",
              clause: decidingClauseId(entity, "update"),
              changed,
              changesState: false,
              from: sql`FROM ${CANDIDATE} JOIN ${CHECKED} ON ${resultColumnSql(CHECKED, NTH)} = ${nth} WHERE ${isCandidate} AND ${holds}`,
              cause: sql`${slot("line", "bigint")}`,
              lines: sql`FROM ${CURRENT} JOIN ${WRITTEN_ROWS} ON ${WRITTEN_ROWS}."id" = ${CURRENT}."id"`,
              readsLines: true,
              raisesParents: false,
            }),
          result: {
            columns: [
              CHECK_COLUMNS,
              ...checks.words(),
              changedRow.select({
                id: sql`${CANDIDATE}."id"`,
                line: sql`${LINES}."id"`,
                before: sql`to_jsonb(${CURRENT})::text`,
              }),
            ],
            from: sql`FROM ${CHECKED} JOIN ${CANDIDATE} ON ${nth} = ${resultColumnSql(CHECKED, NTH)} JOIN ${CURRENT} ON ${CURRENT}."id" = ${CANDIDATE}."id" LEFT JOIN ${LINES} ON ${LINES}."record" = ${CANDIDATE}."id" ORDER BY ${resultColumnSql(CHECKED, NTH)}`,
          },
        }),
      };
    },
  );
  const rows = yield* send(written, { ...callerParams(caller), parts: sentPartsParam(parts), line: causing });
  return decodePartsOutcome({ entity, action: "update", changed }, parts, rows, checks.broken);
}
