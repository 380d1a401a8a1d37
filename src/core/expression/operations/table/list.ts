import Big from "big.js";
import { sql } from "../../../sql.ts";
import type { Value } from "../../values/value.ts";
import { extremum, extremumSql } from "../comparison-ops.ts";
import { countSql, elementsInOrder, existence, toSqlList } from "../list-sql.ts";
import { average, averageSql, limitIntegerSql, sumSql, sumWholeNumbers, total } from "../numeric-ops.ts";
import type { OperationContext, OperationRow } from "../operation-types.ts";
import { type SqlList, select } from "../sql-forms.ts";

export const listOperations = {
  "size([any])": {
    about: "The number of elements.",
    returns: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "count([any])": {
    about: "The number of elements.",
    returns: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "exists([any])": {
    about: "True if there is at least one.",
    returns: "boolean",
    missing: "met",
    js: (list: readonly Value[]) => list.length > 0,
    condition: existence,
  },
  "one([any])": {
    about: "The only element. Missing if there are none or several; see L10.12.",
    returns: "any",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[]) => (list.length === 1 ? (list[0] ?? null) : null),
    sql: (list: SqlList) => select(sql`CASE WHEN count(*) = 1 THEN (array_agg(${list.element}))[1] END`, list),
  },
  "sum([integer])": {
    about: "The sum; 0 for an empty list.",
    returns: "integer",
    fails: "overflow",
    missing: "spreads",
    js: sumWholeNumbers,
    sql: (list: SqlList) => limitIntegerSql(sumSql(list)),
  },
  "sum([decimal])": {
    about: "The sum; 0 for an empty list.",
    returns: "decimal",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "sum([money])": {
    about: "The sum; 0 for an empty list.",
    returns: "money",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "avg([integer])": {
    about: "The average, to 10 places.",
    returns: "decimal",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly number[]) => average(list.map((value) => new Big(value))),
    sql: averageSql,
  },
  "avg([decimal])": {
    about: "The average, to 10 places.",
    returns: "decimal",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "avg([money])": {
    about: "The average, to 10 places.",
    returns: "money",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "min([ranked])": {
    about: "The smallest or earliest, or the greatest or latest.",
    returns: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: OperationContext) => extremum(list, place, -1),
    sql: (list: SqlList, { kind }: OperationContext) => extremumSql(sql`min`, list, kind),
  },
  "max([ranked])": {
    about: "The smallest or earliest, or the greatest or latest.",
    returns: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: OperationContext) => extremum(list, place, 1),
    sql: (list: SqlList, { kind }: OperationContext) => extremumSql(sql`max`, list, kind),
  },
  "sorted([ranked])": {
    about: "The elements in ascending order; texts by code point.",
    returns: "[ranked]",
    missing: "empties",
    js: (list: readonly Value[], { kind }: OperationContext) =>
      list.toSorted((a, b) => kind.compare(a as never, b as never)),
    list: (list: SqlList, { kind }: OperationContext) => toSqlList(elementsInOrder(list, kind)),
  },
} as const satisfies Record<string, OperationRow>;
