import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isActValue } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { fieldNameAt, namesOfEntity, namesOfField, type Past, valueSince } from "../../../core/model/renaming.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { FieldChange } from "../../../core/wire/history.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Row } from "../../../postgres/database.ts";
import { OTHER } from "../aliases.ts";
import { type Caller, getEntity, type PlanContext } from "../context.ts";
import { readColumn, selectAs } from "../result-columns.ts";
import { fromHistory } from "../row/audit-line.ts";
import { labelSql, labelText } from "../row/labels.ts";
import { asCondition, type ReadScope, readScope, visibilityColumn } from "../row/read-scope.ts";
import { toWireValue } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import type { StatementKey, Written } from "../statements.ts";

/** Context for decoding history lines: readable fields and labels of references. */
export interface LineReader {
  readonly entity: Entity;
  readonly fields: readonly Field[];
  /** Labels by field and id. */
  readonly words: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly past: Past;
}

/** Maximum number of lines in a response, newest first. */
const MAX_LINES = 200;

/**
 * True for lines that can belong to the history of a record: its own, those that they caused, and their causes. They are
 * all as new as the record, so Postgres opens only the partitions since. A week covers clocks that differ.
 */
export const isSince = (line: Sql, record: Sql): Sql =>
  sql`${line} >= (SELECT COALESCE(max(first_id), 0) FROM ninefold.audit_month WHERE began_at < uuid_extract_timestamp(${record}) - INTERVAL '7 days')`;

/** The newest lines of a record, under all names that its entity has had. */
export const newestLinesSql = ({ past }: PlanContext, entity: Entity, columns: Sql, record: Sql): Sql =>
  sql`SELECT ${columns} FROM ninefold.audit WHERE record = ${record} AND ${isSince(sql`id`, record)} AND entity IN (${join(
    namesOfEntity(past, entity.name).map((name) => constant(name)),
    ", ",
  )}) ORDER BY ${identifier("id")} DESC LIMIT ${constant(MAX_LINES)}`;

/** The fields that the history shows: those that the caller reads, and values of acts. */
export const listHistoryFields = ({ entity, fields, column }: ReadScope): readonly Field[] => [
  ...fields,
  ...[...entity.fields.values()].filter((field) => isActValue(field) && column(field.name) !== undefined),
];

/** A column for each conditionally visible field, which tells if it is visible on the record. */
export const visibilityColumns = (scope: ReadScope): readonly Sql[] =>
  listHistoryFields(scope).flatMap((field) => {
    const when = scope.visibleWhen(field.name);
    return when === undefined ? [] : [selectAs(sql`COALESCE(${when}, FALSE)`, visibilityColumn(field.name))];
  });

/** The labels of a reference's targets in some lines. */
interface Labels {
  readonly field: Field;
  readonly target: Entity;
  readonly written: Written<undefined>;
}

/** A query for each readable reference; `lines` is a condition on the audit table. */
export const labelQueriesOfLines = (
  context: PlanContext,
  scope: ReadScope,
  { principal }: Caller,
  key: StatementKey,
  lines: Sql,
): readonly Labels[] =>
  listHistoryFields(scope)
    .filter((field) => field.type === "reference")
    .map((field) => {
      const target = getEntity(context, field.entity ?? "");
      const written = context.statements.get([key, field.name], () => ({
        more: undefined,
        sql: sql`SELECT ${OTHER}."id", ${labelSql(context.model, target, principal, OTHER.alias)} AS "label" FROM ${tableSql(target)} AS ${OTHER}
          WHERE ${OTHER}."id" IN (SELECT (value #>> '{}')::uuid FROM ninefold.audit, jsonb_path_query(coalesce(${join(
            namesOfField(context.past, scope.entity.name, field.name).map((name) => sql`changes -> ${constant(name)}`),
            ", ",
          )}), '$[*][*] ? (@ != null)') AS value WHERE ${lines}) AND ${asCondition(readScope(context.model, target, principal, OTHER.alias).rows)}`,
      }));
      return { field, target, written };
    });

export const labelsFromRows = (
  labels: readonly Labels[],
  found: readonly (readonly Row[])[],
  format: Format,
): LineReader["words"] =>
  new Map(
    labels.map(({ field, target }, i) => [
      field.name,
      new Map((found[i] ?? []).map((row) => [String(row.id), labelText(target.label, row.label, format)])),
    ]),
  );

/** The changes of a line in fields that are now readable, with current names. */
export const decodeLineChanges = (row: Row, { entity, fields, words, past }: LineReader): readonly FieldChange[] => {
  const changes = (row.changes ?? {}) as Readonly<Record<string, readonly [Json, Json]>>;
  const document = Number(row.document);
  const valueNow = (field: Field, value: Json): Json => {
    if (field.values.length === 0 || past.length === 0) return value;
    if (Array.isArray(value)) return value.map((item) => valueNow(field, item));
    return typeof value === "string" ? valueSince(past, document, entity.name, field.name, value) : value;
  };
  const wire = (field: Field, value: Json | undefined): Json => {
    if (value === null || value === undefined) return null;
    if (field.type !== "reference") return toWireValue(entity, field)(fromHistory(field, valueNow(field, value)));
    const refer = (id: Json): Json => ({ id: String(id), label: words.get(field.name)?.get(String(id)) ?? "…" });
    return Array.isArray(value) ? value.map(refer) : refer(value);
  };
  return fields.flatMap((field) => {
    const change = changes[fieldNameAt(past, document, entity.name, field.name)];
    if (change === undefined || readColumn(row, visibilityColumn(field.name)) === false) return [];
    return [{ field: field.name, before: wire(field, change[0]), after: wire(field, change[1]) }];
  });
};
