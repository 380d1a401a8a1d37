import type { Entity } from "../../../core/model/entity.ts";
import { findParts } from "../../../core/model/facts/parts.ts";
import { isWritten } from "../../../core/model/field.ts";
import { BRING_BACK } from "../../../core/model/write-actions.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { LINES, TRASHED, WRITTEN_ROWS } from "../aliases.ts";
import type { PlanContext } from "../context.ts";
import { type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { auditLine, changesOfRow, listStoredFields } from "../row/audit-line.ts";
import { tableSql } from "../row/sql-env.ts";
import { insertSql } from "./insert-rows.ts";
import { bumpParentVersions } from "./parent-versions.ts";
import { asWrittenRows, type WriteSet, type WrittenRow, writtenRowJson } from "./write-set.ts";

interface ReturningRows {
  readonly context: PlanContext;
  readonly entity: Entity;
  readonly clause: string;
  /** `FROM … WHERE …`, with the deleted rows as `alias`. */
  readonly from: Sql;
  readonly alias: string;
  readonly cause?: Sql;
}

/**
 * The table expressions of a statement that restores a record: the record (`d`) with its audit line (`a`), its parts
 * with their lines, and the raised versions of its parents. Its rows leave the trash. The version is raised, so that a
 * form that was open before the deletion detects the conflict.
 */
export const bringBackRowsSql = (of: ReturningRows): Sql =>
  sql`${broughtBackWithParts(of, WRITTEN_ROWS.alias, LINES.alias)}, "emptied" AS (DELETE FROM ninefold.trash WHERE root IN (SELECT "id" FROM ${WRITTEN_ROWS}))${bumpParentVersions(of.context.model, of.entity, WRITTEN_ROWS.alias)}`;

const broughtBackWithParts = (
  { context, entity, clause, from, alias, cause }: ReturningRows,
  rows: string,
  lines: string,
): Sql => {
  const old = (column: string): Sql => sql`${identifier(alias)}.${identifier(column)}`;
  const columns: readonly (readonly [column: string, value: Sql])[] = [
    ["id", old("id")],
    ["version", sql`${old("version")} + 1`],
    ["created_at", old("created_at")],
    ["updated_at", sql`${slot("now", "timestamptz")}`],
    ...(entity.states === null ? [] : [["state_since", old("state_since")] as const]),
    ...[...entity.fields.values()].filter(isWritten).map(({ name }) => [name, old(name)] as const),
  ];
  const line = auditLine({
    entity,
    action: BRING_BACK,
    clause,
    version: context.version,
    changes: changesOfRow(entity, listStoredFields(entity), rows, "after"),
    ...(cause === undefined ? {} : { cause }),
    from: sql`FROM ${identifier(rows)}`,
    alias: rows,
  });
  const parts = findParts(context.model, entity).map((part, i) => {
    const own = `${rows}:${i}`;
    const reference = identifier(part.field.name);
    // Parts are found by their parent, so each level waits for the one above it.
    const of: ReturningRows = {
      context,
      entity: part.entity,
      clause: part.field.clause.id,
      from: sql`FROM ninefold.trash AS "kept" CROSS JOIN LATERAL jsonb_populate_record(NULL::${tableSql(part.entity)}, "kept".stored) AS ${TRASHED} JOIN ${identifier(rows)} ON ${identifier(rows)}."id" = ${TRASHED}.${reference} WHERE "kept".root = ${slot("id", "uuid")} AND "kept".entity = ${constant(part.entity.name)}`,
      alias: TRASHED.alias,
      cause: sql`(SELECT "whole"."id" FROM ${identifier(lines)} AS "whole" WHERE "whole"."record" = ${identifier(own)}.${reference})`,
    };
    return sql`, ${broughtBackWithParts(of, own, `${lines}:${i}`)}`;
  });
  return sql`${identifier(rows)} AS (${insertSql(entity, columns, from)}), ${identifier(lines)} AS (${line} RETURNING "id", "record")${join(parts, "")}`;
};

const returnedColumn = (rows: string): ResultColumn<readonly WrittenRow[]> =>
  resultColumn(`back:${rows}`, asWrittenRows);

/** A column for each part entity with the restored rows and their audit lines. */
export const returnedPartsColumns = (
  context: PlanContext,
  entity: Entity,
  rows: string = WRITTEN_ROWS.alias,
  lines: string = LINES.alias,
): readonly Sql[] =>
  findParts(context.model, entity).flatMap((part, i) => {
    const [own, ownLines] = [`${rows}:${i}`, `${lines}:${i}`];
    const line = identifier(ownLines);
    const one = writtenRowJson({ id: sql`${line}."record"`, line: sql`${line}."id"`, before: sql`NULL::text` });
    return [
      selectAs(sql`(SELECT COALESCE(jsonb_agg(${one}), '[]'::jsonb) FROM ${line})`, returnedColumn(own)),
      ...returnedPartsColumns(context, part.entity, own, ownLines),
    ];
  });

/** Decodes the columns of restored parts. */
export const decodeReturnedParts = (
  context: PlanContext,
  entity: Entity,
  row: Row,
  rows: string = WRITTEN_ROWS.alias,
): readonly WriteSet[] =>
  findParts(context.model, entity).flatMap((part, i): readonly WriteSet[] => {
    const own = `${rows}:${i}`;
    const back = readColumn(row, returnedColumn(own));
    return [
      ...(back.length === 0 ? [] : [{ entity: part.entity, action: BRING_BACK, changed: null, rows: back }]),
      ...decodeReturnedParts(context, part.entity, row, own),
    ];
  });
