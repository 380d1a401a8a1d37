import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { findCommentThread } from "../../../core/derive/client/comment-threads.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findPartLists, type PartList } from "../../../core/model/facts/parts.ts";
import type { Format } from "../../../core/model/format.ts";
import { namesOfEntity } from "../../../core/model/renaming.ts";
import { BRING_BACK } from "../../../core/model/write-actions.ts";
import { constant, identifier, join, slot, sql } from "../../../core/sql.ts";
import type { PartLine } from "../../../core/wire/history.ts";
import type { Row } from "../../../postgres/database.ts";
import { CURRENT, DELETIONS, ENTRIES, LINES, OWN_LINES, PARENT, TABLE } from "../aliases.ts";
import { type Caller, type PlanContext, principalKey } from "../context.ts";
import { labelSql, labelText } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import type { Written } from "../statements.ts";
import {
  decodeLineChanges,
  isSince,
  type LineReader,
  labelQueriesOfLines,
  labelsFromRows,
  listHistoryFields,
  newestLinesSql,
  visibilityColumns,
} from "./lines.ts";

/** Changes of the parts of one list, by the audit line of the record with which they were saved. */
export interface PartHistory {
  readonly queries: readonly Written<undefined>[];
  readonly read: (found: readonly (readonly Row[])[]) => ReadonlyMap<string, readonly PartLine[]>;
}

/** Maximum number of lines per list. A part's own history has more. */
const MAX_LINES = 1_000;

/**
 * Parts added, changed and removed with their record, limited to readable ones. A deleted part is checked by its last
 * values. Comments are left out, because the record's page shows them.
 */
export const partHistories = (
  context: PlanContext,
  parent: Entity,
  caller: Caller,
  format: Format,
): readonly PartHistory[] => {
  const { model } = context;
  const scope = readScope(model, parent, caller.principal, PARENT.alias);
  const isRead = ({ list, entity }: PartList) =>
    grantsFor(model, entity, "read", caller.principal).length > 0 &&
    scope.grants.some(({ fields }) => fields === null || fields.has(list.name));
  return findPartLists(model, parent)
    .filter((partList) => isRead(partList) && findCommentThread(partList.entity, partList.field.name) === null)
    .map((partList) => partHistory(context, parent, partList, caller, format));
};

const partHistory = (
  context: PlanContext,
  parent: Entity,
  { list, entity, field }: PartList,
  caller: Caller,
  format: Format,
): PartHistory => {
  const { model, past } = context;
  const { principal } = caller;
  const scope = readScope(model, entity, principal, TABLE.alias);
  const key = ["history of parts", parent.name, list.name, principalKey(principal)];
  const names = join(
    namesOfEntity(past, entity.name).map((name) => constant(name)),
    ", ",
  );
  const id = slot("id", "uuid");
  const lines = context.statements.get(key, () => {
    const ofWhole = readScope(model, parent, principal, PARENT.alias);
    return {
      more: undefined,
      sql: sql`SELECT ${join([sql`${LINES}.cause AS "line", ${LINES}.action, ${LINES}.document, ${LINES}.changes`, sql`${labelSql(model, entity, principal, TABLE.alias)} AS "label"`, ...visibilityColumns(scope)], ", ")}
        FROM (${newestLinesSql(context, parent, sql`id, action`, sql`${id}`)}) AS ${OWN_LINES}
        JOIN ninefold.audit AS ${LINES} ON ${LINES}.cause = ${OWN_LINES}.id AND ${OWN_LINES}.action NOT IN ('create', 'delete', ${constant(BRING_BACK)}) AND ${isSince(sql`${LINES}.id`, sql`${id}`)} AND ${LINES}.entity IN (${names})
        LEFT JOIN ${tableSql(entity)} AS ${CURRENT} ON ${CURRENT}."id" = ${LINES}.record
        LEFT JOIN LATERAL (SELECT jsonb_object_agg(${ENTRIES}.key, ${ENTRIES}.value -> 0) AS "values" FROM ninefold.audit AS ${DELETIONS}, jsonb_each(${DELETIONS}.changes) AS ${ENTRIES}
          WHERE ${CURRENT}."id" IS NULL AND ${DELETIONS}.record = ${LINES}.record AND ${isSince(sql`${DELETIONS}.id`, sql`${id}`)} AND ${DELETIONS}.action = 'delete') AS "gone" ON TRUE
        CROSS JOIN LATERAL jsonb_populate_record(${CURRENT}, CASE WHEN ${CURRENT}."id" IS NULL THEN coalesce("gone"."values", '{}') || jsonb_build_object('id', ${LINES}.record) ELSE '{}' END) AS ${TABLE}
        WHERE EXISTS (SELECT FROM ${tableSql(parent)} AS ${PARENT} WHERE ${PARENT}."id" = ${id} AND ${asCondition(ofWhole.rows)} AND ${asCondition(ofWhole.visibleWhen(list.name))})
          AND ${TABLE}.${identifier(field.name)} = ${id} AND ${asCondition(scope.rows)}
        ORDER BY ${LINES}.id LIMIT ${constant(MAX_LINES)}`,
    };
  });
  const labels = labelQueriesOfLines(
    context,
    scope,
    caller,
    ["labels", ...key],
    sql`${isSince(sql`id`, sql`${id}`)} AND entity IN (${names}) AND cause IN (SELECT id FROM ninefold.audit WHERE record = ${id} AND ${isSince(sql`id`, sql`${id}`)})`,
  );
  return {
    queries: [lines, ...labels.map(({ written }) => written)],
    read: ([rows = [], ...found]) => {
      const reading: LineReader = {
        entity,
        // Leaves out the parent reference and the position.
        fields: listHistoryFields(scope).filter(({ name, type }) => name !== field.name && type !== "position"),
        words: labelsFromRows(labels, found, format),
        past,
      };
      const byLine = new Map<string, PartLine[]>();
      for (const row of rows) {
        const part = partLine(row, reading, list.name, format);
        // Leaves out parts whose position changed only because another was removed.
        if (part.action === "update" && part.changes.length === 0) continue;
        const line = String(row.line);
        byLine.set(line, [...(byLine.get(line) ?? []), part]);
      }
      return byLine;
    },
  };
};

const partLine = (row: Row, reading: LineReader, list: string, format: Format): PartLine => {
  const action = row.action === "create" || row.action === "delete" ? row.action : "update";
  return {
    list,
    entity: reading.entity.name,
    action,
    label: labelText(reading.entity.label, row.label, format),
    // Added and removed parts have no list of changes.
    changes: action === "update" ? decodeLineChanges(row, reading) : [],
  };
};
