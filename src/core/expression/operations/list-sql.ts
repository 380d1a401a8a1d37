import { type Sql, sql } from "../../sql.ts";
import { both, type Condition, type List, narrowed, select, sure } from "./sql-forms.ts";

/* Lists in Postgres, as the rows of `meaning.ts` give and ask them. */

/** The list that a query gives as `value`, in the order of `nth`. */
export const numbered =
  (query: Sql) =>
  (alias: Sql): List => ({
    element: sql`${alias}."value"`,
    from: sql`LATERAL (${query}) AS ${alias}`,
    where: [],
    order: sql`${alias}."nth"`,
  });

/** The rows of a list where a condition holds. */
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
