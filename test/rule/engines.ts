import Big from "big.js";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { type SqlEnv, toSql } from "../../src/core/expression/compile/to-sql.ts";
import { type Expr, subexpressions } from "../../src/core/expression/expr.ts";
import type { Duration } from "../../src/core/expression/values/duration.ts";
import type { EntityShape, FieldShape, Type } from "../../src/core/expression/values/type.ts";
import { type JsEnv, type JsRecord, nobody, type Value } from "../../src/core/expression/values/value.ts";
import { postgresType, type ValueKind, valueKinds } from "../../src/core/expression/values/value-kinds.ts";
import { fill, identifier, render, type Sql, sql } from "../../src/core/sql.ts";
import fc from "../chance.ts";
import type { TestDatabase } from "../postgres.ts";
import { columnsOf, entities, scope, stored } from "./world.ts";

/** Records for both engines. */
export interface World {
  readonly rows: Readonly<Record<string, readonly JsRecord[]>>;
}

const values: Readonly<Record<string, readonly Value[]>> = {
  integer: [0, 1, 2, 3, 5, -1, -7, 100, 94_906_267, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
  decimal: [
    "0",
    "1",
    "0.5",
    "1.5",
    "2.5",
    "-2.5",
    "2.345",
    "-0.0000000001",
    "1.19",
    "9999999999999999999999999999.9999999999",
  ],
  text: ["a", "ab", "b", "B", "ä", "\u{1f600}", "\u{fb01}", "a\u{1f600}b", "a\nb", "100%", "_", "'", "\\", "a b", "7"],
  date: [
    "2026-03-28",
    "2026-03-29",
    "2026-03-30",
    "2026-10-25",
    "2026-01-31",
    "2024-02-29",
    "2025-12-31",
    "0001-01-01",
    "9999-12-31",
  ],
  time: ["00:00:00", "00:00:00", "00:30:00", "08:30:00", "23:59:59"],
  datetime: [
    "2026-03-29T00:59:59.999Z",
    "2026-03-29T01:00:00.000Z",
    "2026-03-28T01:30:00.000Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T01:30:00.000Z",
    "2026-10-24T00:30:00.001Z",
    "2026-01-31T23:30:00.000Z",
    "1890-06-01T12:00:00.000Z",
    "0001-01-01T00:00:00.000Z",
    "9999-12-31T23:30:00.000Z",
  ],
  duration: [
    { months: 0, days: 0, milliseconds: 0 },
    { months: 0, days: 1, milliseconds: 0 },
    { months: 0, days: 0, milliseconds: 86_400_000 },
    { months: 1, days: 0, milliseconds: 0 },
    { months: 1, days: -1, milliseconds: 1 },
    { months: 3_000, days: 91_500, milliseconds: -91_500 * 86_400_000 },
  ] satisfies Duration[] as unknown as Value[],
  choice: ["holiday", "sick", "parental"],
};

const id = (entity: number, n: number): string => `${entity}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** An optional value is missing in one of three records. */
const randomValue = (field: FieldShape, pick: (values: readonly Value[]) => Value, at: World): Value => {
  const { type, optional, inverse } = field;
  if (inverse) return null;
  if (optional && pick([0, 1, 2]) === 0) return null;
  const item = (of: Type): Value => {
    if (of.kind === "boolean") return pick([true, false]);
    if (of.kind === "record") return pick(at.rows[of.entity] ?? []);
    const value = pick(values[of.kind] ?? values[of.kind === "money" ? "decimal" : ""] ?? []);
    return of.kind === "decimal" || of.kind === "money" ? new Big(String(value)) : value;
  };
  if (type.kind !== "list") return item(type);
  return Array.from({ length: Number(pick([0, 1, 2, 3])) }, () => item(type.of));
};

/** Random records of every entity, including circular references. */
export const randomWorld = (seed: number, counts: Readonly<Record<string, number>>): World => {
  const rows: Record<string, Record<string, Value>[]> = {};
  [...entities.keys()].forEach((name, i) => {
    rows[name] = Array.from({ length: counts[name] ?? 0 }, (_, n) => ({ id: id(i + 1, n) }));
  });
  const [numbers = []] = fc.sample(fc.array(fc.nat(), { minLength: 20_000, maxLength: 20_000, size: "max" }), {
    seed,
    numRuns: 1,
  });
  let at = 0;
  const pick = (values: readonly Value[]): Value =>
    values[(numbers[at++ % numbers.length] ?? 0) % values.length] ?? null;
  for (const [name, shape] of entities)
    for (const row of rows[name] ?? [])
      for (const field of shape.fields.values())
        if (field.name !== "id" && !field.inverse) row[field.name] = randomValue(field, pick, { rows });
  return { rows };
};

/** Stores the records in schema `app`. The session has unusual settings on purpose. */
export const install = async ({ rows }: World, { query }: TestDatabase): Promise<void> => {
  const name = (await query("SELECT current_database() AS it")).rows[0]?.it;
  await query(`ALTER DATABASE "${name}" SET timezone = 'America/New_York'`);
  await query(`ALTER DATABASE "${name}" SET datestyle = 'SQL, DMY'`);
  await query("CREATE SCHEMA IF NOT EXISTS app");
  for (const [entity, shape] of entities) {
    const columns = [...shape.fields.values()].filter((field) => field.column !== undefined);
    const table = `app."${shape.table}"`;
    await query(`DROP TABLE IF EXISTS ${table}`);
    await query(
      `CREATE TABLE ${table} (${columns.map((field) => `"${field.name}" ${columnType(field)}${field.optional ? "" : " NOT NULL"}`).join(", ")})`,
    );
    const holes = columns.map((field, i) => `$${i + 1}::${columnType(field)}`).join(", ");
    for (const row of rows[entity] ?? [])
      await query(
        `INSERT INTO ${table} VALUES (${holes})`,
        columns.map((field) => stored(row[field.name])),
      );
  }
};

/** An id is a text in expressions, and a uuid in its table. */
const columnType = ({ name, type }: FieldShape): string => {
  if (name === "id") return "uuid";
  return type.kind === "decimal" || type.kind === "money" ? "numeric(38,10)" : postgresType(type);
};

/** The context of an expression besides its record. */
export interface Circumstances {
  readonly user: JsRecord;
  readonly part: Value;
  readonly text: Value;
  readonly now: string;
  readonly today: string;
}

export const circumstances = ({ rows }: World): fc.Arbitrary<Circumstances> =>
  fc.record({
    user: fc.constantFrom(nobody, ...(rows.User ?? [])),
    part: fc.constantFrom(null, 2, -7),
    text: fc.constantFrom(null, "a", "\u{1f600}"),
    now: fc.constantFrom("2026-03-29T00:59:59.999Z", "2026-10-25T01:00:00.000Z"),
    today: fc.constantFrom("2026-03-29", "2026-10-25"),
  });

/** The results of JavaScript for every item. */
export const inJs = (
  expr: Expr,
  { rows }: World,
  { user, part, text, now, today }: Circumstances,
): readonly Value[] => {
  const evaluate = toJs(expr);
  const env: JsEnv = { user, names: { part, "input.text": text }, now, today, rows: (entity) => rows[entity] ?? [] };
  return (rows.Item ?? []).map((item) => evaluate(item, { ...env, old: (item.parent ?? null) as JsRecord | null }));
};

/** The results of Postgres: the value for each item by id, and the items that WHERE and ORDER BY return. */
export interface Said {
  readonly values: readonly unknown[];
  readonly where?: readonly string[];
  readonly whereNot?: readonly string[];
  readonly ordered?: readonly string[];
}

export const inPostgres = async (expr: Expr, { query }: TestDatabase, at: Circumstances): Promise<Said> => {
  const item = entities.get("Item") as EntityShape;
  const old = columnsOf(item, identifier("o"));
  const names = (name: string) => {
    const [value, type] = name === "part" ? ([at.part, "bigint"] as const) : ([at.text, "text"] as const);
    return { sql: { kind: "sql", parts: [{ kind: "value", value, cast: type }] } as Sql, missing: value === null };
  };
  const env: SqlEnv = {
    field: columnsOf(item, identifier("t")),
    // Here the previous item is the parent, which can be missing.
    old: (name) => ({ ...old(name), missing: true }),
    names,
  };
  const forms = toSql(expr, env);
  const from = sql`FROM "app"."item" AS t LEFT JOIN "app"."item" AS o ON o."id" = t."parent"`;
  const { sorted = (value: Sql) => value, compares }: ValueKind = valueKinds[expr.type.kind];
  const ids = (condition: Sql) => sql`ARRAY(SELECT t."id"::text ${from} WHERE ${condition} ORDER BY t."id")`;
  const clauses = [
    sql`'values', ARRAY(SELECT ${textOf(forms.value, expr.type)} ${from} ORDER BY t."id")`,
    ...(expr.type.kind === "boolean"
      ? [sql`'where', ${ids(forms.truth)}`, sql`'whereNot', ${ids(forms.falsehood)}`]
      : []),
    ...(compares === "in order" || compares === "by length"
      ? [sql`'ordered', ARRAY(SELECT t."id"::text ${from} ORDER BY ${sorted(forms.value)} NULLS LAST, t."id")`]
      : []),
  ];
  const all = clauses.reduce((a, b) => sql`${a}, ${b}`);
  const statement = render(sql`SELECT jsonb_build_object(${all}) AS it`);
  const { now, today, user } = at;
  const { rows } = await query(statement.text, fill(statement, { now, today, user: user.id }));
  return rows[0]?.it as Said;
};

/** A value as text, equal in both engines. */
const textOf = (value: Sql, { kind }: Type): Sql => {
  if (kind === "boolean") return sql`${value}::text`;
  if (kind === "decimal" || kind === "money") return sql`trim_scale(${value})::text`;
  if (kind === "date") return sql`to_char(${value}, 'YYYY-MM-DD')`;
  if (kind === "datetime") return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  // Durations compare with months of 30 days and days of 24 hours.
  if (kind === "duration")
    return sql`trim_scale((extract(year FROM ${value}) * 12 + extract(month FROM ${value})) * 2592000000 + extract(day FROM ${value}) * 86400000 + extract(hour FROM ${value}) * 3600000 + extract(minute FROM ${value}) * 60000 + extract(second FROM ${value}) * 1000)::text`;
  return sql`${value}::text`;
};

const shown = (value: Value): string | null => {
  if (value === null) return null;
  if (value instanceof Big) return value.toFixed().replace(/^-0$/u, "0");
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `{${value.map(shown).join(",")}}`;
  if ("milliseconds" in value) return String(valueKinds.duration.compare(value as unknown as Duration, none));
  return String((value as JsRecord).id);
};

const none: Duration = { months: 0, days: 0, milliseconds: 0 };

/** The difference between the engines in words; undefined if they agree. */
export const difference = async (
  expr: Expr,
  world: World,
  postgres: TestDatabase,
  given: Circumstances,
): Promise<string | undefined> => {
  const js = inJs(expr, world, given);
  const actual = await inPostgres(expr, postgres, given);
  const items = world.rows.Item ?? [];
  const idsWhere = (keep: (value: Value) => boolean) =>
    items.filter((_, i) => keep(js[i] ?? null)).map((item) => String(item.id));
  const compare = valueKinds[expr.type.kind].compare as (a: Value, b: Value) => number;
  const expected: Said = {
    values: js.map(shown),
    ...(actual.where ? { where: idsWhere((value) => value === true) } : {}),
    ...(actual.whereNot ? { whereNot: idsWhere((value) => value === false) } : {}),
    ...(actual.ordered
      ? {
          ordered: items
            .map((item, i) => ({ id: String(item.id), value: js[i] ?? null }))
            .sort((a, b) => {
              if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
              return compare(a.value, b.value);
            })
            .map((item) => item.id),
        }
      : {}),
  };
  for (const key of ["values", "where", "whereNot", "ordered"] as const) {
    const expectedItems = expected[key] ?? [];
    const actualItems = actual[key] ?? [];
    const at = expectedItems.findIndex((our, i) => our !== actualItems[i]);
    const more = at < 0 && expectedItems.length !== actualItems.length ? expectedItems.length : at;
    if (more >= 0) return `${key}[${more}]: JavaScript ${expectedItems[more]}, Postgres ${actualItems[more]}`;
  }
  return undefined;
};

/** The operations of an expression, with repetitions. */
export const operationsIn = (expr: Expr): readonly string[] => [
  ...(expr.kind === "call" ? [expr.row] : expr.kind === "each" ? [`.${expr.row}()`] : []),
  ...subexpressions(expr).flatMap(operationsIn),
];

/** The scope of items with `old`. */
export const itemScope = { ...scope, old: "can be missing" as const };
