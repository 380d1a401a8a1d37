import { type Sql, sql } from "../../sql.ts";
import { both, type Condition, type List, narrowed, select, sure } from "./sql-forms.ts";

/* Lists in Postgres, as the operation table takes and returns them. */

/** The list of the column `value` of a query, ordered by its column `nth`. */
export const numbered =
  (query: Sql) =>
  (alias: Sql): List => ({
    element: sql`${alias}."value"`,
    from: sql`LATERAL (${query}) AS ${alias}`,
    where: [],
    order: sql`${alias}."nth"`,
  });

/** A query for the elements that meet a condition, as columns `value` and `nth`. */
export const rowsWhere = (condition: Sql, list: List): Sql => {
  const { element, from, where, order } = narrowed(list, [condition]);
  return sql`SELECT ${element} AS "value", row_number() OVER (ORDER BY ${order}) AS "nth" FROM ${from} WHERE ${both(...where)}`;
};

export const countSql = (list: List): Sql =>
  list.array ? sql`cardinality(${list.array})::bigint` : select(sql`count(*)`, list);

export const existence = (list: List): Condition => {
  const some = sql`EXISTS ${select(sql`1`, list)}`;
  return sure(some, sql`NOT ${some}`);
};
