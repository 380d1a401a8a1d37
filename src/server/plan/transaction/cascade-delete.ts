import type { Entity } from "../../../core/model/model.ts";
import { findParts } from "../../../core/model/parts.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { PlanContext } from "../context.ts";
import { type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { auditLine, changesOfRow, storedOf } from "../row/audit-line.ts";
import { tableSql } from "../row/sql-env.ts";
import { asWrittenRows, type WriteSet, type WrittenRow, writtenRowJson } from "./write-set.ts";

/**
 * Deletes nested parts of deleted records by additional table expressions. `gone` names the deleted rows and `lines`
 * their audit lines, with `id` and `record`: the line of each part has its parent's line as the cause, and the clause
 * of its parent reference.
 */
export const deletePartsSql = (context: PlanContext, entity: Entity, gone: string, lines: string): Sql =>
  join(
    findParts(context.model, entity).map((part, i) => {
      const rows = `${gone}:${i}`;
      const own = `${lines}:${i}`;
      const by = sql`${identifier(rows)}.${identifier(part.field.name)}`;
      const line = auditLine({
        entity: part.entity,
        action: "delete",
        clause: part.field.clause.id,
        version: context.version,
        changes: changesOfRow(part.entity, storedOf(part.entity), rows, "before"),
        cause: sql`(SELECT "whole"."id" FROM ${identifier(lines)} AS "whole" WHERE "whole"."record" = ${by})`,
        from: sql`FROM ${identifier(rows)}`,
        alias: rows,
      });
      return sql`, ${identifier(rows)} AS (DELETE FROM ${tableSql(part.entity)} AS "t" USING ${identifier(gone)} WHERE "t".${identifier(part.field.name)} = ${identifier(gone)}."id" RETURNING "t".*), ${identifier(own)} AS (${line} RETURNING "id", "record")${deletePartsSql(context, part.entity, rows, own)}`;
    }),
    "",
  );

const goneColumn = (gone: string, nth: number): ResultColumn<readonly WrittenRow[]> =>
  resultColumn(`gone:${gone}:${nth}`, asWrittenRows);

/** A column for each part entity with the deleted rows and their audit lines. */
export const deletedPartsColumns = (
  context: PlanContext,
  entity: Entity,
  gone: string,
  lines: string,
): readonly Sql[] =>
  findParts(context.model, entity).flatMap((part, i) => {
    const rows = identifier(`${gone}:${i}`);
    const own = identifier(`${lines}:${i}`);
    const one = writtenRowJson({ id: sql`${rows}."id"`, line: sql`${own}."id"`, before: sql`to_jsonb(${rows})::text` });
    return [
      selectAs(
        sql`(SELECT COALESCE(jsonb_agg(${one}), '[]'::jsonb) FROM ${rows} JOIN ${own} ON ${own}."record" = ${rows}."id")`,
        goneColumn(gone, i),
      ),
      ...deletedPartsColumns(context, part.entity, `${gone}:${i}`, `${lines}:${i}`),
    ];
  });

/** Decodes the columns of deleted parts. */
export const decodeDeletedParts = (context: PlanContext, entity: Entity, row: Row, gone: string): readonly WriteSet[] =>
  findParts(context.model, entity).flatMap((part, i): readonly WriteSet[] => {
    const rows = readColumn(row, goneColumn(gone, i));
    return [
      ...(rows.length === 0 ? [] : [{ entity: part.entity, moment: "delete", changed: null, rows }]),
      ...decodeDeletedParts(context, part.entity, row, `${gone}:${i}`),
    ];
  });
