import { type Sql, sql } from "../../sql.ts";
import type { ValueKind } from "../values/value-kinds.ts";
import { both, definiteCondition, type SqlCondition, type SqlList, select, withConditions } from "./sql-forms.ts";

/* Lists in Postgres, as the operation table takes and returns them. */

/** The list of the column `value` of a query, ordered by its column `nth`. */
export const toSqlList =
  (query: Sql) =>
  (alias: Sql): SqlList => ({
    element: sql`${alias}."value"`,
    from: sql`LATERAL (${query}) AS ${alias}`,
    where: [],
    order: sql`${alias}."nth"`,
  });

/** A query for the elements that meet a condition, as columns `value` and `nth`. */
export const elementsWhere = (condition: Sql, list: SqlList): Sql => {
  const { element, from, where, order } = withConditions(list, [condition]);
  return sql`SELECT ${element} AS "value", row_number() OVER (ORDER BY ${order}) AS "nth" FROM ${from} WHERE ${both(...where)}`;
};

/** A query for the elements in ascending order, as columns `value` and `nth`. Equal ones keep their order. */
export const elementsInOrder = ({ element, from, where, order }: SqlList, { sorted }: ValueKind): Sql => {
  const key = sorted === undefined ? element : sorted(element);
  const conditions = where.length === 0 ? sql`` : sql` WHERE ${both(...where)}`;
  return sql`SELECT ${element} AS "value", row_number() OVER (ORDER BY ${key}, ${order}) AS "nth" FROM ${from}${conditions}`;
};

/** A query for the elements of one list and then those of another, as columns `value` and `nth`. */
export const elementsOfBoth = (a: SqlList, b: SqlList): Sql => {
  const [first, second] = [elementsWhere(sql`TRUE`, a), elementsWhere(sql`TRUE`, b)];
  const parts = sql`SELECT 1 AS "part", * FROM (${first}) AS "part~1" UNION ALL SELECT 2 AS "part", * FROM (${second}) AS "part~2"`;
  return sql`SELECT "value", row_number() OVER (ORDER BY "part", "nth") AS "nth" FROM (${parts}) AS "parts~"`;
};

export const countSql = (list: SqlList): Sql =>
  list.array ? sql`cardinality(${list.array})::bigint` : select(sql`count(*)`, list);

export const existence = (list: SqlList): SqlCondition => {
  const some = sql`EXISTS ${select(sql`1`, list)}`;
  return definiteCondition(some, sql`NOT ${some}`);
};
