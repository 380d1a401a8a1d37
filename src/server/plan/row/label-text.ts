import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { type LabelEnv, readerEnv } from "./labels.ts";
import { asCondition, readScope } from "./read-scope.ts";
import { tableSql } from "./sql-env.ts";

/** Stands for values that are not text or not readable. No search word contains a line break. */
const GAP = sql`E'\\n'`;

/**
 * A record's label as one searchable text in the caller's read scope: literal text, text values, whole numbers as
 * digits, and labels of referenced records. Undefined if it contains no text values.
 */
export const searchableLabelSql = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
): Sql | undefined => {
  const env = readerEnv(model, entity, principal, alias);
  let says = false;
  const parts = entity.label.parts.map((part) => {
    if (typeof part === "string") return sql`${constant(part)}`;
    const text = textSql(model, principal, part, env, `${alias}>`);
    says ||= text !== undefined;
    if (text === undefined) return GAP;
    return entity.label.parts.length === 1 ? text : sql`COALESCE(${text}, ${GAP})`;
  });
  return says ? join(parts, " || ") : undefined;
};

const textSql = (model: Model, principal: Principal, part: Expr, env: LabelEnv, alias: string): Sql | undefined => {
  const many = part.type.kind === "list";
  const of = part.type.kind === "list" ? part.type.of : part.type;
  const value = () => toSql(part, env).value;
  if (of.kind === "text") return many ? sql`array_to_string(${value()}, ', ')` : value();
  if (of.kind === "integer" && !many) return sql`(${value()})::text`;
  const target = of.kind === "record" ? model.entities.get(of.entity) : undefined;
  const text = target && searchableLabelSql(model, target, principal, alias);
  if (target === undefined || text === undefined) return undefined;
  const as = identifier(alias);
  const isRead = asCondition(readScope(model, target, principal, alias).rows);
  const from = sql`FROM ${tableSql(target)} AS ${as} WHERE ${as}."id"`;
  return many
    ? sql`(SELECT string_agg(${text}, ', ') ${from} = ANY(${value()}) AND ${isRead})`
    : sql`(SELECT ${text} ${from} = ${value()} AND ${isRead})`;
};
