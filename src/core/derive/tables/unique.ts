import type { Entity, UniquenessRule } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, identifier, join, type Sql, sql } from "../../sql.ts";
import { exclusionSql, membersSql, spanSql, uniqueKeySql, uniqueSql } from "../consistency/uniqueness.ts";
import { uniqueName, uniquenessConstraintName } from "./names.ts";
import type { Exclusion, Index } from "./table.ts";

/** True if values are compared without conversion. */
const isColumn = (field: Field): boolean =>
  definitionText(uniqueKeySql(field, null)) === definitionText(identifier(field.name));

const isPlain = (rule: UniquenessRule, entity: Entity): boolean =>
  rule.where === null && rule.same.flatMap((name) => entity.fields.get(name) ?? []).every(isColumn);

/**
 * True if an exclusion constraint enforces the rule. Parts can swap values in one request, which requires a deferrable
 * constraint; a deferrable unique constraint allows neither conditions nor expressions, but an exclusion constraint
 * does, at the price of a second index lookup.
 */
export const isExclusion = (rule: UniquenessRule, entity: Entity): boolean =>
  rule.range !== null ||
  (!rule.countsMissing && !isPlain(rule, entity) && [...entity.fields.values()].some(({ partOf }) => partOf));

/**
 * True if Postgres checks the field at the end of the statement or later. Two concurrent writers of one value would
 * wait for each other.
 */
export const isCheckedLate = (field: Field): boolean => field.unique && isColumn(field);

/** True if the constraint of a uniqueness rule is checked at the end of the statement or later. */
export const isRuleCheckedLate = (rule: UniquenessRule, entity: Entity): boolean =>
  isExclusion(rule, entity) || isPlain(rule, entity);

/** `nulls not distinct ("a", "b") deferrable` for a constraint. */
const waiting = (fields: readonly Field[], countsMissing: boolean): string =>
  definitionText(
    sql`${countsMissing ? sql`nulls not distinct ` : sql``}(${join(
      fields.map(({ name }) => identifier(name)),
      ", ",
    )}) deferrable`,
  );

export const uniqueIndexes = (field: Field, entity: Entity): readonly Index[] => {
  if (!field.unique) return [];
  const key = uniqueKeySql(field, null);
  return [
    {
      name: uniqueName(entity.table, field.name),
      ...(isColumn(field)
        ? { on: waiting([field], field.countsMissing), waits: true as const }
        : { on: definitionText(sql`(${key})${field.countsMissing ? sql` nulls not distinct` : sql``}`) }),
      unique: true,
      ...duplicateQueries(entity, [key], field.countsMissing, undefined),
      clause: field.clause.id,
    },
  ];
};

export const uniquenessIndex = (rule: UniquenessRule, entity: Entity, model: Model): Index => {
  const fields = rule.same.flatMap((name) => entity.fields.get(name) ?? []);
  const keys = fields.map((field) => uniqueKeySql(field, null));
  return {
    name: uniquenessConstraintName(entity, rule),
    ...(isPlain(rule, entity)
      ? { on: waiting(fields, rule.countsMissing), waits: true as const }
      : { on: definitionText(uniqueSql(model, entity, rule)) }),
    unique: true,
    ...duplicateQueries(entity, keys, rule.countsMissing, membersSql(model, entity, rule, null)),
    clause: rule.clause.id,
  };
};

/** A query with one row per duplicate value, and one for the records with these values. */
const duplicateQueries = (
  entity: Entity,
  keys: readonly Sql[],
  missing: boolean,
  among: Sql | undefined,
): { readonly twice: string; readonly alike: string } => {
  const present = missing ? [] : keys.map((key) => sql`${key} IS NOT NULL`);
  const where = [...present, ...(among === undefined ? [] : [among])];
  const from = sql`FROM "app".${identifier(entity.table)}${where.length === 0 ? sql`` : sql` WHERE ${join(where, " AND ")}`}`;
  const same = join(keys, ", ");
  return {
    twice: definitionText(sql`SELECT 1 ${from} GROUP BY ${same} HAVING count(*) > 1`),
    alike: definitionText(
      sql`SELECT "id" FROM (SELECT "id", count(*) OVER (PARTITION BY ${same}) AS "records" ${from}) "counted" WHERE "records" > 1`,
    ),
  };
};

export const togetherExclusion = (rule: UniquenessRule, entity: Entity, model: Model): Exclusion => {
  const among = membersSql(model, entity, rule, null);
  const keys = rule.same.flatMap((name) => entity.fields.get(name) ?? []).map((field) => uniqueKeySql(field, null));
  return {
    name: uniquenessConstraintName(entity, rule),
    definition: definitionText(exclusionSql(model, entity, rule)),
    ...(among === undefined ? {} : { among: definitionText(among) }),
    ...(rule.range === null
      ? { same: true as const, alike: duplicateQueries(entity, keys, rule.countsMissing, among).alike }
      : { alike: overlapsQuery(entity, rule.range, keys, among) }),
    clause: rule.clause.id,
  };
};

/** A query for the records whose period overlaps another one with the same keys. */
const overlapsQuery = (
  entity: Entity,
  range: NonNullable<UniquenessRule["range"]>,
  keys: readonly Sql[],
  among: Sql | undefined,
): string => {
  const span = spanSql(entity, range, null);
  const where = [
    sql`(${span}) IS NOT NULL`,
    ...keys.map((key) => sql`${key} IS NOT NULL`),
    ...(among === undefined ? [] : [among]),
  ];
  const partition =
    keys.length === 0
      ? sql``
      : sql`PARTITION BY ${join(
          keys.map((_, i) => identifier(`key${i}`)),
          ", ",
        )} `;
  const columns = [sql`"id"`, sql`${span} AS "span"`, ...keys.map((key, i) => sql`${key} AS ${identifier(`key${i}`)}`)];
  // Whole numbers have no infinity of their own.
  const isWhole = entity.fields.get(range.from)?.ruleType.kind === "integer";
  const end = sql`coalesce(upper("span")${isWhole ? sql`::numeric` : sql``}, 'infinity')`;
  return definitionText(
    sql`SELECT "id" FROM (SELECT "id", "span", max(${end}) OVER ("by_begin" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "end_before", lead(lower("span")) OVER "by_begin" AS "next_begin" FROM (SELECT ${join(columns, ", ")} FROM "app".${identifier(entity.table)} WHERE ${join(where, " AND ")}) "spans" WHERE NOT isempty("span") WINDOW "by_begin" AS (${partition}ORDER BY lower("span"), "id")) "ordered" WHERE lower("span") < "end_before" OR ${end} > "next_begin"`,
  );
};
