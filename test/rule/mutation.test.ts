import { writeFileSync } from "node:fs";
import Big from "big.js";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readRule } from "../../src/core/rule/check.ts";
import { type Condition, type List, narrowed } from "../../src/core/rule/forms.ts";
import { type EachRow, each, meaning, type Row } from "../../src/core/rule/meaning.ts";
import type { Value } from "../../src/core/rule/value.ts";
import { type Sql, sql } from "../../src/core/sql.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { circumstances, difference, install, itemScope, worldOf } from "./engines.ts";
import { expressionsOf, operations } from "./generate.ts";

/**
 * Whether the comparison of the engines would notice a mistake: each function of each row of the table is corrupted, one
 * at a time, and the difference must show within 5,000 pairs of expression and record.
 */
const items = 40;
const most = 5_000 / items;
const world = worldOf(1, { User: 6, Item: items, Line: 40 });

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
  await install(world, postgres);
});
afterAll(() => postgres.end());

type Mutable = Record<string, unknown>;
type Fn = (...operands: unknown[]) => unknown;

/** Another value of the same type. */
const other = (value: unknown): unknown => {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value === 0 ? 1 : 0;
  if (value instanceof Big) return value.plus(1);
  if (typeof value === "string") return /^\d{4}-/u.test(value) ? `2001${value.slice(4)}` : `${value}x`;
  if (Array.isArray(value)) return value.slice(1);
  if (value !== null && typeof value === "object" && "days" in value) return { ...value, days: Number(value.days) + 1 };
  return null;
};

const swapped = ({ truth, falsehood, sure }: Condition) => ({ truth: falsehood, falsehood: truth, sure });

/** What can be wrong in a row: a name, and the row with that mistake. */
const mistakesOf = (row: Row, isOfLists: boolean): Readonly<Record<string, Mutable>> => {
  const of = (name: string) => (row as unknown as Record<string, Fn>)[name] as Fn;
  const mistakes: Record<string, Mutable> = {};
  if ("js" in row) mistakes.js = { js: (...operands: unknown[]) => other(of("js")(...operands)) };
  // A list is never missing, so nothing would be wrong there.
  if (row.missing === "spreads" && !isOfLists) mistakes["what is missing"] = { missing: "met" };
  if ("sql" in row)
    mistakes.sql = {
      sql: (...operands: unknown[]) => sql`nullif(${of("sql")(...operands) as Sql}, ${of("sql")(...operands) as Sql})`,
    };
  if (row.missing === "refuses") {
    mistakes.truth = { truth: row.falsehood };
    mistakes.falsehood = { falsehood: row.truth };
  }
  if ("condition" in row) {
    const condition = (change: (made: Condition) => Partial<Condition>) => ({
      condition: (...operands: unknown[]) => {
        const made = of("condition")(...operands) as Condition;
        return { ...made, ...change(made) };
      },
    });
    mistakes.truth = condition(({ falsehood }) => ({ truth: falsehood }));
    mistakes.falsehood = condition(({ truth }) => ({ falsehood: truth }));
  }
  if (row.asTheyStand) {
    const { js } = row.asTheyStand as unknown as { readonly js: Fn };
    mistakes["as they stand"] = {
      asTheyStand: { ...row.asTheyStand, js: (...operands: unknown[]) => other(js(...operands)) },
    };
  }
  if ("list" in row)
    mistakes.sql = {
      list:
        (...operands: unknown[]) =>
        (alias: Sql) =>
          narrowed((of("list")(...operands) as (alias: Sql) => List)(alias), [sql`FALSE`]),
    };
  if (row.fails) mistakes.fails = { fails: undefined };
  if ("settles" in row) mistakes.settles = { settles: !row.settles };
  return mistakes;
};

const mistakesOfEach = (row: EachRow): Readonly<Record<string, Mutable>> => ({
  js: { js: (list: readonly Value[], body: (element: Value) => Value) => other(row.js(list, body)) },
  ...(row.list
    ? {
        sql: {
          list: (list: List, body: never, alias: Sql) => narrowed(row.list?.(list, body, alias) as List, [sql`FALSE`]),
        },
      }
    : {
        sql: { condition: (list: List, body: Condition) => swapped(row.condition?.(list, swapped(body)) as Condition) },
      }),
});

const cases = operations.flatMap((operation) => {
  const name = operation.slice(1, -2);
  const row = Object.hasOwn(each, name) ? each[name as keyof typeof each] : meaning[operation as keyof typeof meaning];
  const mistakes = "takes" in row ? mistakesOfEach(row as EachRow) : mistakesOf(row as Row, operation.includes("(["));
  return Object.entries(mistakes).map(([mistake, wrong]) => ({
    operation,
    mistake,
    row: row as unknown as Mutable,
    wrong,
  }));
});

/** After how many pairs each mistake was noticed, by operation. */
const noticedAfter = new Map<string, Record<string, number>>();
afterAll(() => {
  const { EVIDENCE } = process.env;
  if (EVIDENCE === undefined) return;
  const results = operations.map((operation) => ({ operation, noticedAfter: noticedAfter.get(operation) ?? {} }));
  const measured = new Date().toISOString().slice(0, 10);
  const unit = "pairs of an expression and a record until the comparison of the engines notices the mistake";
  writeFileSync(EVIDENCE, `${JSON.stringify({ measured, unit, of: most * items, results }, undefined, 2)}\n`);
});

let mend = () => {};
afterEach(() => mend());

test.each(cases)("$operation with a mistake in $mistake is noticed", async ({ operation, mistake, row, wrong }) => {
  const given = fc.tuple(expressionsOf(operation, 1), circumstances(world));
  const tries = fc.sample(given, { seed: 1, numRuns: most });
  const right = Object.fromEntries(Object.keys(wrong).map((key) => [key, row[key]]));
  mend = () => void Object.assign(row, right);
  Object.assign(row, wrong);
  for (const [nth, [text, place]] of tries.entries()) {
    const { value } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
    if (value === undefined) continue;
    // An engine that breaks has noticed too.
    const noticed = await difference(value, world, postgres, place).catch((error: Error) => error.message);
    if (noticed === undefined) continue;
    noticedAfter.set(operation, { ...noticedAfter.get(operation), [mistake]: (nth + 1) * items });
    return;
  }
  expect.unreachable(`${operation} was not noticed`);
});
