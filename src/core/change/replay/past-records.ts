import Big from "big.js";
import { type Evaluator, toJs } from "../../expression/compile/to-js.ts";
import type { Expr } from "../../expression/expr.ts";
import { isDate, normalizeDatetime, normalizeTime } from "../../expression/values/calendar.ts";
import type { Type } from "../../expression/values/type.ts";
import type { JsEnv, JsRecord, Value } from "../../expression/values/value.ts";
import { fromInterval } from "../../field/duration.ts";
import type { Entity } from "../../model/entity.ts";
import { computedExpr, type Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../wire/json.ts";
import { hasSameMeaning } from "../meaning.ts";
import { NotKnown, type PastRecord, type PastWorld } from "./past-world.ts";

const compiled = new WeakMap<Expr, Evaluator>();

/** Compiles an expression once. */
export const compileEvaluator = (expr: Expr): Evaluator => {
  const known = compiled.get(expr) ?? toJs(expr);
  compiled.set(expr, known);
  return known;
};

/** The records of a past world as one version of the document reads them. */
export interface PastRecords {
  /** The record as it is at the time of the world; later reads follow the world. */
  readonly of: (entity: string, record: PastRecord) => JsRecord;
  /**
   * The record with an id; every field of a record that was not loaded throws `NotKnown`. Undefined if the record does
   * not exist.
   */
  readonly find: (entity: string, id: string) => JsRecord | undefined;
  readonly rows: JsEnv["rows"];
  /** Sets the environment of computed fields, until the next call. */
  readonly at: (env: Omit<JsEnv, "rows"> & Partial<Pick<JsEnv, "rows">>) => JsEnv;
}

/**
 * `stored` is the version whose values the world contains. Fields whose type or stored formula differs between the
 * versions are recomputed, or throw `NotKnown`.
 */
export const createPastRecords = (world: PastWorld, model: Model, stored: Model): PastRecords => {
  const views = new Map<string, ReturnType<typeof createView>>();
  const known = new WeakMap<PastRecord, JsRecord>();
  let env: JsEnv = { now: "", today: "", rows: () => [] };
  const lists = new WeakMap<readonly PastRecord[], readonly JsRecord[]>();
  const records: PastRecords = {
    of: (entity, record) => {
      const before = known.get(record);
      if (before !== undefined) return before;
      const view = views.get(entity) ?? createView(model.entities.get(entity), stored.entities.get(entity), reading);
      views.set(entity, view);
      const created = view(record);
      known.set(record, created);
      return created;
    },
    find: (entity, id) => {
      const record = world.find(entity, id);
      if (record !== undefined) return records.of(entity, record);
      return world.isComplete(entity) ? undefined : unknownRecord(model.entities.get(entity), id);
    },
    rows: (entity) => {
      if (model.entities.get(entity)?.rows !== null) throw new NotKnown("no history", entity);
      // A new entity has no records.
      if (!stored.entities.has(entity)) return [];
      const all = world.all(entity);
      const views = lists.get(all) ?? all.map((record) => records.of(entity, record));
      lists.set(all, views);
      return views;
    },
    at: (time) => {
      env = { rows: records.rows, ...time };
      return env;
    },
  };
  const reading: Reading = { records, env: () => env };
  return records;
};

interface Reading {
  readonly records: PastRecords;
  readonly env: () => JsEnv;
}

/** A record with a known id and unknown values, because a replay did not read it. */
const unknownRecord = (entity: Entity | undefined, id: string): JsRecord => {
  const record: Record<string, Value | undefined> = { id };
  for (const name of [...(entity?.fields.keys() ?? []), "version", "created_at", "updated_at", "roles"])
    Object.defineProperty(record, name, {
      get: () => {
        throw new NotKnown("many records", entity?.name ?? null);
      },
    });
  return record;
};

/** Builds the records of an entity. Fields are getters on a shared prototype, because a world has many records. */
const createView = (
  entity: Entity | undefined,
  stored: Entity | undefined,
  { records, env }: Reading,
): ((record: PastRecord) => JsRecord) => {
  const of = new WeakMap<object, PastRecord>();
  const prototype: object = Object.create(null);
  const define = (name: string, get: (record: PastRecord, self: JsRecord) => Value): void => {
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get(this: JsRecord): Value {
        const record = of.get(this);
        if (record === undefined) throw new Error(`${name} was read from no record`);
        return get(record, this);
      },
    });
  };
  const systemValue = (name: string, value: string | null): Value => {
    if (value === null) throw new NotKnown("no history", `${entity?.name ?? ""}.${name}`);
    return value;
  };
  define("created_at", (record) => systemValue("created_at", record.createdAt));
  define("updated_at", (record) => systemValue("updated_at", record.updatedAt));
  define("version", () => systemValue("version", null));
  if (entity?.name === "User") define("roles", ({ values }) => (values.roles ?? []) as Value);
  for (const field of entity?.fields.values() ?? []) {
    if (field.storage.as === "inverse") continue;
    const before = stored?.fields.get(field.name);
    const formula = computedExpr(field);
    const isComputed =
      formula !== null &&
      (field.storage.as === "virtual" || before === undefined || !hasSameMeaning(computedExpr(before), formula));
    if (isComputed) define(field.name, (_, self) => compileEvaluator(formula)(self, env()));
    else if (before === undefined) define(field.name, (_, self) => newValue(field, self, env()));
    else if (!hasSameKind(before, field))
      define(field.name, () => {
        throw new NotKnown("changed type", toPath(field));
      });
    else define(field.name, ({ values }) => toValue(values[field.name], field, records));
  }
  return (record) => {
    const view = Object.create(prototype, { id: { value: record.id, enumerable: true } }) as JsRecord;
    of.set(view, record);
    return view;
  };
};

const hasSameKind = (one: Field, other: Field): boolean =>
  one.ruleType.kind === other.ruleType.kind && one.type === other.type && one.many === other.many;

/** The value of a new field in an existing record. */
const newValue = (field: Field, record: JsRecord, env: JsEnv): Value => {
  const expr = field.fill ?? field.default;
  return expr === null ? missingValue(field.ruleType) : compileEvaluator(expr)(record, env);
};

/** The value of a field without one. */
export const missingValue = (type: Type): Value => (type.kind === "list" ? [] : type.kind === "boolean" ? false : null);

/** `Ticket.cost` */
export const toPath = ({ clause }: Field): string => clause.id.replace(/^3\./u, "");

/**
 * A value of the audit as a value of expressions. Throws `NotKnown` if it is no value of the type, because the field had
 * another type when it was written.
 */
export const toValue = (
  json: Json | undefined,
  field: Field,
  records: Pick<PastRecords, "find">,
  type: Type = field.ruleType,
): Value => {
  if (json === null || json === undefined) return missingValue(type);
  switch (type.kind) {
    case "list":
      return Array.isArray(json) ? json.map((json: Json) => toValue(json, field, records, type.of)) : [];
    case "record":
      return records.find(type.entity, String(json)) ?? { id: String(json) };
    case "json":
    case "file":
      return json as Value;
    default:
      return plainValues[type.kind](json) ?? refuseValue(field);
  }
};

const refuseValue = (field: Field): never => {
  throw new NotKnown("changed type", toPath(field));
};

type ReadText = (text: string) => Value | undefined;

const ifText =
  (read: ReadText) =>
  (json: NonNullable<Json>): Value | undefined =>
    typeof json === "string" || typeof json === "number" ? read(String(json)) : undefined;

const asText = ifText((text) => text);

/** The kinds of a value that is no record, list, file or JSON. */
type PlainKind = Exclude<Type["kind"], "list" | "record" | "json" | "file">;

/** Undefined if the value is none of the kind. */
const plainValues: { readonly [K in PlainKind]: (json: NonNullable<Json>) => Value | undefined } = {
  boolean: (json) => (typeof json === "boolean" ? json : undefined),
  integer: (json) => (Number.isInteger(json) ? (json as number) : undefined),
  decimal: ifText((text) => toNumber(text)),
  money: ifText((text) => toNumber(text)),
  datetime: ifText(normalizeDatetime),
  duration: ifText((text) => fromInterval(text) as Value | undefined),
  date: ifText((text) => (isDate(text) ? text : undefined)),
  time: ifText(normalizeTime),
  text: asText,
  choice: asText,
  null: asText,
  unknown: asText,
};

const toNumber = (text: string): Value | undefined => {
  try {
    return new Big(text);
  } catch {
    return undefined;
  }
};
