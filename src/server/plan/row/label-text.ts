import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { type LabelEnv, readerEnv, SEPARATOR } from "./labels.ts";
import { asCondition, readScope } from "./read-scope.ts";
import { tableSql } from "./sql-env.ts";

/** Stands for values that are not text or not readable. No search word contains a line break. */
const GAP = sql`E'\\n'`;

/**
 * A record's label as one searchable text in the caller's read scope: literal text, text values, whole numbers as
 * digits, and labels of referenced records. A separator is left out where the label that people see leaves it out.
 * Undefined if it contains no text values.
 */
export const searchableLabelSql = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
): Sql | undefined => {
  const env = readerEnv(model, entity, principal, alias);
  const { parts } = entity.label;
  const texts = parts.map((part) =>
    typeof part === "string" ? undefined : textSql(model, principal, part, env, `${alias}>`),
  );
  const [only] = texts;
  if (parts.length === 1) return only;
  if (texts.every((text) => text === undefined)) return undefined;
  const isSeparator = (part: string | Expr | undefined) => typeof part === "string" && SEPARATOR.test(part);
  /** The values before which nothing is shown as long as all of them are missing. */
  let opening: readonly Sql[] | undefined = [];
  const shown = parts.map((part, at): Sql => {
    const next = parts[at + 1];
    if (typeof part !== "string") {
      const missing = missingSql(part, env);
      opening = isSeparator(next) ? opening && [...opening, missing] : undefined;
      const text = texts[at];
      if (isSeparator(parts[at - 1])) return sql`CASE WHEN ${missing} THEN '' ELSE ${text ?? GAP} END`;
      return text === undefined ? GAP : sql`COALESCE(${text}, ${GAP})`;
    }
    if (!isSeparator(part)) {
      opening = undefined;
      return sql`${constant(part)}`;
    }
    const hidden = [
      ...(next === undefined || typeof next === "string" ? [] : [missingSql(next, env)]),
      ...(at === 0 || opening === undefined ? [] : [sql`(${join(opening, " AND ")})`]),
    ];
    return hidden.length === 0
      ? sql`${constant(part)}`
      : sql`CASE WHEN ${join(hidden, " OR ")} THEN '' ELSE ${constant(part)} END`;
  });
  return join(shown, " || ");
};

/** True for a value in whose place the label shows nothing or “…”. */
const missingSql = (part: Expr, env: LabelEnv): Sql => {
  const { value } = toSql(part, env);
  if (part.type.kind === "record") return sql`${env.labelOf(part.type.entity, value, false)} IS NULL`;
  return part.type.kind === "text" ? sql`COALESCE(${value}, '') = ''` : sql`(${value}) IS NULL`;
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
