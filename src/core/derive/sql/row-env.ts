import { type SqlEnv, toSql } from "../../expression/compile/to-sql.ts";
import type { ComputedFields } from "../../expression/rewrite/expand-computed.ts";
import { type Entity, type Field, isStored, type Model, madeOf } from "../../model/model.ts";
import { identifier, type Sql, sql } from "../../sql.ts";

const ofEveryRecord = new Set(["id", "version", "created_at", "updated_at"]);
/** What the platform keeps of people: expressions read it, and no call answers it. */
const ofPeople = new Set(["roles"]);

/** What each field is made of that is computed where it is read. */
export const virtualFields =
  ({ entities }: Model): ComputedFields =>
  (entity, name) => {
    const field = entities.get(entity)?.fields.get(name);
    return field?.held.as === "live" ? field.held.from : undefined;
  };

/** A record's values by the names of its fields, where they are not the columns of one row. */
export type ColumnValues = (name: string) => Sql;

interface Readings {
  /** Which fields have a column there; without it, those that have one in the entity's table. */
  readonly hasColumn?: (field: Field) => boolean;
  /** What stands for the tables, where they are read as they would be. */
  readonly table?: SqlEnv["table"];
  readonly others?: SqlEnv["others"];
}

/**
 * Expressions over a record that stands under an alias, or whose values are given, with every field as it is there, whoever
 * asks. What has no column there is computed from what has.
 */
export const rowEnv = (
  model: Model,
  entity: Entity,
  of: string | ColumnValues | null,
  { hasColumn = isStored, table, others }: Readings = {},
): SqlEnv & Required<Pick<SqlEnv, "field">> => {
  const env: SqlEnv & Required<Pick<SqlEnv, "field">> = {
    field: (name) => {
      const field = entity.fields.get(name);
      if (field === undefined && !ofEveryRecord.has(name) && !(entity.name === "User" && ofPeople.has(name)))
        throw new Error(`${entity.name} has no field ${name}`);
      const from = field === undefined ? null : madeOf(field);
      if (field !== undefined && from !== null && !hasColumn(field)) {
        const { value, missing } = toSql(from, env);
        return { sql: value, missing, long: true };
      }
      return {
        sql: columnRef(of, name),
        missing: from !== null || (field?.optional === true && field.type !== "boolean" && !field.many),
      };
    },
    computed: virtualFields(model),
    ...(table === undefined ? {} : { table }),
    ...(others === undefined ? {} : { others }),
  };
  return env;
};

export const columnRef = (of: string | ColumnValues | null, name: string): Sql => {
  if (of === null) return identifier(name);
  return typeof of === "string" ? sql`${identifier(of)}.${identifier(name)}` : of(name);
};
