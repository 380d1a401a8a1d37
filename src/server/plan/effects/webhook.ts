import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Effect } from "../../../core/model/effect.ts";
import { constant, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { SOURCES } from "../aliases.ts";
import { callerParams } from "../context.ts";
import { objectSql } from "../row/json-object-sql.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { effectEnv, elementsSql, gatheringEnv, sourceRowsParam, sourceRowsSql } from "./targets.ts";

/** Queues an outgoing call with its payload; it is sent after the commit. */
export function* enqueueCall(
  { context, caller }: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "call" }>,
): Steps<void> {
  const written = context.statements.get(["effect", effect.clause.id, "call"], () => {
    const env = effectEnv(context.model, writeSet, gatheringEnv(effect));
    const each = effect.each.map(({ name, list }) => elementsSql(list, env, `each~${name}`));
    const members = [...effect.sends].map(([name, expr]) => [name, payloadValueSql(expr, env)] as const);
    return {
      more: undefined,
      sql: sql`INSERT INTO ninefold.outbox (call, payload, entity, record, clause, at, next_at) SELECT ${constant(effect.call)}, ${objectSql(members)}, ${constant(writeSet.entity.name)}, ${SOURCES}."id", ${constant(effect.clause.id)}, ${slot("now", "timestamptz")}, ${slot("now", "timestamptz")} FROM ${sourceRowsSql(writeSet)} ${join(each, " ")} WHERE ${effect.when === null ? sql`TRUE` : toSql(effect.when, env).truth} ORDER BY ${SOURCES}."nth"`,
    };
  });
  yield* send(written, { ...callerParams(caller), wave: sourceRowsParam(writeSet) });
}

/** Values in wire form: decimals as text, datetimes in UTC with milliseconds. */
const payloadValueSql = (expr: Expr, env: SqlEnv): Sql => {
  const { value } = toSql(expr, env);
  if (expr.type.kind === "decimal" || expr.type.kind === "money") return sql`trim_scale(${value})::text`;
  if (expr.type.kind === "datetime") return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return value;
};
