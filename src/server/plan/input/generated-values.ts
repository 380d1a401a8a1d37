import type { Stored } from "../../../core/field/kind.ts";
import { seriesOn } from "../../../core/field/sequence.ts";
import { slugify } from "../../../core/field/slug.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { entityWords } from "../../../core/model/inflection.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { COUNTERS, EXISTING, NUMBERLESS, SLUGS, SUFFIXES } from "../aliases.ts";
import { tableSql } from "../row/sql-env.ts";

/* Values generated during a write: the next number of a sequence, a free slug, the next position among parts. */

// Numbers

/** The sequences that an operation assigns: on creation, or at the transition that a gapless sequence names. */
export const findSequences = (entity: Entity, action: string): readonly Field[] =>
  [...entity.fields.values()].filter(({ series }) => series !== null && (series.gapless ?? "create") === action);

/** The numbers that a statement takes from sequences. */
export interface DrawnNumbers {
  /** Table expressions, each followed by a comma. */
  readonly tables: Sql;
  /** The number of a row of `n`; undefined for a field that gets none. A row keeps an existing number. */
  readonly value: (field: string) => Sql | undefined;
}

export const noNumbers: DrawnNumbers = { tables: sql``, value: () => undefined };

const drawNumbers = (
  series: readonly Field[],
  table: (field: Field) => Sql,
  value: (field: Field) => Sql,
): DrawnNumbers => ({
  tables: join(series.map(table), ""),
  value: (name) => {
    const field = series.find((candidate) => candidate.name === name);
    return field === undefined ? undefined : value(field);
  },
});

/** The numbers of one row, if the condition holds. */
export const drawOne = (
  entity: Entity,
  series: readonly Field[],
  rows: string,
  where: (field: Field) => Sql,
): DrawnNumbers =>
  drawNumbers(
    series,
    (field) => sql`${drawSql(entity, field, where(field))}, `,
    (field) =>
      sql`COALESCE(${identifier(rows)}.${identifier(field.name)}, (SELECT ${formatNumberSql(field, sql`last`)} FROM ${counter(field)}))`,
  );

/** Numbers all rows of `rows` that have none, in the order of the column `by`. */
export const drawEach = (entity: Entity, series: readonly Field[], rows: string, by: string): DrawnNumbers =>
  drawNumbers(
    series,
    (field) => drawManySql(entity, field, rows),
    (field) => rowNumberSql(field, rows, by),
  );

const counter = (field: Field): Sql => identifier(`s:${field.name}`);

/**
 * A common table expression that takes a number if the condition holds. The counter's row stays locked until the end of
 * the transaction, so concurrent writers wait and no number is skipped.
 */
const drawSql = (entity: Entity, field: Field, where: Sql): Sql =>
  sql`${counter(field)} AS (INSERT INTO ninefold.sequence AS ${COUNTERS} (field, scope, last) SELECT ${constant(`${entity.table}.${field.name}`)}, ${slot(`before:${field.name}`, "text")} || '{n}' || ${slot(`after:${field.name}`, "text")}, 1 ${where} ON CONFLICT (field, scope) DO UPDATE SET last = ${COUNTERS}.last + 1 RETURNING ${COUNTERS}.last)`;

const formatNumberSql = (field: Field, number: Sql): Sql =>
  field.type === "integer sequence"
    ? sql`(${number})`
    : sql`${slot(`before:${field.name}`, "text")} || lpad((${number})::text, greatest(${slot(`width:${field.name}`, "integer")}, length((${number})::text)), '0') || ${slot(`after:${field.name}`, "text")}`;

const drawManySql = (entity: Entity, field: Field, rows: string): Sql =>
  sql`${counter(field)} AS (INSERT INTO ninefold.sequence AS ${COUNTERS} (field, scope, last) SELECT ${constant(`${entity.table}.${field.name}`)}, ${slot(`before:${field.name}`, "text")} || '{n}' || ${slot(`after:${field.name}`, "text")}, count(*) FROM ${identifier(rows)} WHERE ${identifier(field.name)} IS NULL HAVING count(*) > 0 ON CONFLICT (field, scope) DO UPDATE SET last = ${COUNTERS}.last + EXCLUDED.last RETURNING ${COUNTERS}.last), `;

/** The number of one of several rows. */
const rowNumberSql = (field: Field, rows: string, by: string): Sql => {
  const own = sql`${identifier(rows)}.${identifier(field.name)}`;
  const before = sql`(SELECT count(*) FROM ${identifier(rows)} AS ${NUMBERLESS} WHERE ${NUMBERLESS}.${identifier(field.name)} IS NULL AND ${NUMBERLESS}.${identifier(by)} > ${identifier(rows)}.${identifier(by)})`;
  return sql`COALESCE(${own}, (SELECT ${formatNumberSql(field, sql`last - ${before}`)} FROM ${counter(field)}))`;
};

export const sequenceParams = (fields: readonly Field[], today: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap(({ name, series }) => {
      const { before, after, width } = seriesOn(series?.parts ?? [], today);
      return [
        [`before:${name}`, before],
        [`after:${name}`, after],
        [`width:${name}`, width],
      ];
    }),
  );

// Slugs and positions

/** The generated value of a field that was not sent; undefined for types without one. */
export const generatedValue = (entity: Entity, field: Field): Sql | undefined => {
  if (field.type === "slug")
    return freeSlugSql(entity, field, sql`${slot(`slug:${field.name}`, "text")}`, sql`${slot("id", "uuid")}`);
  return field.type === "position" ? nextPlace(entity, field) : undefined;
};

const MAX_SLUGS_TRIED = 200;

/** The first free slug of `word`, `word-2`, `word-3`, …, each tested by index. */
export const freeSlugSql = (entity: Entity, field: Field, base: Sql, id: Sql): Sql => {
  const taken = sql`(SELECT TRUE FROM ${tableSql(entity)} AS ${EXISTING} WHERE ${EXISTING}.${identifier(field.name)} = ${SLUGS}."word" LIMIT 1)`;
  return sql`COALESCE((SELECT ${SLUGS}."word" FROM (SELECT ${SUFFIXES}, ${base} || CASE WHEN ${SUFFIXES} = 1 THEN '' ELSE '-' || ${SUFFIXES} END AS "word" FROM generate_series(1, ${constant(MAX_SLUGS_TRIED)}) AS ${SUFFIXES}) AS ${SLUGS} WHERE ${taken} IS NULL ORDER BY ${SLUGS}."k" LIMIT 1), ${base} || '-' || right(${id}::text, 8))`;
};

const nextPlace = (entity: Entity, field: Field): Sql => {
  const parent = field.from === null ? undefined : entity.fields.get(field.from);
  const among =
    parent === undefined
      ? sql``
      : sql` WHERE ${EXISTING}.${identifier(parent.name)} = ${slot(`v:${parent.name}`, "uuid")}`;
  return sql`(SELECT COALESCE(max(${EXISTING}.${identifier(field.name)}), 0) + 1 FROM ${tableSql(entity)} AS ${EXISTING}${among})`;
};

/**
 * Parameters with the bases of slugs: the source text as far as it is known before the statement, or otherwise the
 * entity's name.
 */
export const slugParams = (entity: Entity, values: ReadonlyMap<string, Stored>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(slugTexts(entity, values)).map(([name, slug]) => [`slug:${name}`, slug]));

/** The bases of slugs by field name. In a loop, because each creation asks for them and few entities have any. */
export const slugTexts = (entity: Entity, values: ReadonlyMap<string, Stored>): Readonly<Record<string, string>> => {
  const slugs: Record<string, string> = {};
  for (const { name, type, from } of entity.fields.values()) {
    if (type !== "slug") continue;
    const source = from === null ? null : (values.get(from) ?? null);
    slugs[name] = slugify(String(source ?? "")) || slugify(entityWords(entity.name));
  }
  return slugs;
};
