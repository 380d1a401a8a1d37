import { amongRefusal, requiredRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE } from "../aliases.ts";
import { type BooleanColumn, booleanColumn, readColumn } from "../result-columns.ts";
import { type ColumnValues, columnRef, replacedRows, rowEnv } from "../row/sql-env.ts";
import type { FieldCheck, WriteCheck } from "./check.ts";

const amongColumn = (field: string): BooleanColumn => booleanColumn(`among:${field}`);
const requiredColumn = (field: string): BooleanColumn => booleanColumn(`required:${field}`);
const defaultColumn = (field: string): BooleanColumn => booleanColumn(`needed:${field}`);

/** Checks that required fields have a value, although their default can be missing. */
export const defaultChecks = (needed: readonly Field[], is: (name: string) => Sql): readonly FieldCheck[] =>
  needed.map(({ name }) => ({ field: name, column: defaultColumn(name), condition: sql`${is(name)} IS NOT NULL` }));

/** The checks of a new record whose defaults read records. */
export const initialChecks = (entity: Entity, computed: Iterable<string>): readonly FieldCheck[] => {
  const needed = [...computed].flatMap((name) => {
    const field = entity.fields.get(name);
    return field?.optional === false ? [field] : [];
  });
  return defaultChecks(needed, (name) => columnRef(CANDIDATE.alias, name));
};

export const isDefaultMissing = (field: string, row: Row): boolean => readColumn(row, defaultColumn(field)) === false;

/**
 * Checks that references are in their `among` list, and that conditionally required fields have values. An `among` list
 * that reads other records excludes the written record itself: a reminder of the last missing item can refer to a line
 * that is still incomplete.
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
              column: amongColumn(name),
              condition: condition(toSql(among.holds, apart).truth, many ? sql`FALSE` : sql`${value} IS NULL`),
            },
          ]),
      ...(needed === null
        ? []
        : [
            {
              column: requiredColumn(name),
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
      ...(readColumn(row, requiredColumn(field.name)) === false ? [{ ...requiredRefusal(field), values }] : []),
      ...(readColumn(row, amongColumn(field.name)) === false ? [{ ...amongRefusal(field), values }] : []),
    ];
  });
