import { afterAll, beforeAll, expect, test } from "vitest";
import { compareAsRead, readingOrder, tailored } from "../../src/core/derive/sql/reading-order.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { lowerText } from "../../src/core/expression/operations/conversion-ops.ts";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import { render } from "../../src/core/sql.ts";
import fc from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { thirdOfDay } from "../turns.ts";
import {
  type Circumstances,
  circumstances,
  difference,
  inJs,
  install,
  itemScope,
  operationsIn,
  randomWorld,
} from "./engines.ts";
import { expressions, expressionsOf, operations, sorts } from "./generate.ts";

/** `SEED` and `RUNS` in the environment select others and more. */
const seed = Number(process.env.SEED ?? 1);
/** The operations whose turn it is. The others come up inside of expressions. */
const ofDay = thirdOfDay(operations);
/** Enough for each operation to come up often; more operations need more expressions. */
const runs = Number(process.env.RUNS ?? ofDay.length * 50);
const items = 40;
const world = randomWorld(seed, { User: 6, Item: items, Line: 40 });

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
  await install(world, postgres);
});
afterAll(() => postgres.end());

/** The inputs with which an operation was tried at the top of an expression. */
interface Tried {
  pairs: number;
  /** For each operand, the share of records in which it was missing, once per expression. */
  readonly missing: number[][];
  readonly outcomes: Set<string>;
}
const inputs = new Map<string, Tried>(
  operations.map((operation) => [operation, { pairs: 0, missing: [], outcomes: new Set() }]),
);

const note = (expr: Expr, at: Circumstances): void => {
  for (const operation of operationsIn(expr)) {
    const known = inputs.get(operation);
    if (known) known.pairs += items;
  }
  const top = expr.kind === "call" ? inputs.get(expr.row) : undefined;
  if (expr.kind !== "call" || !top) return;
  expr.args.forEach((arg, i) => {
    if (arg.kind === "constant" || arg.type.kind === "list" || arg.type.kind === "boolean") return;
    const missing = inJs(arg, world, at).filter((value) => value === null).length / items;
    top.missing[i] = [...(top.missing[i] ?? []), missing];
  });
  for (const value of inJs(expr, world, at))
    top.outcomes.add(typeof value === "boolean" ? String(value) : value === null ? "missing" : "there");
};

test(
  "JavaScript and Postgres agree on every expression for every record",
  async () => {
    const some = fc.oneof(
      fc.constantFrom(...sorts).chain((sort) => expressions(sort, 3)),
      fc.constantFrom(...ofDay).chain((operation) => expressionsOf(operation, 1)),
    );
    await fc.assert(
      fc.asyncProperty(some, circumstances(world), async (text, at) => {
        const { value, findings } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
        if (value === undefined) {
          // Only oversized expressions are refused; every other well-typed one is accepted.
          expect(findings.map((finding) => finding.message)).toEqual(["This expression is too complex."]);
          return;
        }
        expect(await difference(value, world, postgres, at), text).toBeUndefined();
        note(value, at);
      }),
      { numRuns: runs, seed },
    );
  },
  Math.max(120_000, runs * 500),
);

test.each(ofDay)("%s was tried often, also with missing values, and gave different results", (operation) => {
  const { pairs, missing, outcomes } = inputs.get(operation) as Tried;
  expect(pairs).toBeGreaterThanOrEqual(1_000);
  for (const parts of missing.filter((item) => item !== undefined))
    expect(parts.reduce((a, b) => a + b, 0) / parts.length).toBeGreaterThanOrEqual(0.1);
  if (outcomes.has("true") || outcomes.has("false")) expect(outcomes).toEqual(new Set(["true", "false"]));
});

test("small letters are the same in both engines", async () => {
  const { rows } = await postgres.query(
    `select string_agg(chr(c) || '>' || translate(lower(chr(c) collate "pg_unicode_fast"), 'ς', 'σ'), '|') as changed
     from generate_series(1, 1114111) c where c not between 55296 and 57343 and lower(chr(c) collate "pg_unicode_fast") <> chr(c)`,
  );
  const changed = new Map(
    String(rows[0]?.changed)
      .split("|")
      .map((pair) => pair.split(">") as [string, string]),
  );
  const different = Array.from({ length: 0x110000 }, (_, point) => point)
    .filter((point) => point > 0 && (point < 0xd800 || point > 0xdfff))
    .map((point) => String.fromCodePoint(point))
    .filter((letter) => letter !== "ς" && lowerText(letter) !== (changed.get(letter) ?? letter));
  expect(different).toEqual([]);
});

test("texts are sorted alike in both engines, in languages with and without an order of their own", async () => {
  const letters = [..."aAbBcdzZäÄöåÅæøéèñšßœвгЯяαωΩ0129 -_.,(&'"];
  const texts = fc.sample(
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 6 }).map((some) => some.join("")),
    { numRuns: 1_000, seed },
  );
  const distinct = [...new Set(texts)];
  for (const locale of ["en", "de-AT", "sv", "da", "nb-NO", "es"]) {
    const { rows } = await postgres.query(
      `select array_agg(one order by one collate ${render(readingOrder(locale)).text}) as sorted from unnest($1::text[]) one`,
      [distinct],
    );
    expect(rows[0]?.sorted, locale).toEqual(distinct.toSorted(compareAsRead(locale)));
  }
});

test("every language with an order of its own has a collation", async () => {
  const { rows } = await postgres.query("select collname as name from pg_collation where collprovider = 'i'");
  const known = new Set(rows.map(({ name }) => name));
  expect([...tailored, "und"].filter((language) => !known.has(`${language}-x-icu`))).toEqual([]);
});
