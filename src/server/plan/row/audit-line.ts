import type { ColumnValues } from "../../../core/derive/sql/row-env.ts";
import { readSetOf } from "../../../core/expression/inspect/read-set.ts";
import { type Entity, type Field, isStored } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import { NOBODY } from "../context.ts";

/** The fields of an entity that stand in its table: what its history can tell of. */
export const storedOf = (entity: Entity): readonly string[] =>
  [...entity.fields.values()].filter(isStored).map((field) => field.name);

/** Those of them that Postgres computes, and that no write names, where what they are made of may have changed. */
export const generatedFrom = (entity: Entity, changed: ReadonlySet<string>): readonly string[] => {
  const follows = ({ held }: Field): boolean =>
    held.as === "generated" &&
    [...readSetOf(held.from).fields].some((name) => isChanged(entity.fields.get(name), name));
  const isChanged = (field: Field | undefined, name: string): boolean =>
    changed.has(name) || (field !== undefined && follows(field));
  return [...entity.fields.values()].filter(follows).map((field) => field.name);
};

/** What changed, by field, as the audit keeps it: `{ "due_day": ["2026-10-21", "2026-10-23"] }`. */
export const changesBetween = (entity: Entity, fields: Iterable<string>, before: string, after: string): Sql => {
  const pairs = [...fields].map((name): readonly [string, Sql] => {
    const [was, is] = [before, after].map((alias) => compared(entity, alias, name)) as [Sql, Sql];
    const both = pair(inJson(entity, before, name), inJson(entity, after, name));
    return [name, sql`CASE WHEN ${was} IS DISTINCT FROM ${is} THEN ${both} END`];
  });
  return byField(pairs);
};

const pair = (was: Sql, is: Sql): Sql => sql`JSON_ARRAY(${was}, ${is} NULL ON NULL RETURNING jsonb)`;

/** An object of those that are not NULL. */
const byField = (pairs: readonly (readonly [string, Sql])[]): Sql =>
  pairs.length === 0
    ? sql`'{}'::jsonb`
    : sql`JSON_OBJECT(${join(
        pairs.map(([name, both]) => sql`${constant(name)} : ${both}`),
        ", ",
      )} ABSENT ON NULL RETURNING jsonb)`;

/** Whether any of the fields is another on one side than on the other. */
export const differs = (
  entity: Entity,
  fields: Iterable<string>,
  before: string,
  after: string | ColumnValues,
): Sql => {
  const some = [...fields].map(
    (name) => sql`${compared(entity, before, name)} IS DISTINCT FROM ${compared(entity, after, name)}`,
  );
  return some.length === 0 ? sql`FALSE` : sql`(${join(some, " OR ")})`;
};

/** As text, what Postgres finds equal though it is written otherwise (a day and 24 hours), or does not compare. */
const compared = (entity: Entity, of: string | ColumnValues, name: string): Sql => {
  const column = typeof of === "string" ? sql`${identifier(of)}.${identifier(name)}` : of(name);
  const type = entity.fields.get(name)?.type;
  return type === "json" || type === "duration" ? sql`${column}::text` : column;
};

/** Every field of a record that comes (`after`) or goes (`before`). */
export const changesOfRow = (
  entity: Entity,
  fields: Iterable<string>,
  alias: string,
  side: "before" | "after",
): Sql => {
  const pairs = [...fields].map((name): readonly [string, Sql] => {
    const value = inJson(entity, alias, name);
    const both = side === "after" ? pair(sql`NULL`, value) : pair(value, sql`NULL`);
    return [name, sql`CASE WHEN ${identifier(alias)}.${identifier(name)} IS NOT NULL THEN ${both} END`];
  });
  return byField(pairs);
};

/**
 * A value as a history keeps it, in an array of JSON. As text, what JSON would not keep as it is: the digits of a decimal, and JSON itself, of
 * which the nulls would be taken out with those of the line.
 */
const inJson = (entity: Entity, alias: string, name: string): Sql => {
  const column = sql`${identifier(alias)}.${identifier(name)}`;
  const { type, many = false } = entity.fields.get(name) ?? {};
  if (type === "json") return sql`${column}::text`;
  if (many && (type === "decimal" || type === "money")) return sql`${column}::text[]`;
  return type === "decimal" || type === "money" ? sql`trim_scale(${column})::text` : column;
};

/** A value that a history keeps, as the database would give it. */
export const fromHistory = (field: Field, kept: Json): unknown =>
  field.type === "json" && typeof kept === "string" ? JSON.parse(kept) : kept;

/** The audit line of a write, in the same statement: it is there exactly when the write is. */
export const auditLine = (of: {
  readonly entity: Entity;
  readonly action: string;
  readonly clause: string;
  readonly version: number;
  readonly changes: Sql;
  /** The line of the write that this one follows. */
  readonly cause?: Sql;
  readonly from: Sql;
  /** The alias of what was written. */
  readonly alias?: string;
}): Sql =>
  sql`INSERT INTO ninefold.audit (at, person, entity, record, action, clause, document, changes, cause)
      SELECT ${slot("now", "timestamptz")}, nullif(${slot("user", "uuid")}, ${constant(NOBODY)}::uuid), ${constant(of.entity.name)}, ${identifier(of.alias ?? "d")}."id", ${constant(of.action)}, ${constant(of.clause)}, ${constant(of.version)}, ${of.changes}, ${of.cause ?? sql`NULL::bigint`} ${of.from}`;
