import { type SqlEnv, toSql } from "../../expression/compile/to-sql.ts";
import type { ComputedFields } from "../../expression/rewrite/expand-computed.ts";
import type { Entity } from "../../model/entity.ts";
import { computedExpr, type Field, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { identifier, type Sql, sql } from "../../sql.ts";

const ofEveryRecord = new Set(["id", "version", "created_at", "updated_at"]);
/** Platform columns of people that expressions can read and no call returns. */
const ofPeople = new Set(["roles"]);

/** The expressions of virtual computed fields. */
export const virtualFields =
  ({ entities }: Model): ComputedFields =>
  (entity, name) => {
    const field = entities.get(entity)?.fields.get(name);
    return field?.storage.as === "virtual" ? field.storage.from : undefined;
  };

/** The values of a record by field name, if they are not columns of one row. */
export type ColumnValues = (name: string) => Sql;

interface Readings {
  /** True for fields with a column in the row; by default, the stored fields. */
  readonly hasColumn?: (field: Field) => boolean;
  /** Replacements for the tables, for reading the state after a write. */
  readonly table?: SqlEnv["table"];
  readonly others?: SqlEnv["others"];
  /** By default, virtual fields of other records are computed from all their data. */
  readonly computed?: NonNullable<SqlEnv["computed"]>;
}

/**
 * The SQL environment of a record, given by an alias or by values, with all fields regardless of the reader. Fields
 * without a column are computed from the others.
 */
export const rowEnv = (
  model: Model,
  entity: Entity,
  of: string | ColumnValues | null,
  { hasColumn = isStored, table, others, computed = virtualFields(model) }: Readings = {},
): SqlEnv & Required<Pick<SqlEnv, "field">> => {
  const env: SqlEnv & Required<Pick<SqlEnv, "field">> = {
    field: (name) => {
      const field = entity.fields.get(name);
      if (field === undefined && !ofEveryRecord.has(name) && !(entity.name === "User" && ofPeople.has(name)))
        throw new Error(`${entity.name} has no field ${name}`);
      const from = field === undefined ? null : computedExpr(field);
      if (field !== undefined && from !== null && !hasColumn(field)) {
        const { value, missing } = toSql(from, env);
        return { sql: value, missing, long: true };
      }
      return {
        sql: columnRef(of, name),
        missing: from !== null || (field?.optional === true && field.type !== "boolean" && !field.many),
      };
    },
    computed,
    ...(table === undefined ? {} : { table }),
    ...(others === undefined ? {} : { others }),
  };
  return env;
};

export const columnRef = (of: string | ColumnValues | null, name: string): Sql => {
  if (of === null) return identifier(name);
  return typeof of === "string" ? sql`${identifier(of)}.${identifier(name)}` : of(name);
};
