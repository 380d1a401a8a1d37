import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { listConditions } from "../../../core/derive/http/list-conditions.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { readerEnv } from "../row/labels.ts";
import { readScope } from "../row/read-scope.ts";

/**
 * The conditions of lists and tiles that a request names by clause: `where=2./to-book`. The expressions come from the
 * document, never from the request. A clause of another entity, or of a screen that is not visible to the caller, is
 * refused as unknown.
 */
export const findScreenConditions = (
  model: Model,
  principal: Principal,
  entity: Entity,
  clauses: readonly string[],
): readonly Expr[] | Refusal => {
  if (clauses.length === 0) return [];
  const conditions = listConditions(model, principal, entity.name);
  const found: Expr[] = [];
  for (const clause of clauses) {
    const where = conditions.get(clause);
    if (where === undefined) return badQuery("NO_SUCH_LIST", { word: clause });
    if (where !== null) found.push(where);
  }
  return found;
};

/** The conditions in the caller's read scope: unreadable values are missing. On the alias `t`. */
export const screenConditionsSql =
  (model: Model, principal: Principal, entity: Entity, where: readonly Expr[]): (() => readonly Sql[]) =>
  () => {
    const reader = readerEnv(model, entity, principal, TABLE.alias);
    const scope = readScope(model, entity, principal, TABLE.alias);
    // An index finds a column only if nothing stands in for a missing value. The caller sees these values on every record.
    const isAlwaysSeen = (name: string) => scope.column(name) !== undefined && scope.visibleWhen(name) === undefined;
    const env = { ...reader, field: (name: string) => (isAlwaysSeen(name) ? scope.env : reader).field(name) };
    return where.map((expr) => sql`(${toSql(expr, env).truth})`);
  };
