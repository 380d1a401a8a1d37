import { sql } from "../../../sql.ts";
import type { Value } from "../../values/value.ts";
import { elementsWhere, toSqlList } from "../list-sql.ts";
import type { OperationRow } from "../operation-types.ts";
import { both, either, opposite, type Single, type SqlCondition, type SqlList } from "../sql-forms.ts";

/** Operators of conditions. */
export const logicOperations = {
  "boolean && boolean": {
    about: "True if both are true.",
    returns: "boolean",
    missing: "met",
    settles: false,
    condition: (p: SqlCondition, q: SqlCondition) => ({
      truth: both(p.truth, q.truth),
      falsehood: either(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "boolean || boolean": {
    about: "True if at least one is true.",
    returns: "boolean",
    missing: "met",
    settles: true,
    condition: (p: SqlCondition, q: SqlCondition) => ({
      truth: either(p.truth, q.truth),
      falsehood: both(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "!boolean": {
    about: "True if it is false.",
    returns: "boolean",
    missing: "met",
    js: (p: boolean) => !p,
    condition: opposite,
  },
  "boolean ? boolean : boolean": {
    about: "The first alternative if the condition is true, otherwise the second.",
    returns: "boolean",
    missing: "met",
    repeats: 2,
    js: (c: boolean, p: boolean, q: boolean) => (c ? p : q),
    condition: (c: SqlCondition, p: SqlCondition, q: SqlCondition) => ({
      truth: either(both(c.truth, p.truth), both(c.falsehood, q.truth)),
      falsehood: either(both(c.truth, p.falsehood), both(c.falsehood, q.falsehood)),
      sure: c.sure && p.sure && q.sure,
    }),
  },
  "boolean ? any : any": {
    about: "The first alternative if the condition is true, otherwise the second.",
    returns: "any",
    missing: "met",
    passes: true,
    js: (c: boolean, a: Value, b: Value) => (c ? a : b),
    sql: (c: SqlCondition, a: Single, b: Single) => sql`CASE WHEN ${c.truth} THEN ${a.value} ELSE ${b.value} END`,
  },
  "boolean ? [any] : [any]": {
    about: "The first alternative if the condition is true, otherwise the second.",
    returns: "[any]",
    missing: "empties",
    repeats: 2,
    js: (c: boolean, a: readonly Value[], b: readonly Value[]) => (c ? a : b),
    list: (c: SqlCondition, a: SqlList, b: SqlList) =>
      toSqlList(sql`${elementsWhere(c.truth, a)} UNION ALL ${elementsWhere(c.falsehood, b)}`),
  },
} as const satisfies Record<string, OperationRow>;
