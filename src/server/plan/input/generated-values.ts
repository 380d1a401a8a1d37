import type { Stored } from "../../../core/field/kind.ts";
import { seriesOn } from "../../../core/field/sequence.ts";
import { slugOf } from "../../../core/field/slug.ts";
import { wordsOf } from "../../../core/model/inflection.ts";
import type { Entity, Field } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { tableSql } from "../row/sql-env.ts";

/*
 * What the program draws as it writes: the next number of a sequence, a word for addresses that is still free, the next
 * place among the parts of a record.
 */

// Numbers

/** The sequences that a moment draws from: `create`, or the transition that a gapless one names. */
export const sequencesAt = (entity: Entity, moment: string): readonly Field[] =>
  [...entity.fields.values()].filter(({ series }) => series !== null && (series.gapless ?? "create") === moment);

/** The tables of what is drawn, each with a comma behind it, for the statement that they stand in. */
export const drawNumbersSql = (entity: Entity, series: readonly Field[], where: (field: Field) => Sql): Sql =>
  join(
    series.map((field) => sql`${drawing(entity, field, where(field))}, `),
    "",
  );

const counter = (field: Field): Sql => identifier(`s:${field.name}`);

/**
 * A table expression that draws a number where a condition holds, and else none. The counter's row stays locked until the
 * statement is done: of two that draw at the same moment one waits, and a number is used exactly where it was drawn.
 */
const drawing = (entity: Entity, field: Field, where: Sql): Sql =>
  sql`${counter(field)} AS (INSERT INTO ninefold.sequence AS "q" (field, scope, last) SELECT ${constant(`${entity.table}.${field.name}`)}, ${slot(`before:${field.name}`, "text")} || '{n}' || ${slot(`after:${field.name}`, "text")}, 1 ${where} ON CONFLICT (field, scope) DO UPDATE SET last = "q".last + 1 RETURNING "q".last)`;

const inWords = (field: Field, number: Sql): Sql =>
  sql`${slot(`before:${field.name}`, "text")} || lpad((${number})::text, greatest(${slot(`width:${field.name}`, "integer")}, length((${number})::text)), '0') || ${slot(`after:${field.name}`, "text")}`;

/** The number that was drawn, in the words of its pattern. */
export const drawnNumberSql = (field: Field): Sql => sql`(SELECT ${inWords(field, sql`last`)} FROM ${counter(field)})`;

/** The same for many records at once: draws as many as `rows` has that have none. */
export const drawManyNumbersSql = (entity: Entity, series: readonly Field[], rows: string): Sql =>
  join(
    series.map(
      (field) =>
        sql`${counter(field)} AS (INSERT INTO ninefold.sequence AS "q" (field, scope, last) SELECT ${constant(`${entity.table}.${field.name}`)}, ${slot(`before:${field.name}`, "text")} || '{n}' || ${slot(`after:${field.name}`, "text")}, count(*) FROM ${identifier(rows)} WHERE ${identifier(field.name)} IS NULL HAVING count(*) > 0 ON CONFLICT (field, scope) DO UPDATE SET last = "q".last + EXCLUDED.last RETURNING "q".last), `,
    ),
    "",
  );

/** The number of one of them, each the next in the order that `by` gives; what has its number keeps it. */
export const drawnNumberOfRow = (field: Field, rows: string, by: string): Sql => {
  const own = sql`${identifier(rows)}.${identifier(field.name)}`;
  const before = sql`(SELECT count(*) FROM ${identifier(rows)} AS "r" WHERE "r".${identifier(field.name)} IS NULL AND "r".${identifier(by)} > ${identifier(rows)}.${identifier(by)})`;
  return sql`COALESCE(${own}, (SELECT ${inWords(field, sql`last - ${before}`)} FROM ${counter(field)}))`;
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

// Words for addresses, and places

/** A field's value in the record to be made, where nobody gave one; undefined where nothing is drawn. */
export const generatedValue = (entity: Entity, field: Field): Sql | undefined => {
  if (field.type === "slug")
    return freeSlugSql(entity, field, sql`${slot(`slug:${field.name}`, "text")}`, sql`${slot("id", "uuid")}`);
  return field.type === "position" ? nextPlace(entity, field) : undefined;
};

const MOST_TRIED = 200;

/** The word itself, or the first of `word-2`, `word-3`, … that no record has; asked one by one, each by the index. */
export const freeSlugSql = (entity: Entity, field: Field, base: Sql, id: Sql): Sql => {
  const taken = sql`(SELECT TRUE FROM ${tableSql(entity)} AS "o" WHERE "o".${identifier(field.name)} = "w"."word" LIMIT 1)`;
  return sql`COALESCE((SELECT "w"."word" FROM (SELECT "k", ${base} || CASE WHEN "k" = 1 THEN '' ELSE '-' || "k" END AS "word" FROM generate_series(1, ${constant(MOST_TRIED)}) AS "k") AS "w" WHERE ${taken} IS NULL ORDER BY "w"."k" LIMIT 1), ${base} || '-' || right(${id}::text, 8))`;
};

const nextPlace = (entity: Entity, field: Field): Sql => {
  const parent = field.from === null ? undefined : entity.fields.get(field.from);
  const among =
    parent === undefined ? sql`` : sql` WHERE "o".${identifier(parent.name)} = ${slot(`v:${parent.name}`, "uuid")}`;
  return sql`(SELECT COALESCE(max("o".${identifier(field.name)}), 0) + 1 FROM ${tableSql(entity)} AS "o"${among})`;
};

/** What slugs are made of, as far as it is known before the statement; else the entity's name. */
export const slugParams = (entity: Entity, values: ReadonlyMap<string, Stored>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(slugTexts(entity, values)).map(([name, slug]) => [`slug:${name}`, slug]));

/** By the slug's name. */
export const slugTexts = (entity: Entity, values: ReadonlyMap<string, Stored>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...entity.fields.values()].flatMap(({ name, type, from }) => {
      if (type !== "slug") return [];
      const source = from === null ? null : (values.get(from) ?? null);
      return [[name, slugOf(String(source ?? "")) || slugOf(wordsOf(entity.name))]];
    }),
  );
