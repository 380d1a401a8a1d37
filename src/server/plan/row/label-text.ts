import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { type Seen, seenEnv } from "./labels.ts";
import { asCondition, eyesOf } from "./read-scope.ts";
import { tableOf } from "./sql-env.ts";

/** Stands for what is no text or may not be read: no word that is looked for goes over it. */
const GAP = sql`E'\\n'`;

/**
 * A record's label as one text that can be searched, as this person reads it: what it says around its values, their texts, whole
 * numbers by their digits, and the labels of records that it names. Undefined where no text is among its values.
 */
export const labelTextOf = (model: Model, entity: Entity, person: Principal, alias: string): Sql | undefined => {
  const env = seenEnv(model, entity, person, alias);
  let says = false;
  const parts = entity.label.parts.map((part) => {
    if (typeof part === "string") return sql`${constant(part)}`;
    const text = textIn(model, person, part, env, `${alias}>`);
    says ||= text !== undefined;
    if (text === undefined) return GAP;
    return entity.label.parts.length === 1 ? text : sql`COALESCE(${text}, ${GAP})`;
  });
  return says ? join(parts, " || ") : undefined;
};

const textIn = (model: Model, person: Principal, part: Expr, env: Seen, alias: string): Sql | undefined => {
  const many = part.type.kind === "list";
  const of = part.type.kind === "list" ? part.type.of : part.type;
  const value = () => toSql(part, env).value;
  if (of.kind === "text") return many ? sql`array_to_string(${value()}, ', ')` : value();
  if (of.kind === "integer" && !many) return sql`(${value()})::text`;
  const target = of.kind === "record" ? model.entities.get(of.entity) : undefined;
  const text = target && labelTextOf(model, target, person, alias);
  if (target === undefined || text === undefined) return undefined;
  const as = identifier(alias);
  const isRead = asCondition(eyesOf(model, target, person, alias).rows);
  const from = sql`FROM ${tableOf(target)} AS ${as} WHERE ${as}."id"`;
  return many
    ? sql`(SELECT string_agg(${text}, ', ') ${from} = ANY(${value()}) AND ${isRead})`
    : sql`(SELECT ${text} ${from} = ${value()} AND ${isRead})`;
};
