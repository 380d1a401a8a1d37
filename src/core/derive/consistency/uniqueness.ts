import { toSql } from "../../expression/compile/to-sql.ts";
import type { Type } from "../../expression/values/type.ts";
import type { Entity, UniquenessRule } from "../../model/entity.ts";
import { includesEnd } from "../../model/facts/ranges.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { addsRecord } from "../../model/write-actions.ts";
import { identifier, join, type Sql, sql } from "../../sql.ts";
import { rowEnv } from "../sql/row-env.ts";

/*
 * SQL of `unique` and `no overlap`. The check of a write and the index use identical expressions, so that the check can
 * use the index.
 */

/** A column of an aliased row; without an alias, of the indexed row. */
const getColumn = (alias: string | null, name: string): Sql =>
  alias === null ? identifier(name) : sql`${identifier(alias)}.${identifier(name)}`;

/** Email addresses are compared case-insensitively. */
export const uniqueKeySql = (field: Field, alias: string | null): Sql =>
  field.type === "email" ? sql`lower(${getColumn(alias, field.name)})` : getColumn(alias, field.name);

/** The condition under which a row is subject to the rule. */
export const membersSql = (
  model: Model,
  entity: Entity,
  rule: UniquenessRule,
  alias: string | null,
): Sql | undefined =>
  rule.where === null ? undefined : sql`(${toSql(rule.where, rowEnv(model, entity, alias)).truth})`;

const getFields = (entity: Entity, names: readonly string[]): readonly Field[] =>
  names.flatMap((name) => entity.fields.get(name) ?? []);

/** The range type for a value: one of Postgres's own, or one of the two that the platform defines. */
const getRangeType = (field: Field): Sql => {
  switch (field.ruleType.kind) {
    case "record":
      return sql`ninefold.uuid_range`;
    case "date":
      return sql`daterange`;
    case "datetime":
      return sql`tstzrange`;
    case "integer":
      return sql`int8range`;
    case "decimal":
    case "money":
    case "duration":
      return sql`numrange`;
    case "text":
    case "choice":
    case "boolean":
    case "time":
    case "file":
      return sql`ninefold.text_range`;
    case "json":
    case "list":
    case "null":
    case "unknown":
      throw new Error(`${field.name} is not compared with other records`);
  }
};

/** A value as a bound of its range type. */
const pointSql = (kind: Type["kind"], value: Sql): Sql => {
  if (kind === "boolean" || kind === "time" || kind === "file") return sql`${value}::text`;
  // An index needs an immutable expression, and the text of an interval is none. Comparison counts a year as 360 days,
  // but `epoch` as 365.25.
  return kind === "duration" ? sql`(extract(epoch from ${value}) - 453600 * extract(year from ${value}))` : value;
};

/** A value as a range of itself, because GiST supports ranges without an extension. NULL overlaps nothing. */
const pointRangeSql = (field: Field, alias: string | null): Sql => {
  const value = uniqueKeySql(field, alias);
  const point = pointSql(field.ruleType.kind, value);
  return sql`CASE WHEN ${value} IS NOT NULL THEN ${getRangeType(field)}(${point}, ${point}, '[]') END`;
};

/**
 * The range of a record. A range of days or whole numbers includes its end; a range of instants, decimals or amounts
 * excludes it, because the next one starts there. Without an end it is unbounded; without a start, or with the end
 * before the start, there is no range.
 */
export const spanSql = (
  entity: Entity,
  { from, to }: NonNullable<UniquenessRule["range"]>,
  alias: string | null,
): Sql => {
  const [begin, end] = [getColumn(alias, from), getColumn(alias, to)];
  const field = entity.fields.get(from);
  if (field === undefined) throw new Error(`${entity.name} has no field ${from}`);
  const bounds = includesEnd(field.ruleType) ? sql`'[]'` : sql`'[)'`;
  const range = sql`${getRangeType(field)}(${begin}, ${end}, ${bounds})`;
  return sql`CASE WHEN ${begin} IS NOT NULL AND (${end} IS NULL OR ${end} >= ${begin}) THEN ${range} END`;
};

/** The ranges that must not all overlap: the fields of `within`, and the period. */
const getRanges = (entity: Entity, rule: UniquenessRule, alias: string | null): readonly Sql[] => [
  ...getFields(entity, rule.same).map((field) => pointRangeSql(field, alias)),
  ...(rule.range === null ? [] : [spanSql(entity, rule.range, alias)]),
];

/** `exclude using gist (… with &&, … with &&) where (…) deferrable`; without a period, `using btree (… with =)`. */
export const exclusionSql = (model: Model, entity: Entity, rule: UniquenessRule): Sql => {
  const among = membersSql(model, entity, rule, null);
  const [method, compared] =
    rule.range === null
      ? [sql`btree`, getFields(entity, rule.same).map((field) => sql`(${uniqueKeySql(field, null)}) WITH =`)]
      : [sql`gist`, getRanges(entity, rule, null).map((range) => sql`(${range}) WITH &&`)];
  return sql`exclude using ${method} (${join(compared, ", ")})${among === undefined ? sql`` : sql` where (${among})`} deferrable`;
};

/** `("a", "b") where (…)` for a unique index. */
export const uniqueSql = (model: Model, entity: Entity, rule: UniquenessRule): Sql => {
  const keys = getFields(entity, rule.same).map((field) => sql`(${uniqueKeySql(field, null)})`);
  const among = membersSql(model, entity, rule, null);
  return sql`(${join(keys, ", ")})${rule.countsMissing ? sql` nulls not distinct` : sql``}${among === undefined ? sql`` : sql` where ${among}`}`;
};

/** The condition that two aliased rows violate the rule. */
export const violatesUniqueness = (
  model: Model,
  entity: Entity,
  rule: UniquenessRule,
  one: string,
  other: string,
): Sql => {
  const among = [one, other].flatMap((alias) => membersSql(model, entity, rule, alias) ?? []);
  if (rule.range !== null) {
    const [ranges, others] = [getRanges(entity, rule, one), getRanges(entity, rule, other)];
    const overlaps = ranges.map((range, i) => sql`(${range}) && (${others[i] ?? range})`);
    return join([...overlaps, ...among], " AND ");
  }
  const alike = getFields(entity, rule.same).map((field) => {
    const [a, b] = [uniqueKeySql(field, one), uniqueKeySql(field, other)];
    return rule.countsMissing && field.optional ? sql`${a} IS NOT DISTINCT FROM ${b}` : sql`${a} = ${b}`;
  });
  return join([...alike, ...among], " AND ");
};

/** The uniqueness rules that an operation checks: those that its changes can violate. */
export const uniquenessRulesAt = (
  entity: Entity,
  action: string,
  changed: ReadonlySet<string>,
): readonly UniquenessRule[] =>
  entity.uniquenessRules.filter((rule) => addsRecord(action) || rule.reads.some((field) => changed.has(field)));

/** JSON pointer of the field at which a form shows the violation. */
export const uniquenessPointer = (model: Model, { error, range, same }: UniquenessRule): string => {
  const at = model.errors.get(error)?.at ?? range?.from ?? same.at(-1);
  return at === undefined ? "" : `/${at}`;
};
