import { decidingClauseId, type Grant } from "../../../core/derive/authorization/grants.ts";
import { closedFieldRefusal, permissionRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { GRANTED, TABLE } from "../aliases.ts";
import { grantColumn, grantColumns } from "../checks/permissions.ts";
import { callerParams, principalKey } from "../context.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import {
  asNumber,
  asNumberOrNull,
  asText,
  type BooleanColumn,
  booleanColumn,
  readColumn,
  resultColumnSql,
  resultShape,
  selectAs,
} from "../result-columns.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { refusedAction } from "../row/refused-access.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { OrderedPart, StoredPart } from "./match-order.ts";

type PartAction = "update" | "delete";

const storedPart = resultShape({ id: asText, version: asNumber, parent: asText, place: asNumberOrNull });
const actionColumn = (action: PartAction, nth: number): BooleanColumn => booleanColumn(`${action}:${nth}`);

/** Reads and locks the stored parts that the caller can see, with the covering grants of each. */
export function* loadParts(
  { context, caller }: WriteTransaction,
  parentIds: readonly string[],
  { entity, field, place, grants }: PartListInput,
): Steps<readonly StoredPart[]> {
  const reading = context.statements.get(["parts", entity.name, principalKey(caller.principal)], () => {
    const scope = readScope(context.model, entity, caller.principal, TABLE.alias);
    const columns = (["update", "delete"] as const).flatMap((action) =>
      grantColumns(grants[action], scope.env).map((column, i) =>
        selectAs(
          sql`(SELECT ${resultColumnSql(GRANTED, grantColumn(i))} FROM (SELECT ${column}) AS ${GRANTED})`,
          actionColumn(action, i),
        ),
      ),
    );
    const order = place === null ? sql`${TABLE}."id"` : sql`${TABLE}.${identifier(place.name)}, ${TABLE}."id"`;
    const at = place === null ? sql`NULL::bigint` : sql`${TABLE}.${identifier(place.name)}`;
    return {
      more: undefined,
      sql: sql`SELECT ${join([storedPart.select({ id: sql`${TABLE}."id"`, version: sql`${TABLE}."version"`, parent: sql`${TABLE}.${identifier(field.name)}`, place: at }), ...columns], ", ")} FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}.${identifier(field.name)} = ANY(${slot("wholes", "uuid[]")}) AND ${asCondition(scope.rows)} ORDER BY ${order} FOR UPDATE`,
    };
  });
  const rows = yield* send(reading, { ...callerParams(caller), wholes: parentIds });
  const openOn = (row: Row, action: PartAction): readonly Grant[] =>
    grants[action].filter((_, i) => readColumn(row, actionColumn(action, i)) === true);
  return rows.map((row) => ({
    ...storedPart.read(row),
    update: openOn(row, "update"),
    delete: openOn(row, "delete"),
  }));
}

/** Refuses changes of stored parts for which the caller lacks permission: an update, single fields, or a deletion. */
export const refusePartChanges = (
  { context: { model }, caller }: WriteTransaction,
  { list, entity, items: sent }: PartListInput,
  present: readonly StoredPart[],
  items: readonly OrderedPart[],
): readonly RefusalAt[] => {
  const byId = new Map(present.map((part) => [part.id, part]));
  const changes = items.flatMap(({ at, id, sentFields, lists }): readonly RefusalAt[] => {
    const part = id === null ? undefined : byId.get(id);
    if (part === undefined || sentFields.length + lists.length === 0) return [];
    const clause = decidingClauseId(entity, "update");
    if (part.update.length === 0)
      return [
        { ...permissionRefusal(clause), at, values: {}, message: refusedAction(model, caller, entity, "update") },
      ];
    return [...sentFields, ...lists]
      .filter((name) => !part.update.some(({ fields }) => fields === null || fields.has(name)))
      .map((name) => fieldRefusal(entity, `${at}/${name}`, clause, name));
  });
  const sentIds = new Set(sent.map(({ id }) => id));
  const isUndeletable = present.some((part) => !sentIds.has(part.id) && part.delete.length === 0);
  return [
    ...changes,
    ...(isUndeletable
      ? [
          {
            ...permissionRefusal(decidingClauseId(entity, "delete")),
            at: `/${list.name}`,
            values: {},
            message: refusedAction(model, caller, entity, "delete"),
          },
        ]
      : []),
  ];
};

/** The refusal of a field without write permission. */
export const fieldRefusal = (entity: Entity, at: string, clause: string, name: string): RefusalAt => ({
  ...closedFieldRefusal(clause),
  at,
  values: { field: entity.fields.get(name)?.title ?? name },
});
