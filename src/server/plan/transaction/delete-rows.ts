import { keepsTrash } from "../../../core/derive/authorization/trash.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findParts } from "../../../core/model/facts/parts.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { LINES, TABLE, TRASH, WRITTEN_ROWS } from "../aliases.ts";

import { NOBODY, type PlanContext } from "../context.ts";
import { type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { auditLine, changesOfRow, listStoredFields } from "../row/audit-line.ts";
import { tableSql } from "../row/sql-env.ts";
import { bumpParentVersions } from "./parent-versions.ts";
import { asWrittenRows, type WriteSet, type WrittenRow, writtenRowJson } from "./write-set.ts";

interface DeletedRows {
  readonly context: PlanContext;
  readonly entity: Entity;
  readonly clause: string;
  /** `USING … WHERE …`, with the records as `t`. */
  readonly from: Sql;
  /** Columns of the deleted rows beside those of the table. */
  readonly more?: readonly Sql[];
  /** The id of the audit line of the causing write. */
  readonly cause?: Sql;
  /** True if the records can be restored, with their parts. */
  readonly canReturn?: boolean;
  /** The person on whose behalf a deputy acts. */
  readonly actingFor?: Sql | undefined;
  /** False if another statement raises the versions of the parents. */
  readonly raisesParents?: boolean;
}

/**
 * The table expressions of a statement that deletes one or more records: the deleted rows (`d`), an audit line for each
 * (`a`), the parts of these records with their lines, and the raised versions of their parents.
 */
export const deleteRowsSql = ({ raisesParents = true, ...of }: DeletedRows): Sql =>
  sql`${deletedWithParts(of, WRITTEN_ROWS.alias, LINES.alias, of.canReturn === true && keepsTrash(of.context.model, of.entity) ? TRASH.alias : null)}${raisesParents ? bumpParentVersions(of.context.model, of.entity, WRITTEN_ROWS.alias) : sql``}`;

/**
 * `rows` names the deleted rows, `lines` their audit lines, and `trash` their rows in the trash, if they can be
 * restored. The line of each part has its parent's line as the cause, and the clause of its parent reference.
 */
const deletedWithParts = (
  { context, entity, clause, from, more = [], cause, actingFor }: DeletedRows,
  rows: string,
  lines: string,
  trash: string | null,
  root: Sql = sql`${identifier(rows)}."id"`,
): Sql => {
  const line = auditLine({
    entity,
    action: "delete",
    clause,
    version: context.version,
    changes: changesOfRow(entity, listStoredFields(entity), rows, "before"),
    ...(cause === undefined ? {} : { cause }),
    actingFor,
    from: sql`FROM ${identifier(rows)}`,
    alias: rows,
  });
  const parts = findParts(context.model, entity).map((part, i) => {
    const own = `${rows}:${i}`;
    const reference = identifier(part.field.name);
    const of = {
      context,
      entity: part.entity,
      clause: part.field.clause.id,
      from: sql`USING ${identifier(rows)} WHERE ${TABLE}.${reference} = ${identifier(rows)}."id"`,
      cause: sql`(SELECT "whole"."id" FROM ${identifier(lines)} AS "whole" WHERE "whole"."record" = ${identifier(own)}.${reference})`,
    };
    const above = sql`(SELECT "above".root FROM ${identifier(trash ?? "")} AS "above" WHERE "above".record = ${identifier(own)}.${reference})`;
    return sql`, ${deletedWithParts(of, own, `${lines}:${i}`, trash === null ? null : `${trash}:${i}`, above)}`;
  });
  const trashSql =
    trash === null
      ? sql``
      : sql`, ${identifier(trash)} AS (INSERT INTO ninefold.trash (record, entity, root, at, person, stored) SELECT ${identifier(rows)}."id", ${constant(entity.name)}, ${root}, ${slot("now", "timestamptz")}, nullif(${slot("user", "uuid")}, ${constant(NOBODY)}::uuid), to_jsonb(${identifier(rows)}) FROM ${identifier(rows)} RETURNING record, root)`;
  return sql`${identifier(rows)} AS (DELETE FROM ${tableSql(entity)} AS ${TABLE} ${from} RETURNING ${join([sql`${TABLE}.*`, ...more], ", ")}), ${identifier(lines)} AS (${line} RETURNING "id", "record")${trashSql}${join(parts, "")}`;
};

const deletedPartsColumn = (rowsAlias: string, nth: number): ResultColumn<readonly WrittenRow[]> =>
  resultColumn(`gone:${rowsAlias}:${nth}`, asWrittenRows);

/** A column for each part entity with the deleted rows and their audit lines. */
export const deletedPartsColumns = (
  context: PlanContext,
  entity: Entity,
  rowsAlias: string,
  lines: string,
): readonly Sql[] =>
  findParts(context.model, entity).flatMap((part, i) => {
    const rows = identifier(`${rowsAlias}:${i}`);
    const own = identifier(`${lines}:${i}`);
    const one = writtenRowJson({ id: sql`${rows}."id"`, line: sql`${own}."id"`, before: sql`to_jsonb(${rows})::text` });
    return [
      selectAs(
        sql`(SELECT COALESCE(jsonb_agg(${one}), '[]'::jsonb) FROM ${rows} JOIN ${own} ON ${own}."record" = ${rows}."id")`,
        deletedPartsColumn(rowsAlias, i),
      ),
      ...deletedPartsColumns(context, part.entity, `${rowsAlias}:${i}`, `${lines}:${i}`),
    ];
  });

/** Decodes the columns of deleted parts. */
export const decodeDeletedParts = (
  context: PlanContext,
  entity: Entity,
  row: Row,
  rowsAlias: string,
): readonly WriteSet[] =>
  findParts(context.model, entity).flatMap((part, i): readonly WriteSet[] => {
    const rows = readColumn(row, deletedPartsColumn(rowsAlias, i));
    return [
      ...(rows.length === 0 ? [] : [{ entity: part.entity, action: "delete", changed: null, rows }]),
      ...decodeDeletedParts(context, part.entity, row, `${rowsAlias}:${i}`),
    ];
  });
