import type { Principal } from "../../core/derive/authorization/grants.ts";
import { slot, sql } from "../../core/sql.ts";
import { TABLE } from "../plan/aliases.ts";
import { callerParams, principalKey } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import type { Service } from "./service.ts";

/** Loads the states of records, as far as the person can read them, with one statement for each entity with states. */
export const loadStates = async (
  { context, database, caller }: Service,
  principal: Principal,
  now: Date,
  named: readonly { readonly entity: string; readonly record: string }[],
): Promise<ReadonlyMap<string, string>> => {
  const { model, statements } = context;
  const queries = [...new Set(named.map(({ entity }) => entity))].flatMap((name) => {
    const entity = model.entities.get(name);
    const states = entity?.states ?? null;
    if (entity === undefined || !entity.served || states === null) return [];
    const written = statements.get(["states", name, principalKey(principal)], () => {
      const scope = readScope(model, entity, principal, TABLE.alias);
      const state = scope.column(states.field) ?? sql`NULL`;
      return {
        more: undefined,
        sql: sql`SELECT ${TABLE}."id", ${state} AS "state" FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(scope.rows)}`,
      };
    });
    const ids = named.flatMap((one) => (one.entity === name ? [one.record] : []));
    return [toQuery(written, { ...callerParams(caller(principal, now)), ids })];
  });
  if (queries.length === 0) return new Map();
  const found = await database.batch(queries);
  return new Map(
    found.flat().flatMap(({ id, state }) => (state === null ? [] : [[String(id), String(state)] as const])),
  );
};
