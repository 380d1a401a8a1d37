import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRule } from "../../src/core/rule/check.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { circumstances, difference, install, itemScope, operationsIn, worldOf } from "./engines.ts";
import { expressions, operations, sorts } from "./generate.ts";

const seed = Number(process.env.SEED ?? 1);
const items = 40;
const world = worldOf(seed, { User: 6, Item: items, Line: 40 });

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
  await install(world, postgres);
});
afterAll(() => postgres.end());

const counts = new Map(operations.map((operation) => [operation, 0]));

test("JavaScript and Postgres agree on every expression, for every record", async () => {
  const expression = fc.constantFrom(...sorts).chain((sort) => fc.tuple(expressions(sort, 3), circumstances(world)));
  let pairs = 0;
  await fc.assert(
    fc.asyncProperty(expression, async ([text, given]) => {
      const { value, findings } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
      // What grows too large is refused; nothing else that is well typed is.
      if (!value) expect(findings.map((one) => one.message)).toEqual(["This expression says too much at once."]);
      if (!value) return;
      const differs = await difference(value, world, postgres, given);
      expect(differs, text).toBeUndefined();
      pairs += items;
      for (const operation of operationsIn(value)) counts.set(operation, (counts.get(operation) ?? 0) + items);
    }),
    { numRuns: Number(process.env.RUNS ?? 600), seed, endOnFailure: false },
  );
  console.log(pairs, Object.fromEntries(counts));
}, 120_000);
