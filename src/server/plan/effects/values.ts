import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import { EXISTING, RUNS } from "../aliases.ts";
import { initialEnv } from "../row/initial-env.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { tableSql } from "../row/sql-env.ts";

type Setting = Extract<Effect, { kind: "create" | "put" | "update" | "make" }>;

/** A field's new value in a statement with the run as `p` and the current record as `c`. */
export type EffectValue = (field: Field, env: SqlEnv) => Sql;

/** The anonymous user is stored as NULL. */
export const effectValueSql = (field: Field, expr: Expr, env: SqlEnv): Sql =>
  expr.kind === "user"
    ? sql`nullif(${slot("user", "uuid")}, '00000000-0000-0000-0000-000000000000')`
    : sql`(${toSql(expr, env).value})::${columnTypeSql(field)}`;

/** The initial value of a field in a record that an effect creates. */
export const initialEffectValue = (model: Model, entity: Entity, field: Field, effect: Setting, env: SqlEnv): Sql => {
  const assigned = effect.set.get(field.name);
  const expr = assigned ?? field.set ?? field.default;
  if (field.type === "state") return constant(entity.states?.initial ?? null);
  if (isPositionGenerated(field, effect)) return nextPlaces(entity, field, effect, env);
  if (expr === null) return emptyValueSql(field);
  if (assigned !== undefined) return effectValueSql(field, assigned, env);
  const newRecord = {
    id: sql`NULL::uuid`,
    value: (other: Field) => initialEffectValue(model, entity, other, effect, env),
  };
  return effectValueSql(field, expr, initialEnv(model, entity, newRecord, null));
};

/** The value of a field that has none: NULL, an empty list or false. */
export const emptyValueSql = (field: Field): Sql => {
  if (field.many) return sql`'{}'::${columnTypeSql(field)}`;
  return field.type === "boolean" ? sql`FALSE` : sql`NULL::${columnTypeSql(field)}`;
};

/** True if the effect sets no position, so that it is generated. */
export const isPositionGenerated = (field: Field, effect: Setting): boolean =>
  field.type === "position" && !effect.set.has(field.name) && field.set === null && field.default === null;

/** The parent whose parts the position orders; undefined if it orders all records. */
export const parentIdSql = (entity: Entity, field: Field, effect: Setting, env: SqlEnv): Sql | undefined => {
  const parent = field.from === null ? undefined : entity.fields.get(field.from);
  const expr = parent === undefined ? undefined : effect.set.get(parent.name);
  return parent === undefined || expr === undefined ? undefined : effectValueSql(parent, expr, env);
};

/** Positions after the last part of the parent. */
const nextPlaces = (entity: Entity, field: Field, effect: Setting, env: SqlEnv): Sql => {
  const parent = field.from === null ? undefined : entity.fields.get(field.from);
  const among = parentIdSql(entity, field, effect, env);
  const last = sql`(SELECT COALESCE(max(${EXISTING}.${identifier(field.name)}), 0) FROM ${tableSql(entity)} AS ${EXISTING}${parent === undefined || among === undefined ? sql`` : sql` WHERE ${EXISTING}.${identifier(parent.name)} = ${among}`})`;
  return sql`${last} + row_number() OVER (${among === undefined ? sql`` : sql`PARTITION BY ${among} `}ORDER BY ${RUNS}."nth")`;
};
