import type { Expr } from "../../expression/expr.ts";
import type { Type } from "../../expression/values/type.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import type { Field } from "../../model/field.ts";
import { constant, join, type Sql, sql } from "../../sql.ts";

/** Characters of a long text that decide its place in a list. */
const PREFIX = 100;

/** True if a list is sorted by `sortValue` in place of the stored value. */
export const hasSortValue = (field: Field): boolean => field.values.length > 0 || isSortedByPart(field);

/** True if only a part of the value decides the order, for which there is no index. */
export const isSortedByPart = (field: Field): boolean => field.many || getFieldKind(field).lists.sorts === "beginning";

/**
 * The value by which a list is sorted: choices and states in the order of the document, files by name, long texts by
 * their beginning, and several values by the first. `order`: the collation of texts.
 */
export const sortValue = (field: Field, column: Sql, order: Sql): Sql => {
  const other = field.many ? sql`(${column})[1]` : column;
  if (field.values.length > 0) return ordinalSql(field.values, other);
  if (field.type === "file" || field.type === "image") return prefixSql(sql`(${other} ->> 'name')`, order);
  if (getFieldKind({ ...field, many: false }).column !== "text") return other;
  return isSortedByPart(field) ? prefixSql(other, order) : sql`(${other} COLLATE ${order})`;
};

/** Like `sortValue`, for a part of a label. */
export const sortValueOfPart = ({ type }: Expr, value: Sql, order: Sql): Sql => {
  if (type.kind === "choice") return ordinalSql(type.values, value);
  if (type.kind === "file") return prefixSql(sql`(${value} ->> 'name')`, order);
  return type.kind === "text" ? prefixSql(value, order) : value;
};

/** The type of values that are compared in place of values of a type. */
export const comparedType = (type: Type): Type => {
  if (type.kind === "choice") return { kind: "integer" };
  return type.kind === "file" ? { kind: "text" } : type;
};

/** The place of a value in the document, from 1. */
const ordinalSql = (values: readonly string[], value: Sql): Sql =>
  sql`array_position(ARRAY[${join(
    values.map((value) => sql`${constant(value)}::text`),
    ", ",
  )}], ${value})`;

const prefixSql = (text: Sql, order: Sql): Sql => sql`(left(${text}, ${constant(PREFIX)}) COLLATE ${order})`;
