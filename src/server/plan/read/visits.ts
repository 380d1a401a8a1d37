import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { slot, sql } from "../../../core/sql.ts";
import type { VisitJson } from "../../../core/wire/history.ts";
import type { Intent } from "../../intent.ts";
import { refuseCall } from "../../refusal.ts";
import { TABLE, VISITS } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, DONE_OUTCOME, type Done, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";

/**
 * The last visit of each user to a record, and its state then, so that later changes by others can be shown. Stored
 * only for readable records, and visible only to the user.
 */

/** The caller's last visit to a record; nulls if there is none. */
export const planVisit = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "visit" }>,
  caller: Caller,
): BatchPlan<Found> => {
  const entity = getEntity(context, intent.entity);
  const written = context.statements.get(["visit", entity.name, principalKey(caller.principal)], () => ({
    more: undefined,
    sql: sql`SELECT ${VISITS}.at, ${VISITS}.seen FROM ${tableSql(entity)} AS ${TABLE}
      LEFT JOIN ninefold.visit AS ${VISITS} ON ${VISITS}.record = ${TABLE}."id" AND ${VISITS}.person = ${slot("user", "uuid")}
      WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${readableSql(context, entity, caller)}`,
  }));
  return planBatch<Found>([toQuery(written, { ...callerParams(caller), id: intent.id })], ([rows = []]) => {
    const [row] = rows;
    if (row === undefined) return notFound(entity);
    const toText = (moment: unknown) => (moment === null ? null : String(moment));
    return asFound({ at: toText(row.at), seen: toText(row.seen) } satisfies VisitJson);
  });
};

/** Stores a visit to the record in the state `seen`. A page left open does not overwrite a later visit. */
export const planStoreVisit = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "visited" }>,
  caller: Caller,
): BatchPlan<Done> => {
  const entity = getEntity(context, intent.entity);
  const written = context.statements.get(["visited", entity.name, principalKey(caller.principal)], () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.visit AS ${VISITS} (person, record, at, seen)
      SELECT ${slot("user", "uuid")}, ${TABLE}."id", ${slot("now", "timestamptz")}, least(${slot("seen", "timestamptz")}, ${TABLE}."updated_at")
      FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${readableSql(context, entity, caller)}
      ON CONFLICT (person, record) DO UPDATE SET at = excluded.at, seen = greatest(${VISITS}.seen, excluded.seen)
      RETURNING ${VISITS}.record`,
  }));
  return planBatch<Done>(
    [toQuery(written, { ...callerParams(caller), id: intent.id, seen: intent.seen })],
    ([rows = []]) => (rows.length === 0 ? notFound(entity) : DONE_OUTCOME),
  );
};

const readableSql = ({ model }: PlanContext, entity: Entity, { principal }: Caller) =>
  asCondition(readScope(model, entity, principal, TABLE.alias).rows);

const notFound = (entity: Entity) => refuseCall(recordRefusal(entity));
