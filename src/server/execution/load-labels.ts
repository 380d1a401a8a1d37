import type { Principal } from "../../core/derive/authorization/grants.ts";
import { slot, sql } from "../../core/sql.ts";
import { callerParams, getEntity, principalKey } from "../plan/context.ts";
import { labelSql, labelText } from "../plan/row/labels.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import type { Service } from "./service.ts";

/** Loads the labels of records that the person can read, with one statement per entity. */
export const loadLabels = async (
  { context, database, format, caller }: Service,
  principal: Principal,
  now: Date,
  named: readonly { readonly entity: string; readonly record: string }[],
): Promise<ReadonlyMap<string, string>> => {
  const { model, statements } = context;
  const served = [...new Set(named.map(({ entity }) => entity))].filter((name) => model.entities.get(name)?.served);
  if (served.length === 0) return new Map();
  const found = await database.batch(
    served.map((name) => {
      const entity = getEntity(context, name);
      const written = statements.get(["labels", name, principalKey(principal)], () => ({
        more: undefined,
        sql: sql`SELECT "t"."id", ${labelSql(model, entity, principal, "t")} AS "label" FROM ${tableSql(entity)} AS "t"
          WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(readScope(model, entity, principal, "t").rows)}`,
      }));
      const ids = named.filter((item) => item.entity === name).map(({ record }) => record);
      return toQuery(written, { ...callerParams(caller(principal, now)), ids });
    }),
  );
  return new Map(
    served.flatMap((name, i) =>
      (found[i] ?? []).map((row): readonly [string, string] => [
        String(row.id),
        labelText(getEntity(context, name).label, row.label, format),
      ]),
    ),
  );
};
