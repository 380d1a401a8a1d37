import type { Entity, UniquenessRule } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, identifier, join, type Sql, sql } from "../../sql.ts";
import { exclusionSql, membersSql, uniqueKeySql, uniqueSql } from "../consistency/uniqueness.ts";
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
      twice: duplicatesQuery(entity, [key], field.countsMissing, undefined),
      clause: field.clause.id,
    },
  ];
};

export const togetherIndex = (rule: UniquenessRule, entity: Entity, model: Model): Index => {
  const fields = rule.same.flatMap((name) => entity.fields.get(name) ?? []);
  const keys = fields.map((field) => uniqueKeySql(field, null));
  return {
    name: uniquenessConstraintName(entity, rule),
    ...(isPlain(rule, entity)
      ? { on: waiting(fields, rule.countsMissing), waits: true as const }
      : { on: definitionText(uniqueSql(model, entity, rule)) }),
    unique: true,
    twice: duplicatesQuery(entity, keys, rule.countsMissing, membersSql(model, entity, rule, null)),
    clause: rule.clause.id,
  };
};

/** A query with one row per duplicate value. */
const duplicatesQuery = (entity: Entity, keys: readonly Sql[], missing: boolean, among: Sql | undefined): string => {
  const present = missing ? [] : keys.map((key) => sql`${key} IS NOT NULL`);
  const where = [...present, ...(among === undefined ? [] : [among])];
  return definitionText(
    sql`SELECT 1 FROM "app".${identifier(entity.table)}${where.length === 0 ? sql`` : sql` WHERE ${join(where, " AND ")}`} GROUP BY ${join(keys, ", ")} HAVING count(*) > 1`,
  );
};

export const togetherExclusion = (rule: UniquenessRule, entity: Entity, model: Model): Exclusion => {
  const among = membersSql(model, entity, rule, null);
  return {
    name: uniquenessConstraintName(entity, rule),
    definition: definitionText(exclusionSql(model, entity, rule)),
    ...(among === undefined ? {} : { among: definitionText(among) }),
    ...(rule.range === null ? { same: true as const } : {}),
    clause: rule.clause.id,
  };
};
