import type { Principal } from "../../core/derive/authorization/grants.ts";
import { slot, sql } from "../../core/sql.ts";
import { callerParams, getEntity, principalKey } from "../plan/context.ts";
import { pageRecord } from "../plan/row/page-record.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import type { Service } from "./service.ts";

/** The record on whose page another record is shown. */
export interface ParentRecord {
  readonly entity: string;
  readonly record: string;
}

/** Finds the records on whose pages others are shown, as far as the person can read them; one statement per entity. */
export const loadParents = async (
  { context, database, caller }: Service,
  principal: Principal,
  now: Date,
  named: readonly { readonly entity: string; readonly record: string }[],
): Promise<ReadonlyMap<string, ParentRecord>> => {
  const { model, statements } = context;
  const lookups = [...new Set(named.map(({ entity }) => entity))].flatMap((name) => {
    const entity = model.entities.get(name);
    if (entity === undefined) return [];
    const written = statements.get(["wholes", name, principalKey(principal)], () => {
      const page = pageRecord(model, entity, principal, "t");
      const rows = asCondition(readScope(model, entity, principal, "t").rows);
      return {
        more: page?.entity,
        sql: sql`SELECT "t"."id", ${page?.id ?? sql`NULL`} AS "whole" FROM ${tableSql(getEntity(context, name))} AS "t"
          WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${rows}`,
      };
    });
    const { more: to } = written;
    if (to === undefined) return [];
    const ids = named.filter((item) => item.entity === name).map(({ record }) => record);
    return [{ to, query: toQuery(written, { ...callerParams(caller(principal, now)), ids }) }];
  });
  if (lookups.length === 0) return new Map();
  const found = await database.batch(lookups.map(({ query }) => query));
  return new Map(
    lookups.flatMap(({ to }, i) =>
      (found[i] ?? []).flatMap((row): readonly (readonly [string, ParentRecord])[] =>
        row.whole === null ? [] : [[String(row.id), { entity: to, record: String(row.whole) }]],
      ),
    ),
  );
};
