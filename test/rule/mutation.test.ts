import { existsSync, readFileSync, writeFileSync } from "node:fs";
import Big from "big.js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evaluators } from "../../src/core/expression/compile/specialized-evaluators.ts";
import { type IteratorRow, iterators } from "../../src/core/expression/operations/iterators.ts";
import type { OperationRow } from "../../src/core/expression/operations/operation-types.ts";
import { operationTable } from "../../src/core/expression/operations/operations.ts";
import { type SqlCondition, type SqlList, withConditions } from "../../src/core/expression/operations/sql-forms.ts";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import type { Value } from "../../src/core/expression/values/value.ts";
import { type Sql, sql } from "../../src/core/sql.ts";
import fc from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { circumstances, difference, install, itemScope, randomWorld } from "./engines.ts";
import { expressionsOf, operations } from "./generate.ts";

/**
 * Tests that the comparison of the engines notices mistakes: each function of each row of the operation table is
 * corrupted, one at a time, and the difference must show within 5,000 pairs of expression and record.
 */
const items = 40;
const most = 5_000 / items;
const world = randomWorld(1, { User: 6, Item: items, Line: 40 });

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

const swapped = ({ truth, falsehood, sure }: SqlCondition) => ({ truth: falsehood, falsehood: truth, sure });

/** The possible mistakes of a row: a name, and the row with that mistake. */
const mistakesOf = (row: OperationRow, isOfLists: boolean): Readonly<Record<string, Mutable>> => {
  const of = (name: string) => (row as unknown as Record<string, Fn>)[name] as Fn;
  const mistakes: Record<string, Mutable> = {};
  if ("js" in row) mistakes.js = { js: (...operands: unknown[]) => other(of("js")(...operands)) };
  // A list is never missing, so there is no such mistake.
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
    const condition = (change: (condition: SqlCondition) => Partial<SqlCondition>) => ({
      condition: (...operands: unknown[]) => {
        const condition = of("condition")(...operands) as SqlCondition;
        return { ...condition, ...change(condition) };
      },
    });
    mistakes.truth = condition(({ falsehood }) => ({ truth: falsehood }));
    mistakes.falsehood = condition(({ truth }) => ({ falsehood: truth }));
  }
  if (row.compares !== undefined && row.compares.holds !== "among") {
    const { holds } = row.compares;
    // Types without an order never compare as below.
    for (const order of ["below", "same", "above"] as const)
      if (row.compares.by === "ordered" || order !== "below")
        mistakes[order] = { compares: { ...row.compares, holds: { ...holds, [order]: !holds[order] } } };
  }
  if ("list" in row)
    mistakes.sql = {
      list:
        (...operands: unknown[]) =>
        (alias: Sql) =>
          withConditions((of("list")(...operands) as (alias: Sql) => SqlList)(alias), [sql`FALSE`]),
    };
  if (row.fails) mistakes.fails = { fails: undefined };
  if ("settles" in row) mistakes.settles = { settles: !row.settles };
  return mistakes;
};

const mistakesOfEach = (row: IteratorRow): Readonly<Record<string, Mutable>> => ({
  js: { js: (list: readonly Value[], body: (element: Value) => Value) => other(row.js(list, body)) },
  ...(row.list
    ? {
        sql: {
          list: (list: SqlList, body: never, alias: Sql) =>
            withConditions(row.list?.(list, body, alias) as SqlList, [sql`FALSE`]),
        },
      }
    : {
        sql: {
          condition: (list: SqlList, body: SqlCondition) =>
            swapped(row.condition?.(list, swapped(body)) as SqlCondition),
        },
      }),
});

const cases = operations.flatMap((operation) => {
  const name = operation.slice(1, -2);
  const row = Object.hasOwn(iterators, name)
    ? iterators[name as keyof typeof iterators]
    : operationTable[operation as keyof typeof operationTable];
  const mistakes =
    "takes" in row ? mistakesOfEach(row as IteratorRow) : mistakesOf(row as OperationRow, operation.includes("(["));
  return Object.entries(mistakes).map(([mistake, wrong]) => ({
    operation,
    mistake,
    row: row as unknown as Mutable,
    wrong,
  }));
});

/** A function that builds a condition, negated where it would otherwise be true. */
const wronged =
  (make: Fn): Fn =>
  (...operands) => {
    const evaluate = make(...operands) as Fn;
    return (...args: unknown[]) => evaluate(...args) !== true;
  };

/** Expressions that use each of the functions for common operands. */
const shapedTexts: { readonly [name in keyof typeof evaluators]: readonly string[] } = {
  "number field, constant": ["integer_1 < 2", "2 >= integer_2"],
  "text field, constant": ["date_2 <= '2026-03-29'", "leap_day < date_1"],
  "number field, field": ["integer_1 < integer_2"],
  "text field, field": ["date_2 > date_3", "time_1 >= time_2"],
  "number field, path": ["integer_2 <= owner.allowance", "integer_1 > parent.integer_2"],
  numbers: ["integer_2 + 1 < integer_3", "owner.allowance >= user.allowance"],
  texts: ["date_1 + 1 day < date_2", "today >= date_2"],
  "field is a number": ["integer_2 == 3", "3 != integer_1"],
  "field is a text": ["choice_2 == sick", "text_3 != 'a'", "date_1 == leap_day"],
  "field is missing": ["text_2 == null", "helper != null"],
  "is the same": ["text_1 == text_2", "open == owner.active"],
  "path is user": ["owner.manager == user", "user != helper.manager"],
  "field is user": ["owner == user", "helper != user"],
  "field in two": ["choice_2 in [sick, holiday]"],
  "field in several": ["choice_1 in [sick]", "integer_2 in [1, 2, 3]"],
  "number field, constant, then": ["integer_1 < 2 && open", "integer_2 >= 2 || open"],
  "field is a text, then": ["choice_2 == sick && open", "choice_2 != sick || open"],
  "field is missing, then": ["text_2 == null || open", "helper != null && helper.active"],
  "field in two, then": ["choice_2 in [sick, holiday] && open"],
  "number field between": ["integer_1 > 0 && integer_1 <= 5", "2 <= integer_2 && integer_2 < 100"],
  "two conditions": ["open && owner.active", "open || integer_1 < 3"],
  "three conditions": ["open && owner.active && integer_1 < 100", "open || owner.active || integer_2 < 3"],
  "several conditions": ["open || owner.active || integer_2 < 3 || date_2 == null"],
};

/** The functions for common operands, each with a mistake, and expressions that use them. */
const shaped = Object.keys(evaluators).map((name) => ({
  name: name as keyof typeof evaluators,
  texts: shapedTexts[name as keyof typeof evaluators],
}));

/** The number of pairs after which each mistake was noticed, by operation. */
const noticedAfter = new Map<string, Record<string, number>>();
afterAll(() => {
  const { EVIDENCE } = process.env;
  if (EVIDENCE === undefined) return;
  const results = [...operations, ...Object.keys(evaluators)].map((operation) => ({
    operation,
    noticedAfter: noticedAfter.get(operation) ?? {},
  }));
  const measured = new Date().toISOString().slice(0, 10);
  const unit = "pairs of an expression and a record until the comparison of the engines notices the mistake";
  const known = existsSync(EVIDENCE) ? (JSON.parse(readFileSync(EVIDENCE, "utf8")) as object) : {};
  const found = { ...known, measured, unit, of: most * items, results };
  writeFileSync(EVIDENCE, `${JSON.stringify(found, undefined, 2)}\n`);
});

let restore = () => {};
afterEach(() => restore());

test.each(shaped)("a mistake in the function of “$name” is noticed", async ({ name, texts }) => {
  const right = evaluators[name] as Fn;
  restore = () => void Object.assign(evaluators, { [name]: right });
  Object.assign(evaluators, { [name]: wronged(right) });
  const [place] = fc.sample(circumstances(world), { seed: 1, numRuns: 1 });
  if (place === undefined) throw new Error("nothing was sampled");
  for (const text of texts) {
    const { value, findings } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
    if (value === undefined) throw new Error(`${text}: ${findings.map((finding) => finding.message).join(" ")}`);
    const noticed = await difference(value, world, postgres, place);
    expect(noticed, text).toBeDefined();
    noticedAfter.set(name, { function: items });
  }
});

test.each(cases)("$operation with a mistake in $mistake is noticed", async ({ operation, mistake, row, wrong }) => {
  const input = fc.tuple(expressionsOf(operation, 1), circumstances(world));
  const tries = fc.sample(input, { seed: 1, numRuns: most });
  const right = Object.fromEntries(Object.keys(wrong).map((key) => [key, row[key]]));
  restore = () => void Object.assign(row, right);
  Object.assign(row, wrong);
  for (const [nth, [text, place]] of tries.entries()) {
    const { value } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
    if (value === undefined) continue;
    // An engine that throws has noticed too.
    const noticed = await difference(value, world, postgres, place).catch((error: Error) => error.message);
    if (noticed === undefined) continue;
    noticedAfter.set(operation, { ...noticedAfter.get(operation), [mistake]: (nth + 1) * items });
    return;
  }
  expect.unreachable(`${operation} was not noticed`);
});
