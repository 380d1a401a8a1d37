import type { ColumnValues } from "../../../core/derive/sql/row-env.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isActValue, isStored } from "../../../core/model/field.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import { WRITTEN_ROWS } from "../aliases.ts";
import { NOBODY } from "../context.ts";

/** The stored fields of an entity, which its history can contain. */
export const listStoredFields = (entity: Entity): readonly string[] =>
  [...entity.fields.values()].filter(isStored).map((field) => field.name);

/** The generated columns that a change of these fields can affect. Writes never name them. */
export const findGeneratedColumns = (entity: Entity, changed: ReadonlySet<string>): readonly string[] => {
  const follows = ({ storage }: Field): boolean =>
    storage.as === "generated" &&
    [...collectReadSet(storage.from).fields].some((name) => isChanged(entity.fields.get(name), name));
  const isChanged = (field: Field | undefined, name: string): boolean =>
    changed.has(name) || (field !== undefined && follows(field));
  return [...entity.fields.values()].filter(follows).map((field) => field.name);
};

/** The changes by field as the audit table stores them: `{ "due_day": ["2026-10-21", "2026-10-23"] }`. */
export const changesBetween = (entity: Entity, fields: Iterable<string>, before: string, after: string): Sql => {
  const pairs = [...fields].map((name): readonly [string, Sql] => {
    const field = entity.fields.get(name);
    // A value of an act has no value before it, even if an earlier act left one in the column.
    if (field !== undefined && isActValue(field)) {
      const value = inJson(entity, after, name);
      return [name, sql`CASE WHEN ${hasValue(field, after)} THEN ${pair(sql`NULL`, value)} END`];
    }
    const [was, is] = [before, after].map((alias) => comparableSql(entity, alias, name)) as [Sql, Sql];
    const change = pair(inJson(entity, before, name), inJson(entity, after, name));
    return [name, sql`CASE WHEN ${was} IS DISTINCT FROM ${is} THEN ${change} END`];
  });
  return byField(pairs);
};

const hasValue = ({ name, many }: Field, alias: string): Sql => {
  const column = sql`${identifier(alias)}.${identifier(name)}`;
  return many ? sql`cardinality(${column}) > 0` : sql`${column} IS NOT NULL`;
};

const pair = (was: Sql, is: Sql): Sql => sql`JSON_ARRAY(${was}, ${is} NULL ON NULL RETURNING jsonb)`;

/** A JSON object of the pairs that are not NULL. */
const byField = (pairs: readonly (readonly [string, Sql])[]): Sql =>
  pairs.length === 0
    ? sql`'{}'::jsonb`
    : sql`JSON_OBJECT(${join(
        pairs.map(([name, value]) => sql`${constant(name)} : ${value}`),
        ", ",
      )} ABSENT ON NULL RETURNING jsonb)`;

/** The condition that any of the fields differs. */
export const differs = (
  entity: Entity,
  fields: Iterable<string>,
  before: string,
  after: string | ColumnValues,
): Sql => {
  const some = [...fields].map(
    (name) => sql`${comparableSql(entity, before, name)} IS DISTINCT FROM ${comparableSql(entity, after, name)}`,
  );
  return some.length === 0 ? sql`FALSE` : sql`(${join(some, " OR ")})`;
};

/** Casts to text where Postgres has no comparison, or finds differently written values equal (a day and 24 hours). */
const comparableSql = (entity: Entity, of: string | ColumnValues, name: string): Sql => {
  const column = typeof of === "string" ? sql`${identifier(of)}.${identifier(name)}` : of(name);
  const type = entity.fields.get(name)?.type;
  return type === "json" || type === "duration" ? sql`${column}::text` : column;
};

/** All fields of a created (`after`) or deleted (`before`) record. */
export const changesOfRow = (
  entity: Entity,
  fields: Iterable<string>,
  alias: string,
  side: "before" | "after",
): Sql => {
  const pairs = [...fields].map((name): readonly [string, Sql] => {
    const value = inJson(entity, alias, name);
    const change = side === "after" ? pair(sql`NULL`, value) : pair(value, sql`NULL`);
    return [name, sql`CASE WHEN ${identifier(alias)}.${identifier(name)} IS NOT NULL THEN ${change} END`];
  });
  return byField(pairs);
};

/**
 * A value in the JSON of the history. Decimals are stored as text to keep all digits. JSON is stored as text to keep
 * its nulls, which are stripped from the line.
 */
const inJson = (entity: Entity, alias: string, name: string): Sql => {
  const column = sql`${identifier(alias)}.${identifier(name)}`;
  const { type, many = false } = entity.fields.get(name) ?? {};
  if (type === "json") return sql`${column}::text`;
  if (many && (type === "decimal" || type === "money")) return sql`${column}::text[]`;
  return type === "decimal" || type === "money" ? sql`trim_scale(${column})::text` : column;
};

/** Restores a value from the history to the form that the database returns. */
export const fromHistory = (field: Field, json: Json): unknown =>
  field.type === "json" && typeof json === "string" ? JSON.parse(json) : json;

/** The audit line of a write, inserted by the same statement, so that both exist or neither does. */
export const auditLine = (of: {
  readonly entity: Entity;
  readonly action: string;
  readonly clause: string;
  readonly version: number;
  readonly changes: Sql;
  /** The id of the audit line of the causing write. */
  readonly cause?: Sql;
  /** The person on whose behalf a deputy acts. */
  readonly actingFor?: Sql | undefined;
  readonly from: Sql;
  /** Alias of the written row. */
  readonly alias?: string;
}): Sql =>
  sql`INSERT INTO ninefold.audit (at, person, entity, record, action, clause, document, changes, cause, acting_for)
      SELECT ${slot("now", "timestamptz")}, nullif(${slot("user", "uuid")}, ${constant(NOBODY)}::uuid), ${constant(of.entity.name)}, ${identifier(of.alias ?? WRITTEN_ROWS.alias)}."id", ${constant(of.action)}, ${constant(of.clause)}, ${constant(of.version)}, ${of.changes}, ${of.cause ?? sql`NULL::bigint`}, ${of.actingFor ?? sql`NULL::uuid`} ${of.from}`;
