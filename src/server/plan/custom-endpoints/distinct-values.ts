import { readingOrder } from "../../../core/derive/sql/reading-order.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { postgresType, type ValueKind, valueKinds } from "../../../core/expression/values/value-kinds.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import { TABLE } from "../aliases.ts";
import { getKeyCheck, type SortKey } from "../read/sort.ts";

/** The column of a value in `distinctRowsSql`. */
export const DISTINCT_COLUMN = "value";

/**
 * The distinct values of the records as the table `t`: `FROM … WHERE …`. Missing values, and values that the
 * environment hides from the reader, are left out.
 */
export const distinctRowsSql = (distinct: Expr, env: SqlEnv, records: Sql, conditions: Sql): Sql => {
  const { value } = toSql(distinct, env);
  const column = identifier(DISTINCT_COLUMN);
  const each = distinct.type.kind === "list" ? sql`unnest(${value})` : sql`(SELECT ${value})`;
  return sql`FROM (SELECT DISTINCT "each".${column} ${records} CROSS JOIN LATERAL ${each} AS "each"(${column}) ${conditions}) AS ${TABLE} WHERE ${TABLE}.${column} IS NOT NULL`;
};

/** The order of the values, and their form in a page token. */
export const distinctKey = ({ locale }: Model, { type }: Expr): SortKey => {
  const of = type.kind === "list" ? type.of : type;
  const kind: ValueKind = valueKinds[of.kind];
  const asRead = (value: Sql) => sql`${value} COLLATE ${readingOrder(locale)}`;
  const column = sql`${TABLE}.${identifier(DISTINCT_COLUMN)}`;
  const field = of.kind in fieldKinds ? fieldKinds[of.kind as keyof typeof fieldKinds] : fieldKinds.text;
  return {
    column: (of.kind === "text" || of.kind === "choice" ? asRead : (kind.sorted ?? ((same: Sql) => same)))(column),
    type: postgresType(of),
    isKey: getKeyCheck(field),
    name: DISTINCT_COLUMN,
    isDescending: false,
    missing: false,
    isInResponse: false,
    isRowValue: false,
  };
};
