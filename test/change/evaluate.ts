import { toJs } from "../../src/core/expression/compile/to-js.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import type { JsRecord, Value } from "../../src/core/expression/values/value.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { Example } from "../../src/core/satisfiability/assignments.ts";

/** The world of an example: a record and a user with its values, and plain values everywhere else. */
export interface World {
  readonly record: JsRecord;
  /** The record before the write. */
  readonly old: JsRecord;
  readonly user: JsRecord;
  readonly today: string;
  readonly now: string;
}

type Values = Record<string, Value>;

const plainRecord = (model: Model, entity: string, id: string): Values => {
  const values: Values = { id };
  for (const { name, ruleType, values: choices } of model.entities.get(entity)?.fields.values() ?? []) {
    if (ruleType.kind === "list") values[name] = [];
    else if (ruleType.kind === "boolean") values[name] = false;
    else if (ruleType.kind === "choice") values[name] = choices[0] ?? ruleType.values[0] ?? null;
    else values[name] = null;
  }
  return values;
};

/** Builds the world in which an example holds, for records of `entity`. */
export const buildWorld = (model: Model, entity: string, example: Example): World => {
  const record = plainRecord(model, entity, "the record");
  const old = plainRecord(model, entity, "the record");
  let user = plainRecord(model, "User", "the user");
  let today = "2026-01-01";
  let now = "2026-01-01T00:00:00.000Z";
  const people = new Map<string, Values>();
  /** One object for each record, so that two paths to it lead to the same values. */
  const referred = (value: Value, of: string): Value => {
    if (typeof value !== "object" || value === null || !("id" in value)) return value;
    const id = String(value.id);
    const key = `${of} ${id}`;
    const known = people.get(key) ?? plainRecord(model, of, id);
    people.set(key, known);
    return known as JsRecord;
  };
  const valueFor = (path: Expr, value: Value): Value =>
    path.type.kind === "record" ? referred(value, path.type.entity) : value;
  const place = (path: Expr): Values | undefined => {
    if (path.kind === "this") return record;
    if (path.kind === "old") return old;
    if (path.kind === "user") return user;
    if (path.kind !== "field") return undefined;
    const of = place(path.of);
    const found = of?.[path.field.name];
    if (of === undefined || (found !== null && found !== undefined)) return found as Values | undefined;
    if (path.type.kind !== "record") return undefined;
    const madeUp = plainRecord(model, path.type.entity, `made for ${path.field.name}`);
    of[path.field.name] = madeUp as JsRecord;
    return madeUp;
  };
  const depth = (path: Expr): number => (path.kind === "field" ? 1 + depth(path.of) : 0);
  // The record may be the user, or a record that it refers to.
  const own = example.find(({ path }) => path.kind === "this")?.value;
  if (typeof own === "object" && own !== null && "id" in own) {
    record.id = String(own.id);
    people.set(`${entity} ${record.id}`, record);
  }
  for (const { path, value } of example.toSorted((a, b) => depth(a.path) - depth(b.path))) {
    if (path.kind === "today") today = String(value);
    else if (path.kind === "now") now = String(value);
    else if (path.kind === "user") user = (valueFor(path, value) ?? user) as Values;
    else if (path.kind === "field") {
      const of = place(path.of);
      if (of !== undefined) of[path.field.name] = valueFor(path, value);
    }
  }
  return { record: record as JsRecord, old: old as JsRecord, user: user as JsRecord, today, now };
};

/** Evaluates a condition in a world that has no other records. */
export const holdsIn = (condition: Expr, { record, old, user, today, now }: World): boolean =>
  toJs(condition)(record, { user, old, today, now, rows: () => [] }) === true;
