import type { Field } from "../../../core/model/field.ts";
import { constant, identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE } from "../aliases.ts";
import { type BooleanColumn, booleanColumn, readColumn } from "../result-columns.ts";
import type { WriteCheck } from "./check.ts";

/** The measured value for bounds, such as the length of a text; undefined for a field without bounds. */
export const getBoundedMeasure = ({ type, min, max, storage }: Field): ((value: Sql) => Sql) | undefined => {
  if ((min === null && max === null) || (storage.as !== "column" && storage.as !== "act")) return undefined;
  if (type === "integer" || type === "decimal" || type === "money" || type === "date") return (value) => value;
  return type === "text" || type === "long text" ? (value) => sql`char_length(${value})` : undefined;
};

const getLimit = ({ type }: Field, bound: string): Sql =>
  type === "date" ? sql`${constant(bound)}::date` : sql`${constant(bound)}::numeric`;

const minColumn = ({ name }: Field): BooleanColumn => booleanColumn(`least:${name}`);

const maxColumn = ({ name }: Field): BooleanColumn => booleanColumn(`most:${name}`);

/** Checks that the values of fields are within their bounds. */
export const boundChecks = (fields: readonly Field[]): readonly WriteCheck[] =>
  fields.flatMap((field): readonly WriteCheck[] => {
    const measure = getBoundedMeasure(field);
    if (measure === undefined) return [];
    const column = sql`${CANDIDATE}.${identifier(field.name)}`;
    // For several values, the bounds apply to each one.
    const holds = (bound: (measured: Sql) => Sql): Sql =>
      field.many
        ? sql`NOT EXISTS (SELECT FROM unnest(${column}) AS "one"("value") WHERE NOT (${bound(measure(sql`"one"."value"`))}))`
        : sql`(${column} IS NULL OR ${bound(measure(column))})`;
    const { min, max } = field;
    return [
      {
        column: minColumn(field),
        condition: holds((item) => (min === null ? sql`TRUE` : sql`${item} >= ${getLimit(field, min)}`)),
      },
      {
        column: maxColumn(field),
        condition: holds((item) => (max === null ? sql`TRUE` : sql`${item} <= ${getLimit(field, max)}`)),
      },
    ];
  });

export const brokenBounds = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field): readonly RefusalAt[] => {
    const isText = field.type === "text" || field.type === "long text";
    const at = (code: string, values: Readonly<Record<string, string>>): RefusalAt => ({
      at: `/${field.name}`,
      code,
      clause: field.clause.id,
      values: { field: field.title, ...values },
    });
    return [
      ...(readColumn(row, minColumn(field)) === false
        ? [at(isText ? "TOO_SHORT" : "TOO_SMALL", { min: field.min ?? "" })]
        : []),
      ...(readColumn(row, maxColumn(field)) === false
        ? [at(isText ? "TOO_LONG" : "TOO_LARGE", { max: field.max ?? "" })]
        : []),
    ];
  });
