import { decidingClauseId, type Grant, type Principal } from "../../../core/derive/authorization/grants.ts";
import { permissionRefusal, requiredRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE, CHECKED, EARLIER, LINES, SENT } from "../aliases.ts";

import { initialChecks, isDefaultMissing } from "../checks/field-conditions.ts";
import { fileInputValue, isFileField } from "../checks/files.ts";
import { coveringGrants, grantColumn } from "../checks/permissions.ts";
import { callerParams, principalKey } from "../context.ts";
import { drawEach, findSequences, freeSlugSql, sequenceParams } from "../input/generated-values.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { resultColumnSql, selectAs } from "../result-columns.ts";
import { initialEnv } from "../row/initial-env.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { refusedAction } from "../row/refused-access.ts";
import { rowEnv } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { insertRowsSql, NTH, newRowsSql } from "../transaction/insert-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { insertedRow } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { partChecks } from "./check-parts.ts";
import { fieldRefusal } from "./load-parts.ts";
import {
  decodePartsOutcome,
  isSentSql,
  type PartsOutcome,
  type PlacedPart,
  sentPartsParam,
  sentPartsSql,
  sentValueSql,
} from "./parts-payload.ts";

/** Creates new parts in one statement that checks each like the create call of its entity. */
export function* insertParts(
  tx: WriteTransaction,
  causing: number,
  list: PartListInput,
  parts: readonly PlacedPart[],
): Steps<PartsOutcome> {
  const { context, caller } = tx;
  const { model } = context;
  const { entity, grants } = list;
  const sentFields = [...new Set(parts.flatMap((part) => part.sentFields))].sort();
  const named = [...sentFields, ...new Set(parts.flatMap(({ lists }) => lists))].sort();
  const series = findSequences(entity, "create");
  const checks = partChecks(tx, list, sentFields, "create", new Set());
  const computed = [...list.computed.keys()].sort();
  const needed = initialChecks(entity, computed);
  const written = context.statements.get(
    ["parts make", entity.name, principalKey(caller.principal), named, computed],
    () => {
      const env = rowEnv(model, entity, CANDIDATE.alias);
      const nth = resultColumnSql(CANDIDATE, NTH);
      const candidate = newRowsSql(model, entity, {
        id: sql`uuidv7()`,
        value: (field) => initialPartValue(context.model, caller.principal, list, field),
        more: [selectAs(sql`${SENT}."nth"`, NTH)],
        from: sql`FROM (SELECT * FROM ${SENT} ORDER BY "nth") AS ${SENT}`,
      });
      // The permissions are those of the part's own call: a grant covers it, and each sent field is covered by such a
      // grant.
      const open = (covering: readonly Grant[]): Sql =>
        covering.length === 0
          ? sql`FALSE`
          : sql`(${join(
              covering.map((grant) => resultColumnSql(CHECKED, grantColumn(grants.create.indexOf(grant)))),
              " OR ",
            )})`;
      const areOpen = named.map(
        (name) =>
          sql`(${open(grants.create.filter(({ fields: some }) => some === null || some.has(name)))} OR NOT (${isSentSql(name)}))`,
      );
      return {
        more: undefined,
        sql: writeStatementSql({
          rows: [sentPartsSql(entity), tableAs(CANDIDATE, candidate)],
          checked: { ...checks.checked(needed), permission: { grants: grants.create, fields: [], env } },
          written: (holds) =>
            insertRowsSql({
              context,
              entity,
              clause: decidingClauseId(entity, "create"),
              numbers: drawEach(entity, series, CANDIDATE.alias, NTH.alias),
              from: sql`FROM ${CANDIDATE} JOIN ${CHECKED} ON ${resultColumnSql(CHECKED, NTH)} = ${nth} JOIN ${SENT} ON ${SENT}."nth" = ${nth} WHERE ${join([holds, ...areOpen], " AND ")} ORDER BY ${nth}`,
              cause: sql`${slot("line", "bigint")}`,
              readsLines: true,
              raisesParents: false,
            }),
          result: {
            columns: [
              CHECK_COLUMNS,
              ...checks.words(),
              insertedRow.select({ id: sql`${CANDIDATE}."id"`, line: sql`${LINES}."id"` }),
            ],
            from: sql`FROM ${CHECKED} JOIN ${CANDIDATE} ON ${nth} = ${resultColumnSql(CHECKED, NTH)} LEFT JOIN ${LINES} ON ${LINES}."record" = ${CANDIDATE}."id" ORDER BY ${resultColumnSql(CHECKED, NTH)}`,
          },
        }),
      };
    },
  );
  const rows = yield* send(written, {
    ...callerParams(caller),
    ...sequenceParams(series, caller.today),
    parts: sentPartsParam(parts),
    line: causing,
  });
  const clause = decidingClauseId(entity, "create");
  return decodePartsOutcome({ entity, action: "create", changed: null }, parts, rows, (row, part) => {
    const covering = coveringGrants(grants.create, row);
    if (covering.length === 0)
      return [
        {
          ...permissionRefusal(clause),
          at: "",
          values: {},
          message: refusedAction(model, caller, entity, "create"),
        },
      ];
    const forbidden = [...part.sentFields, ...part.lists].filter(
      (name) => !covering.some(({ fields }) => fields === null || fields.has(name)),
    );
    return [
      ...forbidden.map((name) => fieldRefusal(entity, `/${name}`, clause, name)),
      ...needed.flatMap(({ field: name }): readonly RefusalAt[] => {
        const field = entity.fields.get(name);
        return field === undefined || !isDefaultMissing(name, row)
          ? []
          : [{ ...requiredRefusal(field), values: { field: field.title } }];
      }),
      ...checks.broken(row, part),
    ];
  });
}

/** The value of a field of a new part: the parent, a sent value, or a default. */
const initialPartValue = (model: Model, creator: Principal, list: PartListInput, field: Field): Sql => {
  const { entity, field: by, computed } = list;
  if (field.name === by.name) return sql`${SENT}."whole"`;
  const sentValue = isFileField(field) ? fileInputValue(field, null, sentValueSql(field)) : sentValueSql(field);
  const expr = computed.get(field.name);
  if (expr !== undefined) {
    // The id of a part is generated at its insertion, so no default can read it.
    const newPart = { id: sql`NULL`, value: (other: Field) => initialPartValue(model, creator, list, other) };
    const env = initialEnv(model, entity, newPart, field.set === null ? creator : null);
    return sql`CASE WHEN ${isSentSql(field.name)} THEN ${sentValue} ELSE (${toSql(expr, env).value})::${columnTypeSql(field)} END`;
  }
  if (field.type !== "slug") return sentValue;
  const base = sql`${SENT}.${identifier(`slug:${field.name}`)}`;
  const among = sql`(SELECT count(*) FROM ${SENT} AS ${EARLIER} WHERE ${EARLIER}.${identifier(`slug:${field.name}`)} = ${base} AND ${EARLIER}."nth" < ${SENT}."nth")`;
  // New parts with the same slug base start from different numbers.
  const own = sql`(${base} || CASE ${among} WHEN 0 THEN '' ELSE '-' || (${among} + 1) END)`;
  return sql`COALESCE(${sentValue}, ${freeSlugSql(entity, field, own, sql`gen_random_uuid()`)})`;
};
