import type { Entity } from "../../../core/model/entity.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { tableSql } from "../row/sql-env.ts";

/** An UPDATE of the table `alias`. It raises the version of each record; without values, it does nothing else. */
export const updateSql = (
  entity: Entity,
  alias: string,
  {
    values = [],
    changesState = false,
    from,
  }: {
    readonly values?: readonly (readonly [name: string, value: Sql])[];
    /** True if the state changes. */
    readonly changesState?: boolean;
    /** `FROM … WHERE …`. */
    readonly from: Sql;
  },
): Sql => {
  const now = slot("now", "timestamptz");
  const assignments = [
    sql`"version" = ${identifier(alias)}."version" + 1`,
    sql`"updated_at" = ${now}`,
    ...(changesState ? [sql`"state_since" = ${now}`] : []),
    ...values.map(([name, value]) => sql`${identifier(name)} = ${value}`),
  ];
  return sql`UPDATE ${tableSql(entity)} AS ${identifier(alias)} SET ${join(assignments, ", ")} ${from}`;
};
