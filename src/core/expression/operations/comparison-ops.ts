import { join, type Sql, sql } from "../../sql.ts";
import type { Value } from "../values/value.ts";
import type { ValueKind } from "../values/value-kinds.ts";
import { existence } from "./list-sql.ts";
import type { OperationContext, Orders } from "./operation-types.ts";
import {
  definiteCondition,
  isNull,
  type Single,
  type SqlCondition,
  type SqlList,
  select,
  withConditions,
} from "./sql-forms.ts";

/* Comparison operators of the operation table: equality, order and membership. */

export const extremumSql = (least: Sql, list: SqlList, kind: ValueKind): Sql => {
  const utmost = sql`${least}(${collate(list.element, kind)})`;
  return select(kind.unsorted === undefined ? utmost : kind.unsorted(utmost), list);
};

/** The smallest (`sign` -1) or largest (1) value; null for none. */
export const extremum = (values: readonly Value[], { kind }: OperationContext, sign: 1 | -1): Value =>
  values.reduce<Value>((a, b) => (a === null || sign * kind.compare(b as never, a as never) > 0 ? b : a), null);

export const isSame = (a: Value, b: Value, { kind }: OperationContext): boolean =>
  a === null || b === null ? a === b : kind.compare(a as never, b as never) === 0;

/** Two ids as their uuids, which an index has; any other two values as they are. */
const comparable = (a: Single, b: Single): readonly [Single, Single] =>
  a.uuid === undefined || b.uuid === undefined
    ? [a, b]
    : [
        { ...a, value: a.uuid },
        { ...b, value: b.uuid },
      ];

export const sameness = (first: Single, second: Single): SqlCondition => {
  const [a, b] = comparable(first, second);
  // `IS NULL` can use an index; a comparison with NULL cannot.
  if (isNull(b.value)) return absence(a);
  if (isNull(a.value)) return absence(b);
  const equal = sql`${a.value} = ${b.value}`;
  if (!a.missing && !b.missing) return definiteCondition(equal, sql`${a.value} <> ${b.value}`);
  const falsehood = sql`${a.value} IS DISTINCT FROM ${b.value}`;
  if (a.missing && b.missing) return definiteCondition(sql`${a.value} IS NOT DISTINCT FROM ${b.value}`, falsehood);
  return { truth: equal, falsehood, sure: false };
};

export const absence = ({ value }: Single): SqlCondition =>
  definiteCondition(sql`${value} IS NULL`, sql`${value} IS NOT NULL`);

const collate = (value: Sql, { sorted }: ValueKind): Sql => (sorted === undefined ? value : sorted(value));

export const is: Orders = { below: false, same: true, above: false };
export const isNot: Orders = { below: true, same: false, above: true };

/** A comparison by order. `sign` and `opposite` negate each other. */
export const compareByOrder = (holds: Orders, sign: Sql, opposite: Sql) => {
  const compareSql =
    (sign: Sql) =>
    (a: Sql, b: Sql, { kind }: OperationContext) =>
      sql`${a} ${sign} ${collate(b, kind)}`;
  return {
    missing: "refuses",
    returns: "boolean",
    js: (a: never, b: never, { kind }: OperationContext): boolean => {
      const order = kind.compare(a, b);
      return order < 0 ? holds.below : order > 0 ? holds.above : holds.same;
    },
    compares: { by: "ordered", holds },
    truth: compareSql(sign),
    falsehood: compareSql(opposite),
  } as const;
};

export const membership = (a: Sql, { items, array, ...rows }: SqlList): SqlCondition => {
  if (items) return membershipOfItems(a, items);
  if (array) return definiteCondition(sql`${array} @> ARRAY[${a}]`, sql`NOT (${array} @> ARRAY[${a}])`);
  return existence(withConditions(rows, [sql`${rows.element} = ${a}`]));
};

const membershipOfItems = (a: Sql, items: readonly Single[]): SqlCondition => {
  if (items.length === 0) return definiteCondition(sql`FALSE`, sql`TRUE`);
  const values = items.map((item) => item.value);
  const list = join(values, ", ");
  // With a missing item, IN returns NULL instead of false.
  return items.some((item) => item.missing)
    ? definiteCondition(sql`(${a} IN (${list})) IS TRUE`, sql`(${a} IN (${list})) IS NOT TRUE`)
    : definiteCondition(sql`${a} IN (${list})`, sql`${a} NOT IN (${list})`);
};
