import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { slot, sql } from "../../../core/sql.ts";
import { CANDIDATE, CHECKED, CURRENT, DIFFERS } from "../checks/check.ts";
import { fileInputValue, isFileField } from "../checks/files.ts";
import { callerParams, principalKey } from "../context.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { columnOf, selectAs } from "../result-columns.ts";
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
  const asked = [...new Set(parts.flatMap((part) => part.asked))].sort();
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name);
  const changed = new Set([...asked, ...kept]);
  const judging = partChecks(tx, list, asked, "update", changed);
  const written = context.statements.get(["parts change", entity.name, principalKey(caller.principal), asked], () => {
    const candidate = changedRowsSql(model, entity, {
      value: (field) => {
        if (!asked.includes(field.name)) return undefined;
        const given = isFileField(field) ? fileInputValue(field, CURRENT, sentValueSql(field)) : sentValueSql(field);
        return sql`CASE WHEN ${isSentSql(field.name)} THEN ${given} ELSE ${columnRef(CURRENT, field.name)} END`;
      },
      more: [selectAs(sql`"p"."nth"`, NTH)],
      from: sql`FROM "p" JOIN "c" ON "c"."id" = "p"."id"`,
    });
    const nth = columnOf(CANDIDATE, NTH);
    const current = sql`SELECT "t".* FROM ${tableSql(entity)} AS "t" WHERE "t"."id" IN (SELECT "p"."id" FROM "p")`;
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [sentPartsSql(entity), tableAs(CURRENT, current), tableAs(CANDIDATE, candidate)],
        checked: judging.checked([{ column: DIFFERS, condition: differs(entity, asked, CURRENT, CANDIDATE) }]),
        written: (holds) =>
          updateRowsSql({
            context,
            entity,
            action: "update",
            clause: decidingClauseId(entity, "update"),
            changed,
            moves: false,
            from: sql`FROM "n" JOIN "j" ON ${columnOf(CHECKED, NTH)} = ${nth} WHERE ${isCandidate} AND ${holds}`,
            cause: sql`${slot("line", "bigint")}`,
            lines: sql`FROM "c" JOIN "d" ON "d"."id" = "c"."id"`,
            readsLines: true,
            raisesParents: false,
          }),
        result: {
          columns: [
            CHECK_COLUMNS,
            ...judging.words(),
            changedRow.select({ id: sql`"n"."id"`, line: sql`"a"."id"`, before: sql`to_jsonb("c")::text` }),
          ],
          from: sql`FROM "j" JOIN "n" ON ${nth} = ${columnOf(CHECKED, NTH)} JOIN "c" ON "c"."id" = "n"."id" LEFT JOIN "a" ON "a"."record" = "n"."id" ORDER BY ${columnOf(CHECKED, NTH)}`,
        },
      }),
    };
  });
  const rows = yield* send(written, { ...callerParams(caller), parts: sentPartsParam(parts), line: causing });
  return decodePartsOutcome({ entity, moment: "update", changed }, parts, rows, judging.broken);
}
