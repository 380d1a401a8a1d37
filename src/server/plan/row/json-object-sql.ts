import { constant, join, type Sql, sql } from "../../../core/sql.ts";

/** Half of the maximum number of function arguments in Postgres, 100. */
const PAIRS = 50;

/** A JSON object with any number of members. */
export const objectSql = (pairs: readonly (readonly [string, Sql])[]): Sql => {
  const parts: Sql[] = [];
  for (let i = 0; i < Math.max(pairs.length, 1); i += PAIRS)
    parts.push(
      sql`jsonb_build_object(${join(
        pairs.slice(i, i + PAIRS).map(([name, value]) => sql`${constant(name)}, ${value}`),
        ", ",
      )})`,
    );
  return parts.length === 1 ? (parts[0] ?? sql`'{}'::jsonb`) : sql`(${join(parts, " || ")})`;
};
