import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isPlainColumn } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { CANDIDATE } from "../aliases.ts";
import { readerEnv } from "./labels.ts";
import { rowEnv } from "./sql-env.ts";

/** A record that is about to be created. */
interface NewRecord {
  readonly id: Sql;
  /** The value of a field, which can itself be a default. */
  readonly value: (field: Field) => Sql;
}

/**
 * The environment of a default or a `set`: the values of the new record, and other records. A default suggests a value
 * that the creator could enter, so it reads other records in the read scope of `creator`. Null reads everything, as for
 * `set`, effects and seed records.
 */
export const initialEnv = (
  model: Model,
  entity: Entity,
  { id, value }: NewRecord,
  creator: Principal | null,
): SqlEnv => {
  const everyRecord: Readonly<Record<string, Sql>> = {
    id,
    version: sql`1`,
    created_at: sql`${slot("now", "timestamptz")}`,
    updated_at: sql`${slot("now", "timestamptz")}`,
  };
  const own = (name: string): Sql => {
    const field = entity.fields.get(name);
    return field === undefined ? (everyRecord[name] ?? sql`NULL`) : sql`(${value(field)})`;
  };
  const table = creator === null ? undefined : readerEnv(model, entity, creator, CANDIDATE.alias).table;
  // The read scope has a column for each virtual field.
  const limited = table === undefined ? {} : { table, computed: () => undefined };
  return rowEnv(model, entity, own, { hasColumn: isPlainColumn, ...limited });
};
