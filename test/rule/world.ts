import Big from "big.js";
import type { ColumnSql } from "../../src/core/expression/compile/to-sql.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import type { Duration } from "../../src/core/expression/values/duration.ts";
import type { EntityShape, FieldShape, Scope, Type } from "../../src/core/expression/values/type.ts";
import type { JsRecord, Value } from "../../src/core/expression/values/value.ts";
import { identifier, type Sql, sql } from "../../src/core/sql.ts";

/** Three entities with fields of every type, each required and optional, and references between them. */
const plain = {
  integer: { kind: "integer" },
  decimal: { kind: "decimal" },
  money: { kind: "money", currency: "EUR" },
  text: { kind: "text" },
  date: { kind: "date" },
  time: { kind: "time" },
  datetime: { kind: "datetime" },
  duration: { kind: "duration" },
  choice: { kind: "choice", of: "Item.choice", values: ["holiday", "sick", "parental"] },
} satisfies Record<string, Type>;

const record = (entity: string): Type => ({ kind: "record", entity });
const list = (of: Type): Type => ({ kind: "list", of });

const fieldOf = (name: string, type: Type, optional: boolean): [string, FieldShape] => [
  name,
  { name, type, optional, column: name },
];

const otherSide = (name: string, entity: string, by: string): [string, FieldShape] => [
  name,
  { name, type: list(record(entity)), optional: false, inverse: { entity, by } },
];

const entity = (name: string, fields: readonly [string, FieldShape][]): EntityShape => ({
  name,
  table: name.toLowerCase(),
  fields: new Map([fieldOf("id", plain.text, false), ...fields]),
});

const user = entity("User", [
  fieldOf("name", plain.text, false),
  fieldOf("manager", record("User"), true),
  fieldOf("allowance", plain.integer, false),
  fieldOf("active", { kind: "boolean" }, false),
  otherSide("watched", "Item", "watchers"),
]);

const item = entity("Item", [
  ...Object.entries(plain).flatMap(([name, type]) => [
    fieldOf(`${name}_1`, type, false),
    fieldOf(`${name}_2`, type, true),
    fieldOf(`${name}_3`, type, true),
  ]),
  fieldOf("open", { kind: "boolean" }, false),
  fieldOf("owner", record("User"), false),
  fieldOf("helper", record("User"), true),
  fieldOf("parent", record("Item"), true),
  fieldOf("tags", list(plain.text), false),
  fieldOf("numbers", list(plain.integer), false),
  fieldOf("days", list(plain.date), false),
  fieldOf("watchers", list(record("User")), false),
  fieldOf("amounts", list(plain.decimal), false),
  fieldOf("prices", list(plain.money), false),
  fieldOf("moments", list(plain.datetime), false),
  fieldOf("times", list(plain.time), false),
  fieldOf("waits", list(plain.duration), false),
  otherSide("lines", "Line", "item"),
]);

const line = entity("Line", [
  fieldOf("item", record("Item"), false),
  fieldOf("amount", plain.decimal, false),
  fieldOf("price", plain.money, true),
  fieldOf("count", plain.integer, true),
  fieldOf("note", plain.text, true),
  fieldOf("day", plain.date, true),
  fieldOf("done", { kind: "boolean" }, false),
]);

export const entities: ReadonlyMap<string, EntityShape> = new Map(
  [user, item, line].map((entity) => [entity.name, entity]),
);

export const scope: Scope = {
  entity: "Item",
  user: true,
  entities,
  names: new Map([
    ["part", { type: plain.integer, optional: true }],
    ["input.text", { type: plain.text, optional: true }],
    // A seed record: the second person of every world.
    [
      "User.deputy",
      {
        type: record("User"),
        optional: false,
        seedRecord: { id: "10000000-0000-4000-8000-000000000001", key: "deputy" },
      },
    ],
  ]),
  limits: new Map<string, { type: Type; value: string }>([
    ["most", { type: plain.integer, value: "3" }],
    ["rate", { type: plain.decimal, value: "1.19" }],
    ["dear", { type: plain.money, value: "2.50" }],
    ["noon", { type: plain.time, value: "12:00:00" }],
    ["launch", { type: plain.datetime, value: "2026-03-29T01:00:00.000Z" }],
    ["leap_day", { type: plain.date, value: "2024-02-29" }],
    ["office_hours", { type: plain.text, value: "Mon-Fri 09:00-17:00" }],
    ["patience", { type: plain.duration, value: "1 month 2 days 3 hours" }],
  ]),
  timezone: "Europe/Berlin",
};

/** Parses a valid expression. */
export const read = (text: string, at: Scope = scope, expected?: Type): Expr => {
  const { value, findings } = readRule(text, { file: "test.md", start: 0, end: text.length }, at, expected);
  if (value === undefined) throw new Error(`${text}: ${findings.map((finding) => finding.message).join(" ")}`);
  return value;
};

/** A value as a Postgres parameter. */
export const stored = (value: Value | undefined): unknown => {
  if (value === null || value === undefined) return null;
  if (value instanceof Big) return value.toFixed();
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== "object") return value;
  if ("milliseconds" in value) {
    const { months, days, milliseconds } = value as unknown as Duration;
    return `${months} mons ${days} days ${milliseconds / 1000} secs`;
  }
  return (value as JsRecord).id;
};

/** The fields of an aliased row, or bare column names: a `field` for `SqlEnv`. */
export const columnsOf =
  ({ name: entity, fields }: EntityShape, alias?: Sql) =>
  (name: string): ColumnSql => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`${entity} has no field ${name}`);
    const column = identifier(field.column ?? name);
    return { sql: alias === undefined ? column : sql`${alias}.${column}`, missing: field.optional };
  };
