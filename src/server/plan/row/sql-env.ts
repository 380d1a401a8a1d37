import { rowFields, rowsSql, sourcesIn } from "../../../core/derive/sql/derived-rows.ts";
import type { ColumnValues } from "../../../core/derive/sql/row-env.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, RowSource } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { DERIVED } from "../aliases.ts";
import { listStoredFields } from "./audit-line.ts";

export { type ColumnValues, columnRef, rowEnv } from "../../../core/derive/sql/row-env.ts";

export const tableSql = (entity: Entity): Sql => sql`"app".${identifier(entity.table)}`;

/** The end of a path of references from a record: `employee.manager`; `""` is the record itself. */
export const pathSql = (model: Model, entity: Entity, path: string, alias: string): Sql => {
  let at: Entity | undefined = entity;
  let value = sql`${identifier(alias)}."id"`;
  for (const [i, name] of (path === "" ? [] : path.split(".")).entries()) {
    if (at === undefined) throw new Error(`${path} leads nowhere from ${entity.name}`);
    const step = identifier(`p~${i}`);
    value =
      i === 0
        ? sql`${identifier(alias)}.${identifier(name)}`
        : sql`(SELECT ${step}.${identifier(name)} FROM ${tableSql(at)} AS ${step} WHERE ${step}."id" = ${value})`;
    at = model.entities.get(at.fields.get(name)?.entity ?? "");
  }
  return value;
};

/** True if the last field of a path has several references. */
export const leadsToMany = (model: Model, entity: Entity, path: string): boolean => {
  let at: Entity | undefined = entity;
  let many = false;
  for (const name of path === "" ? [] : path.split(".")) {
    const field = at?.fields.get(name);
    many = field?.many === true;
    at = model.entities.get(field?.entity ?? "");
  }
  return many;
};

/** Builds the rows that replace a table once for each entity: an expression asks for them at each of its columns. */
export const replacingOnce = (replace: NonNullable<SqlEnv["table"]>): NonNullable<SqlEnv["table"]> => {
  const known = new Map<string, ReturnType<typeof replace>>();
  return (entity) => {
    const rows = known.get(entity.name) ?? replace(entity);
    known.set(entity.name, rows);
    return rows;
  };
};

/** Rows that replace an entity's table. */
export interface Replaced {
  readonly rows: Sql;
  readonly table: NonNullable<SqlEnv["table"]>;
  /** For expressions on the written record itself. */
  readonly others: NonNullable<SqlEnv["others"]>;
}

/**
 * The rows of an entity after a pending write: the written row is replaced by the candidate, or removed. `id` is the
 * record's id; `candidate` is the alias of its row, or its values.
 */
export const replacedRows = (
  model: Model,
  entity: Entity,
  id: Sql,
  candidate: string | ColumnValues | null,
): Replaced => {
  const columns = rowColumnsSql(entity);
  const others = sql`SELECT ${columns} FROM ${tableSql(entity)} WHERE "id" <> ${id}`;
  const it =
    typeof candidate === "function"
      ? sql`SELECT ${join([...ofEveryRecord, ...listStoredFields(entity)].map(candidate), ", ")}`
      : sql`SELECT ${columns} FROM ${identifier(candidate ?? "")}`;
  const rows = candidate === null ? sql`(${others})` : sql`(${others} UNION ALL ${it})`;
  const allRows = (name: string, table: string) => (name === entity.name ? rows : sql`"app".${identifier(table)}`);
  return {
    rows,
    others: ({ name }) => (name === entity.name ? { sql: tableSql(entity), hides: () => false } : undefined),
    table: replacingOnce(({ name, table }) => {
      const of = model.entities.get(name);
      const sources = of === undefined ? [] : sourcesIn(of, entity.name);
      return {
        sql:
          of === undefined || sources.length === 0
            ? allRows(name, table)
            : followingRows(model, of, sources, id, allRows),
        hides: () => false,
      };
    }),
  };
};

const ofEveryRecord = ["id", "version", "created_at", "updated_at"] as const;

/** The columns of an entity's rows that expressions can read. */
export const rowColumnsSql = (entity: Entity): Sql => columnListSql(listStoredFields(entity));

const columnListSql = (fields: readonly string[]): Sql => join([...ofEveryRecord, ...fields].map(identifier), ", ");

/** Derived rows after the write of a source record; other rows are unchanged. */
const followingRows = (
  model: Model,
  of: Entity,
  sources: readonly RowSource[],
  id: Sql,
  allRows: (name: string, table: string) => Sql,
): Sql => {
  const columns = columnListSql(rowFields(of));
  const others = sources.map(({ name }) => sql`${identifier(name)} <> ${id}`);
  const table: Replaced["table"] = (shape) => ({ sql: allRows(shape.name, shape.table), hides: () => false });
  const fresh = rowsSql(model, of, { table, only: { id, sources } });
  return sql`(SELECT ${columns} FROM ${tableSql(of)} WHERE ${join(others, " AND ")} UNION ALL SELECT ${columns} FROM (${fresh}) AS ${DERIVED})`;
};
