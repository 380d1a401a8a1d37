import { knowableFields, writableFieldsFor } from "../../../core/derive/authorization/grants.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { type ColumnSql, type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import { computedExpr, type Field, isActValue, isPlainColumn } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { AmongIntent } from "../../intent.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { OTHER } from "../aliases.ts";
import type { Caller, PlanContext } from "../context.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import type { PlanValue } from "../statements.ts";

/** Limits a list to the records that a reference can refer to. */
export interface CandidateFilter {
  readonly conditions: () => readonly Sql[];
  readonly slots: Readonly<Record<string, unknown>>;
  readonly shape: PlanValue;
}

/**
 * The records that a reference in a form can refer to. The condition reads the record in the caller's read scope, with
 * entered values replacing stored ones. `chosen` denotes a record of the list.
 */
export const candidateFilter = (
  { model }: PlanContext,
  { principal }: Caller,
  intent: AmongIntent,
  listed: Entity,
  chosen: Sql,
): CandidateFilter | Refusal => {
  const owner = model.entities.get(intent.entity);
  const field = owner?.fields.get(intent.field);
  if (
    owner === undefined ||
    field === undefined ||
    field.entity !== listed.name ||
    !knowableFields(model, owner, principal).has(field.name) ||
    // The `among` condition reveals facts about the excluded records, so it requires permission to set the reference.
    (field.among !== null && !writableFieldsFor(model, owner, principal).has(field.name))
  )
    return badQuery("CHOOSES_NOTHING", { word: `${intent.entity}.${intent.field}` });
  const { among } = field;
  if (among === null) return { conditions: () => [], slots: {}, shape: null };
  const entered = toStoredInput(
    owner,
    intent.given.filter(([name]) => among.reads.has(name)),
  );
  const names = [...entered.keys()].sort();
  return {
    conditions: () => {
      const stored = intent.record === null ? undefined : readScope(model, owner, principal, OTHER.alias);
      const env = formEnv(model, owner, new Set(names), (name) => {
        if (stored === undefined) return undefined;
        const own = owner.fields.get(name);
        // The value of an earlier act counts for nothing.
        if (own !== undefined && isActValue(own)) return sql`NULL::${columnTypeSql(own)}`;
        const column = owner.fields.has(name) ? stored.column(name) : stored.env.field(name).sql;
        if (column === undefined) return sql`NULL`;
        return sql`(SELECT ${column} FROM ${tableSql(owner)} AS ${OTHER} WHERE ${OTHER}."id" = ${slot("among", "uuid")} AND ${asCondition(stored.rows)})`;
      });
      return [sql`(${toSql(isAmong(among.list), { ...env, names: () => ({ sql: chosen, missing: false }) }).truth})`];
    },
    slots: {
      among: intent.record,
      ...Object.fromEntries([...entered].map(([name, value]) => [`given:${name}`, value])),
    },
    shape: [intent.entity, intent.field, intent.record !== null, names],
  };
};

/** `chosen in list` */
const isAmong = (list: Expr): Expr => {
  const element = list.type.kind === "list" ? list.type.of : list.type;
  const { span } = list;
  const chosen: Expr = { kind: "name", name: "chosen", type: element, missing: false, span };
  const zone = "UTC";
  return {
    kind: "call",
    row: "same in [same]",
    args: [chosen, list],
    zone,
    type: { kind: "boolean" },
    missing: false,
    span,
  };
};

/** Entered values in stored form; invalid ones count as missing, as in the form. */
const toStoredInput = (owner: Entity, entered: AmongIntent["given"]): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>();
  for (const [name, text] of entered) {
    const field = owner.fields.get(name);
    // An address does not preserve the order of several values, so the stored ones are used.
    if (field === undefined || field.many || !(isPlainColumn(field) || isActValue(field))) continue;
    const json: Json = field.type === "boolean" ? text === "true" : text;
    const reading =
      text === ""
        ? undefined
        : fieldKinds[field.type].read(json, toFieldSpec(owner, { ...field, min: null, max: null }));
    values.set(name, reading?.ok === true ? reading.value : null);
  }
  return values;
};

/** The record as in the form: entered values first, then stored ones, then defaults. */
const formEnv = (
  model: Model,
  owner: Entity,
  enteredFields: ReadonlySet<string>,
  stored: (name: string) => Sql | undefined,
): SqlEnv => {
  const { computed } = rowEnv(model, owner, OTHER.alias);
  const env: SqlEnv = {
    ...(computed === undefined ? {} : { computed }),
    field: (name): ColumnSql => {
      const field = owner.fields.get(name);
      if (enteredFields.has(name) && field !== undefined)
        return { sql: sql`${slot(`given:${name}`, typeOfColumn(field))}`, missing: true };
      const from = field === undefined ? null : computedExpr(field);
      const value = from === null ? (stored(name) ?? startsWithSql(owner, field, env)) : toSql(from, env).value;
      return { sql: value, missing: true, long: true };
    },
  };
  return env;
};

const startsWithSql = (owner: Entity, field: Field | undefined, env: SqlEnv): Sql => {
  if (field?.type === "state") return sql`${constant(owner.states?.initial ?? "")}::text`;
  if (field?.set != null) return toSql(field.set, env).value;
  if (field?.many === true) return sql`'{}'::${columnTypeSql(field)}`;
  return field?.type === "boolean" ? sql`FALSE` : sql`NULL`;
};
