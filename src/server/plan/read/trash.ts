import { discloseLines } from "../../../core/analysis/disclosure/history-disclosure.ts";
import { canFindTrash } from "../../../core/derive/authorization/trash.ts";
import { cursorRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { getZone } from "../../../core/expression/values/calendar.ts";
import { type PeriodBounds, periodMoments } from "../../../core/expression/values/periods.ts";
import { findInstant } from "../../../core/field/datetime.ts";
import { isId } from "../../../core/field/reference.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { join, slot, sql } from "../../../core/sql.ts";
import type { TrashedJson, TrashJson } from "../../../core/wire/trash.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import type { TrashIntent } from "../../intent.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { OTHER, TABLE, TRASH } from "../aliases.ts";
import { type Caller, getEntity, mergeParams, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { asNumber, asText, asTextOrNull, asValue, resultShape } from "../result-columns.ts";
import { labelSql, labelText, referenceLabelSql } from "../row/labels.ts";
import { couldDelete, isTrashed, trashedRowsSql, trashScope } from "../row/trashed-rows.ts";
import { toQuery } from "../statements.ts";
import { SEARCH_LIMIT } from "./list.ts";
import { searchFor } from "./search.ts";

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
 * Plans the list of deleted records that the caller can restore, of one entity or of all, newest first. A search means
 * the same as in a list. Each entity takes one statement.
 */
export const planTrash = (
  context: PlanContext,
  intent: TrashIntent,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { of, after, people, from: start, to: end } = intent;
  const entities = [...model.entities.values()].filter(
    (entity) => (of === null || entity.name === of) && canFindTrash(model, entity, caller.principal),
  );
  const from = parseCursor(after);
  if (from === undefined) return refuseCall(cursorRefusal);
  const limits: readonly Query[] = intent.search === null ? [] : [SEARCH_LIMIT];
  const period = readPeriod(model, intent, caller);
  const slots = {
    ...{ limit: PAGE_SIZE + 1, before: from.at, last: from.record, people, start, end },
    ...{ first: period.from, over: period.before },
  };
  return planBatch<Found>(
    [...limits, ...entities.map((entity) => trashQuery(context, entity, intent, caller, slots))],
    (results) => {
      const found = results.slice(limits.length);
      const all = entities
        .flatMap((entity, i) => (found[i] ?? []).map((row) => decodeTrashed(context, entity, row, caller, format)))
        .toSorted((a, b) => (a.at === b.at ? compare(b.id, a.id) : compare(b.at, a.at)));
      const items = all.slice(0, PAGE_SIZE);
      const last = items.at(-1);
      const next = all.length > PAGE_SIZE && last !== undefined ? `${last.at}_${last.id}` : null;
      return asFound({ items, next } satisfies TrashJson);
    },
  );
};

const readPeriod = ({ timezone }: Model, { during }: TrashIntent, { now, today }: Caller): PeriodBounds =>
  during === null
    ? { from: null, before: null }
    : periodMoments(during, { now: now.toISOString(), today, zone: getZone(timezone) });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const trashQuery = (
  context: PlanContext,
  entity: Entity,
  intent: TrashIntent,
  caller: Caller,
  slots: Readonly<Record<string, unknown>>,
): Query => {
  const { model } = context;
  const { search: words, people, from, to } = intent;
  const { principal } = caller;
  const period = readPeriod(model, intent, caller);
  const who = [entity.name, principalKey(principal)];
  const scope = context.statements.find(["trash scope", ...who], () => trashScope(model, entity, principal, TABLE));
  const search = words === null ? null : searchFor(context, scope, caller, words);
  const key = [
    "trash",
    ...who,
    search?.shape ?? null,
    people.length > 0,
    ...[from, to, period.from, period.before].map((end) => end === null),
  ];
  const statement = context.statements.get(key, () => {
    const user = getEntity(context, "User");
    const parts = sql`(SELECT count(*)::integer FROM ninefold.trash AS ${OTHER} WHERE ${OTHER}.root = ${TRASH}.record AND ${OTHER}.record <> ${TRASH}.record)`;
    const conditions = [
      isTrashed(model, entity),
      sql`(${TRASH}.at, ${TRASH}.record) < (${slot("before", "timestamptz")}, ${slot("last", "uuid")})`,
      couldDelete(model, entity, principal, TABLE),
      ...(search === null ? [] : [search.condition(scope)]),
      // Where the person who deleted a record is not disclosed, only the caller's own deletions are found by person.
      ...(people.length === 0 ? [] : [sql`${TRASH}.person = ANY(${slot("people", "uuid[]")})`]),
      ...(people.length === 0 || isPersonTold(context, entity, principal)
        ? []
        : [sql`${TRASH}.person = ${slot("user", "uuid")}`]),
      ...(from === null ? [] : [sql`${TRASH}.at >= ${slot("start", "timestamptz")}`]),
      ...(to === null ? [] : [sql`${TRASH}.at <= ${slot("end", "timestamptz")}`]),
      ...(period.from === null ? [] : [sql`${TRASH}.at >= ${slot("first", "timestamptz")}`]),
      ...(period.before === null ? [] : [sql`${TRASH}.at < ${slot("over", "timestamptz")}`]),
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
  return toQuery(statement, mergeParams(caller, slots, search?.slots ?? {}));
};

/** True if the caller sees who deleted records of the entity. */
const isPersonTold = (context: PlanContext, entity: Entity, principal: Caller["principal"]): boolean =>
  context.statements.find(["trash tells", entity.name, principalKey(principal)], () => ({
    person: discloseLines(context.model, entity, principal)("delete").every((disclosure) => disclosure.person),
  })).person;

const decodeTrashed = (
  context: PlanContext,
  entity: Entity,
  row: Row,
  { principal }: Caller,
  format: Format,
): TrashedJson => {
  const { id, at, person, by, label, parts } = trashedRow.read(row);
  const user = getEntity(context, "User");
  return {
    id,
    entity: entity.name,
    label: labelText(entity.label, label, format),
    at,
    ...(isPersonTold(context, entity, principal) || person === principal.id
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
  return isId(record) && more.length === 0 && findInstant(at) !== undefined ? { at, record } : undefined;
};
