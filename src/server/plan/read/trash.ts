import { discloseLines } from "../../../core/analysis/disclosure/history-disclosure.ts";
import { canFindTrash } from "../../../core/derive/authorization/trash.ts";
import { cursorRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { isId } from "../../../core/field/reference.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { join, slot, sql } from "../../../core/sql.ts";
import type { TrashedJson, TrashJson } from "../../../core/wire/trash.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { OTHER, TABLE, TRASH } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { asNumber, asText, asTextOrNull, asValue, resultShape } from "../result-columns.ts";
import { labelSql, labelText, referenceLabelSql } from "../row/labels.ts";
import { couldDelete, isTrashed, trashedRowsSql } from "../row/trashed-rows.ts";
import { toQuery, type Written } from "../statements.ts";

/** Number of records per page. */
const PAGE_SIZE = 50;

const trashedRow = resultShape({
  id: asText,
  at: asText,
  person: asTextOrNull,
  by: asValue,
  label: asValue,
  parts: asNumber,
});

/**
 * Plans the list of deleted records that the caller can restore, of one entity or of all, newest first. Each entity
 * takes one statement.
 */
export const planTrash = (
  context: PlanContext,
  { of, after }: Extract<Intent, { kind: "trash" }>,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const entities = [...model.entities.values()].filter(
    (entity) => (of === null || entity.name === of) && canFindTrash(model, entity, caller.principal),
  );
  const from = parseCursor(after);
  if (from === undefined) return refuseCall(cursorRefusal);
  const slots = { ...callerParams(caller), limit: PAGE_SIZE + 1, before: from.at, last: from.record };
  return planBatch<Found>(
    entities.map((entity) => toQuery(trashStatement(context, entity, caller), slots)),
    (results) => {
      const all = entities
        .flatMap((entity, i) => (results[i] ?? []).map((row) => decodeTrashed(context, entity, row, caller, format)))
        .toSorted((a, b) => (a.at === b.at ? compare(b.id, a.id) : compare(b.at, a.at)));
      const items = all.slice(0, PAGE_SIZE);
      const last = items.at(-1);
      const next = all.length > PAGE_SIZE && last !== undefined ? `${last.at}_${last.id}` : null;
      return asFound({ items, next } satisfies TrashJson);
    },
  );
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const trashStatement = (context: PlanContext, entity: Entity, { principal }: Caller): Written<undefined> =>
  context.statements.get(["trash", entity.name, principalKey(principal)], () => {
    const { model } = context;
    const user = getEntity(context, "User");
    const parts = sql`(SELECT count(*)::integer FROM ninefold.trash AS ${OTHER} WHERE ${OTHER}.root = ${TRASH}.record AND ${OTHER}.record <> ${TRASH}.record)`;
    const conditions = [
      isTrashed(model, entity),
      sql`(${TRASH}.at, ${TRASH}.record) < (${slot("before", "timestamptz")}, ${slot("last", "uuid")})`,
      couldDelete(model, entity, principal, TABLE),
    ];
    return {
      more: undefined,
      sql: sql`SELECT ${trashedRow.select({
        id: sql`${TRASH}.record`,
        at: sql`${TRASH}.at`,
        person: sql`${TRASH}.person`,
        by: referenceLabelSql(model, user, principal, sql`${TRASH}.person`),
        label: labelSql(model, entity, principal, TABLE.alias),
        parts,
      })} FROM ${trashedRowsSql(entity, TABLE)} WHERE ${join(conditions, " AND ")} ORDER BY ${TRASH}.at DESC, ${TRASH}.record DESC LIMIT ${slot("limit", "integer")}`,
    };
  });

const decodeTrashed = (
  context: PlanContext,
  entity: Entity,
  row: Row,
  { principal }: Caller,
  format: Format,
): TrashedJson => {
  const { id, at, person, by, label, parts } = trashedRow.read(row);
  const isPersonTold = context.statements.find(["trash tells", entity.name, principalKey(principal)], () => ({
    person: discloseLines(context.model, entity, principal)("delete").every((disclosure) => disclosure.person),
  })).person;
  const user = getEntity(context, "User");
  return {
    id,
    entity: entity.name,
    label: labelText(entity.label, label, format),
    at,
    ...(isPersonTold || person === principal.id
      ? {
          person: person === null ? null : { id: person, label: by === null ? "…" : labelText(user.label, by, format) },
        }
      : {}),
    parts,
  };
};

const LATEST = { at: "infinity", record: "ffffffff-ffff-ffff-ffff-ffffffffffff" } as const;

/** Parses `2026-11-28T10:00:00.000Z_ID`, the position of the last record of the previous page. Undefined if invalid. */
const parseCursor = (after: string | null): { readonly at: string; readonly record: string } | undefined => {
  if (after === null) return LATEST;
  const [at = "", record = "", ...more] = after.split("_");
  return isId(record) && more.length === 0 && !Number.isNaN(Date.parse(at)) && at.endsWith("Z")
    ? { at, record }
    : undefined;
};
