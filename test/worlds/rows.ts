import Big from "big.js";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import type { Type } from "../../src/core/expression/values/type.ts";
import type { JsRecord, Value } from "../../src/core/expression/values/value.ts";
import { fromInterval } from "../../src/core/field/duration.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import { computedExpr } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";

/** The columns of a row from `to_jsonb`. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of a document by entity and id. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Row>>;

export interface Moment {
  readonly now: string;
  readonly today: string;
  /** Audit lines of each record so far, newest first. */
  readonly lines?: ReadonlyMap<string, readonly Line[]>;
}

/** An audit line. */
export interface Line {
  readonly id: number;
  readonly at: string;
  readonly person: string | null;
  readonly entity: string;
  readonly action: string;
  readonly clause: string;
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  readonly cause: number | null;
}

/** Records for expressions, with fields computed on demand. */
export interface Records {
  readonly of: (entity: string) => readonly JsRecord[];
  readonly one: (entity: string, id: unknown) => JsRecord | null;
  readonly moment: Moment;
}

const compiled = new WeakMap<object, ReturnType<typeof toJs>>();
export const evaluator = (expr: Parameters<typeof toJs>[0]): ReturnType<typeof toJs> => {
  const known = compiled.get(expr) ?? toJs(expr);
  compiled.set(expr, known);
  return known;
};

/**
 * The stored rows of a world as records. It shares only the JavaScript evaluator with the server, which other tests
 * compare with the SQL; so its results reflect the document, independent of the server.
 */
export const recordsOf = (model: Model, rows: Rows, moment: Moment, user: () => JsRecord): Records => {
  const created = new Map<string, ReadonlyMap<string, JsRecord>>();
  const records: Records = {
    of: (entity) => [...(created.get(entity)?.values() ?? [])],
    one: (entity, id) => created.get(entity)?.get(String(id)) ?? null,
    moment,
  };
  for (const entity of model.entities.values())
    created.set(
      entity.name,
      new Map(
        [...(rows.get(entity.name) ?? new Map<string, Row>())]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, row]) => [id, recordOf(entity, row, records, user)]),
      ),
    );
  return records;
};

export const recordOf = (entity: Entity, row: Row, records: Records, user: () => JsRecord): JsRecord => {
  const record: Record<string, Value> = { id: String(row.id), version: Number(row.version) };
  for (const moment of ["created_at", "updated_at"]) record[moment] = new Date(String(row[moment])).toISOString();
  if (entity.name === "User") record.roles = (row.roles ?? []) as string[];
  for (const field of entity.fields.values()) {
    if (field.storage.as === "inverse") continue;
    const from = field.storage.as === "stored" ? null : computedExpr(field);
    let known: { readonly value: Value } | undefined;
    Object.defineProperty(record, field.name, {
      enumerable: true,
      get: () => {
        known ??= {
          value:
            from === null
              ? valueIn(row[field.name], field.ruleType, records)
              : evaluator(from)(record, { user: user(), rows: records.of, ...records.moment }),
        };
        return known.value;
      },
    });
  }
  return record;
};

const valueIn = (stored: unknown, type: Type, records: Records): Value => {
  if (stored === null || stored === undefined)
    return type.kind === "list" ? [] : type.kind === "boolean" ? false : null;
  switch (type.kind) {
    case "list":
      return (stored as readonly unknown[]).map((one) => valueIn(one, type.of, records));
    case "record":
      return records.one(type.entity, stored) ?? { id: String(stored) };
    case "decimal":
    case "money":
      return new Big(String(stored));
    case "datetime":
      return new Date(String(stored)).toISOString();
    case "duration":
      return (fromInterval(String(stored)) ?? null) as Value;
    default:
      return stored as Value;
  }
};

/** A value as text; equal values have equal texts. */
export const textOf = (value: Value | undefined): string => {
  if (value === null || value === undefined) return "…";
  if (value instanceof Big) return value.toFixed();
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (typeof value === "object")
    return "id" in value && typeof value.id === "string" && !("name" in value && "type" in value && "size" in value)
      ? value.id
      : JSON.stringify(value);
  return String(value);
};
