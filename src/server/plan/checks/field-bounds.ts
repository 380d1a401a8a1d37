import { maxRefusal, minRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { hasValueOutside } from "../../../core/derive/sql/field-bounds.ts";
import type { Field } from "../../../core/model/field.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type BooleanColumn, booleanColumn, readColumn } from "../result-columns.ts";
import { type ColumnValues, columnRef } from "../row/sql-env.ts";
import type { WriteCheck } from "./check.ts";

const minColumn = ({ name }: Field): BooleanColumn => booleanColumn(`least:${name}`);

const maxColumn = ({ name }: Field): BooleanColumn => booleanColumn(`most:${name}`);

/** Checks that the values that the document computes for fields are within their bounds. */
export const boundChecks = (fields: readonly Field[], is: string | ColumnValues): readonly WriteCheck[] =>
  fields.flatMap((field) => {
    const { min, max } = field;
    const within = (which: "min" | "max", bound: string): Sql =>
      sql`(${hasValueOutside(field, which, bound, columnRef(is, field.name))}) IS NOT TRUE`;
    return [
      ...(min === null ? [] : [{ column: minColumn(field), condition: within("min", min) }]),
      ...(max === null ? [] : [{ column: maxColumn(field), condition: within("max", max) }]),
    ];
  });

export const brokenBounds = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field): readonly RefusalAt[] => {
    const { title, min, max } = field;
    return [
      ...(min !== null && readColumn(row, minColumn(field)) === false
        ? [{ ...minRefusal(field), values: { field: title, min } }]
        : []),
      ...(max !== null && readColumn(row, maxColumn(field)) === false
        ? [{ ...maxRefusal(field), values: { field: title, max } }]
        : []),
    ];
  });
