import { amongRefusal, requiredRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Field, Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type ColumnValues, columnRef, replacedRows, rowEnv } from "../row/sql-env.ts";
import type { WriteCheck } from "./check.ts";

/**
 * References are in their `among` list, and conditionally required fields have values. An `among` list that reads other
 * records excludes the written record itself: a reminder of the last missing item can refer to a line that is still
 * incomplete.
 */
export const fieldChecks = (
  model: Model,
  entity: Entity,
  fields: readonly Field[],
  is: string | ColumnValues,
  env: SqlEnv,
): readonly WriteCheck[] =>
  fields.flatMap(({ name, many, among, needed, entity: target }) => {
    const apart =
      among === null || target === entity.name
        ? env
        : rowEnv(model, entity, is, replacedRows(model, entity, columnRef(is, "id"), null));
    const value = columnRef(is, name);
    const condition = (holds: Sql, unless: Sql) => sql`(${unless}) OR (${holds})`;
    return [
      ...(among === null
        ? []
        : [
            {
              column: `among:${name}`,
              condition: condition(toSql(among.holds, apart).truth, many ? sql`FALSE` : sql`${value} IS NULL`),
            },
          ]),
      ...(needed === null
        ? []
        : [
            {
              column: `required:${name}`,
              condition: condition(
                toSql(needed.holds, env).falsehood,
                many ? sql`cardinality(${value}) > 0` : sql`${value} IS NOT NULL`,
              ),
            },
          ]),
    ];
  });

export const brokenFields = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field) => {
    const values = { field: field.title };
    return [
      ...(row[`required:${field.name}`] === false ? [{ ...requiredRefusal(field), values }] : []),
      ...(row[`among:${field.name}`] === false ? [{ ...amongRefusal(field), values }] : []),
    ];
  });
