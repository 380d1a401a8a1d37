import type { Format } from "../../../core/model/format.ts";
import type { Entity, Field } from "../../../core/model/model.ts";
import { fieldAsOf, namesOfEntity, namesOfField, type Past, valueSince } from "../../../core/model/renaming.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { FieldChange } from "../../../core/wire/history.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Row } from "../../../postgres/database.ts";
import { type Asker, type Context, entityOf } from "../context.ts";
import { fromHistory } from "../row/audit-line.ts";
import { labelOf, labelText } from "../row/labels.ts";
import { asCondition, type Eyes, eyesOf } from "../row/read-scope.ts";
import { answerOf } from "../row/record-columns.ts";
import { tableOf } from "../row/sql-env.ts";
import type { StatementKey, Written } from "../statements.ts";

/** What is needed to tell of an entity's lines: the fields that the person reads, and what references in them are called. */
export interface Reading {
  readonly entity: Entity;
  readonly fields: readonly Field[];
  /** By field, then by id. */
  readonly words: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly past: Past;
}

/** Lines of one answer; a record with more shows its newest. */
const MOST_LINES = 200;

/** The newest lines of a record, under each name that its entity had. */
export const linesOf = ({ past }: Context, entity: Entity, columns: Sql, record: Sql): Sql =>
  sql`SELECT ${columns} FROM ninefold.audit WHERE record = ${record} AND entity IN (${join(
    namesOfEntity(past, entity.name).map((name) => constant(name)),
    ", ",
  )}) ORDER BY ${identifier("id")} DESC LIMIT ${constant(MOST_LINES)}`;

/** A column for each field that is not open on every record: whether it is on this one. */
export const seenColumns = (eyes: Eyes): readonly Sql[] =>
  eyes.fields.flatMap((field) => {
    const when = eyes.seen(field.name);
    return when === undefined ? [] : [sql`${when} AS ${identifier(`seen:${field.name}`)}`];
  });

/** What a reference named in some lines, and what that is called. */
interface Labels {
  readonly field: Field;
  readonly target: Entity;
  readonly written: Written<undefined>;
}

/** A statement for each reference that the person reads; `lines` is a condition on the audit. */
export const labelsInLines = (
  context: Context,
  { entity, fields }: Eyes,
  { person }: Asker,
  key: StatementKey,
  lines: Sql,
): readonly Labels[] =>
  fields
    .filter((field) => field.type === "reference")
    .map((field) => {
      const target = entityOf(context, field.entity ?? "");
      const written = context.statements.get([key, field.name], () => ({
        more: undefined,
        sql: sql`SELECT "x"."id", ${labelOf(context.model, target, person, "x")} AS "label" FROM ${tableOf(target)} AS "x"
          WHERE "x"."id" IN (SELECT (value #>> '{}')::uuid FROM ninefold.audit, jsonb_path_query(coalesce(${join(
            namesOfField(context.past, entity.name, field.name).map((name) => sql`changes -> ${constant(name)}`),
            ", ",
          )}), '$[*][*] ? (@ != null)') AS value WHERE ${lines}) AND ${asCondition(eyesOf(context.model, target, person, "x").rows)}`,
      }));
      return { field, target, written };
    });

export const wordsOf = (
  labels: readonly Labels[],
  found: readonly (readonly Row[])[],
  format: Format,
): Reading["words"] =>
  new Map(
    labels.map(({ field, target }, i) => [
      field.name,
      new Map((found[i] ?? []).map((row) => [String(row.id), labelText(target.label, row.label, format)])),
    ]),
  );

/** What a line changed, as far as the person reads it now, by the names of today. */
export const changesIn = (row: Row, { entity, fields, words, past }: Reading): readonly FieldChange[] => {
  const changes = (row.changes ?? {}) as Readonly<Record<string, readonly [Json, Json]>>;
  const document = Number(row.document);
  const valueNow = (field: Field, value: Json): Json => {
    if (field.values.length === 0 || past.length === 0) return value;
    if (Array.isArray(value)) return value.map((one) => valueNow(field, one));
    return typeof value === "string" ? valueSince(past, document, entity.name, field.name, value) : value;
  };
  const wire = (field: Field, value: Json | undefined): Json => {
    if (value === null || value === undefined) return null;
    if (field.type !== "reference") return answerOf(entity, field)(fromHistory(field, valueNow(field, value)));
    const refer = (id: Json): Json => ({ id: String(id), label: words.get(field.name)?.get(String(id)) ?? "…" });
    return Array.isArray(value) ? value.map(refer) : refer(value);
  };
  return fields.flatMap((field) => {
    const change = changes[fieldAsOf(past, document, entity.name, field.name)];
    if (change === undefined || row[`seen:${field.name}`] === false || row[`seen:${field.name}`] === null) return [];
    return [{ field: field.name, before: wire(field, change[0]), after: wire(field, change[1]) }];
  });
};
