import type { Entity } from "../../core/model/model.ts";
import type { SqlEnv } from "../../core/rule/to-sql.ts";
import { identifier, type Sql, sql } from "../../core/sql.ts";

const systemFields = new Set(["id", "version", "created_at", "updated_at"]);

/** Expressions over a record that stands under an alias, with every field as it is there. */
export const environmentOf = (entity: Entity, alias: string): SqlEnv & Required<Pick<SqlEnv, "field">> => ({
  field: (name) => {
    const field = entity.fields.get(name);
    if (field === undefined && !systemFields.has(name)) throw new Error(`${entity.name} has no field ${name}`);
    return {
      sql: sql`${identifier(alias)}.${identifier(name)}`,
      missing: field?.optional === true && field.type !== "boolean",
    };
  },
});

export const tableOf = (entity: Entity): Sql => sql`"app".${identifier(entity.table)}`;
