import { knowableFields, writableFieldsFor } from "../../../core/derive/authorization/grants.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { type Column, type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { kinds } from "../../../core/field/kinds.ts";
import { specOf } from "../../../core/model/field-spec.ts";
import { type Entity, type Field, type Model, madeOf } from "../../../core/model/model.ts";
import { constant, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { AmongIntent } from "../../intent.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import type { Caller, PlanContext } from "../context.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import type { PlanValue } from "../statements.ts";

/** What narrows a list to the records that a reference may name. */
export interface CandidateFilter {
  readonly conditions: () => readonly Sql[];
  readonly slots: Readonly<Record<string, unknown>>;
  readonly shape: PlanValue;
}

/**
 * The records that a reference of a form may name: of a record as it is, as far as this person reads it, with what they
 * have entered in the place of what is stored. `chosen` is what stands for a record of the list.
 */
export const candidateFilter = (
  { model }: PlanContext,
  { principal }: Caller,
  asked: AmongIntent,
  listed: Entity,
  chosen: Sql,
): CandidateFilter | Refusal => {
  const owner = model.entities.get(asked.entity);
  const field = owner?.fields.get(asked.field);
  if (
    owner === undefined ||
    field === undefined ||
    field.entity !== listed.name ||
    !knowableFields(model, owner, principal).has(field.name) ||
    // What it is limited to tells of the records that are left out: that is for who chooses among them.
    (field.among !== null && !writableFieldsFor(model, owner, principal).has(field.name))
  )
    return badQuery("CHOOSES_NOTHING", { word: `${asked.entity}.${asked.field}` });
  const { among } = field;
  if (among === null) return { conditions: () => [], slots: {}, shape: null };
  const given = givenOf(
    owner,
    asked.given.filter(([name]) => among.reads.has(name)),
  );
  const names = [...given.keys()].sort();
  return {
    conditions: () => {
      const stored = asked.record === null ? undefined : readScope(model, owner, principal, "x");
      const env = formEnv(model, owner, new Set(names), (name) => {
        if (stored === undefined) return undefined;
        const column = owner.fields.has(name) ? stored.column(name) : stored.env.field(name).sql;
        if (column === undefined) return sql`NULL`;
        return sql`(SELECT ${column} FROM ${tableSql(owner)} AS "x" WHERE "x"."id" = ${slot("among", "uuid")} AND ${asCondition(stored.rows)})`;
      });
      return [sql`(${toSql(isAmong(among.list), { ...env, names: () => ({ sql: chosen, missing: false }) }).truth})`];
    },
    slots: { among: asked.record, ...Object.fromEntries([...given].map(([name, value]) => [`given:${name}`, value])) },
    shape: [asked.entity, asked.field, asked.record !== null, names],
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

/** What was entered, in its stored form; what cannot be read is missing, as in the form. */
const givenOf = (owner: Entity, given: AmongIntent["given"]): ReadonlyMap<string, unknown> => {
  const values = new Map<string, unknown>();
  for (const [name, text] of given) {
    const field = owner.fields.get(name);
    // Of several values no address tells the order; what is stored stands for them.
    if (field === undefined || field.many || field.held.as !== "column") continue;
    const json: Json = field.type === "boolean" ? text === "true" : text;
    const reading =
      text === "" ? undefined : kinds[field.type].read(json, specOf(owner, { ...field, min: null, max: null }));
    values.set(name, reading?.ok === true ? reading.value : null);
  }
  return values;
};

/** A record as a form has it: what was entered, then what is stored, then what the program would write. */
const formEnv = (
  model: Model,
  owner: Entity,
  given: ReadonlySet<string>,
  stored: (name: string) => Sql | undefined,
): SqlEnv => {
  const { computed } = rowEnv(model, owner, "x");
  const env: SqlEnv = {
    ...(computed === undefined ? {} : { computed }),
    field: (name): Column => {
      const field = owner.fields.get(name);
      if (given.has(name) && field !== undefined)
        return { sql: sql`${slot(`given:${name}`, typeOfColumn(field))}`, missing: true };
      const from = field === undefined ? null : madeOf(field);
      const value = from === null ? (stored(name) ?? begunWith(owner, field, env)) : toSql(from, env).value;
      return { sql: value, missing: true, long: true };
    },
  };
  return env;
};

const begunWith = (owner: Entity, field: Field | undefined, env: SqlEnv): Sql => {
  if (field?.type === "state") return sql`${constant(owner.states?.initial ?? "")}::text`;
  if (field?.set != null) return toSql(field.set, env).value;
  if (field?.many === true) return sql`'{}'::${columnTypeSql(field)}`;
  return field?.type === "boolean" ? sql`FALSE` : sql`NULL`;
};
