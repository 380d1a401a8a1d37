import { type SqlEnv, toSql } from "../../expression/compile/to-sql.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, RowSource } from "../../model/entity.ts";
import { computedExpr, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { identifier, join, type Sql, sql } from "../../sql.ts";
import { rowEnv } from "./row-env.ts";

/*
 * SQL of derived rows. They are stored in a table, so lists, orders and permissions treat them like other records;
 * Postgres updates them in the transaction that writes a source.
 */

/** Replacements for the tables, and the source record to which the rows are limited. */
interface Reading {
  readonly table?: SqlEnv["table"];
  readonly only?: { readonly id: Sql; readonly sources: readonly RowSource[] };
}

const sourceAlias = ({ name }: RowSource): Sql => identifier(`${name}~`);

/** The sources that are records of an entity. */
export const sourcesIn = (of: Entity, entity: string): readonly RowSource[] =>
  (of.rows?.sources ?? []).filter((source) => "entity" in source && source.entity === entity);

/** Stored fields without generated columns: sources and computed fields marked `kept`. */
export const rowFields = (entity: Entity): readonly string[] =>
  [...entity.fields.values()]
    .filter((field) => isStored(field) && field.storage.as !== "generated")
    .map(({ name }) => name);

/**
 * `SELECT "id", "version", "created_at", "updated_at", …` of the required rows. The id of a row is derived from its
 * sources, so it stays stable when a source is written.
 */
export const rowsSql = (model: Model, entity: Entity, { table, only }: Reading = {}): Sql => {
  const { rows } = entity;
  if (rows === null) throw new Error(`${entity.name} has no sources`);
  const from = rows.sources.map((source) => fromSource(model, entity, source, table));
  const sources = rows.sources.map(
    (source) =>
      sql`${sourceAlias(source)}.${identifier("entity" in source ? "id" : "value")} AS ${identifier(source.name)}`,
  );
  const narrowed =
    only === undefined
      ? sql``
      : sql` WHERE ${join(
          only.sources.map((source) => sql`${sourceAlias(source)}."id" = ${only.id}`),
          " OR ",
        )}`;
  const env = rowEnv(model, entity, "g", {
    hasColumn: ({ name }) => rows.sources.some((source) => source.name === name),
    ...(table === undefined ? {} : { table }),
  });
  const computed = [...entity.fields.values()].flatMap((field) => {
    const expr = field.storage.as === "stored" ? computedExpr(field) : null;
    return expr === null ? [] : [sql`${toSql(expr, env).value} AS ${identifier(field.name)}`];
  });
  const names = rows.sources.map(({ name }) => sql`"g".${identifier(name)}`);
  const id = sql`md5(jsonb_build_array(${join(names, ", ")})::text)::uuid`;
  const now = sql`date_trunc('milliseconds', now())::timestamptz(3)`;
  const columns = [
    sql`${id} AS "id"`,
    sql`1 AS "version"`,
    sql`${now} AS "created_at"`,
    sql`${now} AS "updated_at"`,
    ...names,
    ...computed,
  ];
  const where = rows.where === null ? sql`` : sql` WHERE ${toSql(rows.where, env).truth}`;
  return sql`SELECT ${join(columns, ", ")} FROM (SELECT ${join(sources, ", ")} FROM ${join(from, " CROSS JOIN ")}${narrowed}) AS "g"${where}`;
};

const fromSource = (model: Model, of: Entity, source: RowSource, table: SqlEnv["table"]): Sql => {
  const alias = sourceAlias(source);
  if ("entity" in source) return sql`${tableSql(model, source.entity, table)} AS ${alias}`;
  const record = of.rows?.sources.find(({ name }) => name === source.of);
  const entity = model.entities.get(record !== undefined && "entity" in record ? record.entity : "");
  if (entity === undefined) throw new Error(`no source ${source.of}`);
  const env = rowEnv(model, entity, `${source.of}~`, table === undefined ? {} : { table });
  return sql`LATERAL (SELECT DISTINCT "one" AS "value" FROM unnest(${toSql(source.list, env).value}) AS "one") AS ${alias}`;
};

const tableSql = (model: Model, name: string, table: SqlEnv["table"]): Sql => {
  const entity = model.entities.get(name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return table?.({ name, table: entity.table, fields: new Map() }).sql ?? sql`"app".${identifier(entity.table)}`;
};

/** The columns of a source record on which the rows depend; only a change of one of them recomputes the rows. */
export const columnsReadFrom = (entity: Entity, source: RowSource): ReadonlySet<string> => {
  const own = new Set<string>();
  for (const other of entity.rows?.sources ?? [])
    if ("list" in other && other.of === source.name)
      for (const name of collectReadSet(other.list).fields) own.add(name);
  const computed = [...entity.fields.values()].flatMap((field) =>
    field.storage.as === "stored" ? [computedExpr(field)] : [],
  );
  for (const expr of [entity.rows?.where ?? null, ...computed])
    for (const path of expr === null ? [] : getPaths(expr)) {
      const [first, second] = path.split(".");
      if (first === source.name && second !== undefined && second !== "id") own.add(second);
    }
  return own;
};

const getPaths = (expr: Expr): ReadonlySet<string> => collectReadSet(expr).paths;
