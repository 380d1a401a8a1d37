import { randomUUID } from "node:crypto";
import type { Principal } from "../../src/core/derive/authorization/grants.ts";
import { rowEnv } from "../../src/core/derive/sql/row-env.ts";
import { toSql } from "../../src/core/expression/compile/to-sql.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import type { JsRecord, Value } from "../../src/core/expression/values/value.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import type { Model } from "../../src/core/model/model.ts";
import { fill, join, render, type Sql, slot, sql } from "../../src/core/sql.ts";
import { callerParams } from "../../src/server/plan/context.ts";
import { tableSql } from "../../src/server/plan/row/sql-env.ts";
import type { TestDatabase } from "../postgres.ts";
import type { World } from "./evaluate.ts";
import { insertSql } from "./stored.ts";

/** Records of an example in a real database, on which conditions of each version can be evaluated. */
export interface StoredWorld {
  /** True if one of these conditions holds on the record, as Postgres evaluates it; false if there are none. */
  holds(model: Model, entity: Entity, any: readonly (readonly Expr[])[]): Promise<boolean>;
  readonly person: (granted: ReadonlySet<string>) => Principal;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/**
 * The columns of all tables. Removes all constraints of the database, so that it accepts what either version allows.
 */
export const openForWitnesses = async (store: TestDatabase): Promise<ReadonlyMap<string, readonly Column[]>> => {
  const { rows: constraints } = await store.query(
    `select conrelid::regclass::text as at, quote_ident(conname) as name from pg_constraint
       where connamespace = 'app'::regnamespace and contype in ('c', 'f', 'u', 'x') order by contype = 'u'`,
  );
  for (const { at, name } of constraints)
    await store.query(`alter table ${String(at)} drop constraint ${String(name)} cascade`);
  const { rows: indexes } = await store.query(
    `select indexrelid::regclass::text as name from pg_index join pg_class c on c.oid = indrelid
       where c.relnamespace = 'app'::regnamespace and indisunique and not indisprimary`,
  );
  for (const { name } of indexes) await store.query(`drop index if exists ${String(name)}`);
  const { rows } = await store.query(
    `select table_name, column_name, udt_name, is_nullable = 'NO' and column_default is null as required
       from information_schema.columns where table_schema = 'app' and is_generated = 'NEVER' and identity_generation is null`,
  );
  const columns = new Map<string, Column[]>();
  for (const row of rows) {
    const table = String(row.table_name);
    const own = columns.get(table) ?? [];
    own.push({ name: String(row.column_name), type: String(row.udt_name), isRequired: row.required === true });
    columns.set(table, own);
  }
  return columns;
};

const isRecord = (value: Value | undefined): value is JsRecord =>
  typeof value === "object" && value !== null && "id" in value;

const uuids = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** Replaces the stored records by those of a world. */
export const storeWorld = async (
  store: TestDatabase,
  columns: ReadonlyMap<string, readonly Column[]>,
  model: Model,
  entity: Entity,
  world: World,
): Promise<StoredWorld> => {
  await store.query(`truncate ${[...columns.keys()].map((table) => `app."${table}"`).join()} cascade`);
  const ids = new Map<string, string>();
  const toId = (id: string): string => {
    const own = uuids.test(id) ? id : (ids.get(id) ?? randomUUID());
    ids.set(id, own);
    return own;
  };
  const toStored = (value: Value | undefined): unknown => {
    if (isRecord(value)) return toId(String(value.id));
    if (Array.isArray(value)) return value.map((value: Value) => toStored(value));
    return typeof value === "object" && value !== null ? String(value) : (value ?? null);
  };
  let number = 0;
  const plain = ({ type, name }: Column): unknown => {
    number++;
    if (type === "uuid") return randomUUID();
    if (type === "bool") return name === "active";
    if (type === "date") return world.today;
    if (type === "timestamptz") return world.now;
    if (type.startsWith("_")) return [];
    if (type === "jsonb") return {};
    return type === "text" ? `${name} ${number}` : 1;
  };
  const done = new Set<JsRecord>();
  const insert = async (name: string, record: JsRecord): Promise<void> => {
    const of = model.entities.get(name);
    if (of === undefined || done.has(record)) return;
    done.add(record);
    const row: Record<string, unknown> = {};
    for (const column of columns.get(of.table) ?? []) {
      const value = toStored(record[column.name]);
      if (value !== null) row[column.name] = value;
      else if (column.isRequired) row[column.name] = plain(column);
    }
    await store.query(insertSql(of.table, { ...row, id: toId(String(record.id)) }));
    for (const field of of.fields.values()) {
      const value = record[field.name];
      for (const item of Array.isArray(value) ? value : [value])
        if (isRecord(item) && field.entity !== null) await insert(field.entity, item);
    }
  };
  await insert(entity.name, world.record);
  if (world.user !== world.record) await insert("User", world.user);
  const user = toId(String(world.user.id));
  return {
    person: (granted) => ({ id: user, granted }),
    holds: async (version, of, any) => {
      const env = rowEnv(version, of, "t");
      const alternatives = any.map(
        (all): Sql => join([sql`TRUE`, ...all.map((condition) => sql`(${toSql(condition, env).truth})`)], " AND "),
      );
      const statement = render(
        sql`SELECT (${join([sql`FALSE`, ...alternatives.map((alternative) => sql`(${alternative})`)], " OR ")}) AS "holds" FROM ${tableSql(of)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")}`,
      );
      const caller = callerParams({
        principal: { id: user, granted: new Set() },
        now: new Date(world.now),
        today: world.today,
      });
      const { rows } = await store.query(
        statement.text,
        fill(statement, { ...caller, id: toId(String(world.record.id)) }),
      );
      if (rows.length !== 1) throw new Error(`the record of the example is stored ${rows.length} times`);
      return rows[0]?.holds === true;
    },
  };
};
