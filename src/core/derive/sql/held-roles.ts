import type { Model } from "../../model/model.ts";
import { STANDS_IN, toDeputyRole } from "../../model/permissions.ts";
import { constant, join, type Parameter, type Sql, sql } from "../../sql.ts";

/**
 * The roles of a person as an array: those that an administrator granted and, while the person stands in for others, the
 * roles of their deputy. `user`: the row of the person.
 */
export const heldRolesSql = ({ deputies, timezone }: Model, user: Sql, now: Sql | Parameter): Sql => {
  if (deputies === null) return sql`${user}."roles"`;
  const day = sql`(${now}::timestamptz AT TIME ZONE ${constant(timezone)})::date`;
  const roles = [...deputies.roles];
  const handed = join(
    roles.map((role) => sql`WHEN ${constant(role)} THEN ${constant(toDeputyRole(role))}`),
    " ",
  );
  const named = join(roles.map(constant), ", ");
  return sql`(${user}."roles" || COALESCE((SELECT ARRAY[${constant(STANDS_IN)}] || array_agg(DISTINCT CASE r.name ${handed} END) FILTER (WHERE r.name IN (${named})) FROM app."deputy" d JOIN app."user" away ON away."id" = d."person" AND away."active" LEFT JOIN LATERAL unnest(away."roles") r(name) ON TRUE WHERE d."deputy" = ${user}."id" AND d."first_day" <= ${day} AND d."last_day" >= ${day} HAVING count(*) > 0), '{}'))`;
};
