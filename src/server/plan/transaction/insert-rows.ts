import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isPlainColumn, isWritten } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { CANDIDATE, LINES, WRITTEN_ROWS } from "../aliases.ts";

import type { PlanContext } from "../context.ts";
import { type DrawnNumbers, noNumbers } from "../input/generated-values.ts";
import { asNumber, resultColumn } from "../result-columns.ts";
import { auditLine, changesOfRow, listStoredFields } from "../row/audit-line.ts";
import { candidateSql } from "../row/proposed-row.ts";
import { tableSql } from "../row/sql-env.ts";
import { bumpParentVersions } from "./parent-versions.ts";

/** The index of a row among several that are inserted. */
export const NTH = resultColumn("is:nth", asNumber);

const SYSTEM = ["id", "version", "created_at", "updated_at"];

/** Rows before they are inserted. */
interface NewRows {
  readonly id: Sql;
  readonly value: (field: Field) => Sql;
  /** Columns beside the fields, each with its alias. */
  readonly more?: readonly Sql[];
  /** `FROM … WHERE …`; empty for a single row. */
  readonly from: Sql;
}

/** The rows before they are inserted, with their computed fields. */
export const newRowsSql = (model: Model, entity: Entity, { id, value, more = [], from }: NewRows): Sql => {
  const now = slot("now", "timestamptz");
  const columns = [
    sql`${id} AS "id"`,
    sql`1 AS "version"`,
    sql`${now} AS "created_at"`,
    sql`${now} AS "updated_at"`,
    ...more,
    ...[...entity.fields.values()]
      .filter(isPlainColumn)
      .map((field) => sql`${value(field)} AS ${identifier(field.name)}`),
  ];
  return candidateSql(model, entity, sql`SELECT ${join(columns, ", ")} ${from}`, "creation");
};

/** The insertion of rows, each column with its value. */
export const insertSql = (
  entity: Entity,
  columns: readonly (readonly [column: string, value: Sql])[],
  from: Sql,
): Sql => {
  const names = columns.map(([column]) => identifier(column));
  const values = columns.map(([, value]) => value);
  return sql`INSERT INTO ${tableSql(entity)} (${join(names, ", ")}) SELECT ${join(values, ", ")} ${from} RETURNING *`;
};

/** Rows of the table expression `n` that are inserted. */
interface InsertedRows {
  readonly context: PlanContext;
  readonly entity: Entity;
  readonly clause: string;
  /** `FROM … WHERE …` of the rows to insert. */
  readonly from: Sql;
  readonly numbers?: DrawnNumbers;
  /** Columns beside the fields, such as the roles of a person. */
  readonly more?: readonly string[];
  /** The id of the audit line of the causing write. */
  readonly cause?: Sql;
  /** The person on whose behalf a deputy acts. */
  readonly actingFor?: Sql | undefined;
  /** `FROM` of the audit lines; the inserted rows alone if absent. */
  readonly lines?: Sql;
  /** True if the statement reads the audit lines. */
  readonly readsLines?: boolean;
  /** False if another statement raises the versions of the parents. */
  readonly raisesParents?: boolean;
}

/**
 * The table expressions of a statement that inserts one or more records: the numbers of sequences, the inserted rows
 * (`d`), an audit line for each (`a`), and the raised versions of their parents.
 */
export const insertRowsSql = ({
  context,
  entity,
  clause,
  from,
  numbers = noNumbers,
  more = [],
  cause,
  actingFor,
  lines = sql`FROM ${WRITTEN_ROWS}`,
  readsLines = false,
  raisesParents = true,
}: InsertedRows): Sql => {
  const columns = [
    ...[...SYSTEM, ...more].map((name) => [name, name] as const),
    ...(entity.states === null ? [] : [["state_since", "created_at"] as const]),
    ...[...entity.fields.values()].filter(isWritten).map(({ name }) => [name, name] as const),
  ].map(([column, of]) => [column, numbers.value(column) ?? sql`${CANDIDATE}.${identifier(of)}`] as const);
  const line = auditLine({
    entity,
    action: "create",
    clause,
    version: context.version,
    changes: changesOfRow(entity, [...listStoredFields(entity), ...more], WRITTEN_ROWS.alias, "after"),
    ...(cause === undefined ? {} : { cause }),
    actingFor,
    from: lines,
  });
  return sql`${numbers.tables}${WRITTEN_ROWS} AS (${insertSql(entity, columns, from)}),
        ${LINES} AS (${line}${readsLines ? sql` RETURNING "id", "record"` : sql``})${raisesParents ? bumpParentVersions(context.model, entity, WRITTEN_ROWS.alias) : sql``}`;
};
