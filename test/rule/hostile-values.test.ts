import { afterAll, beforeAll, expect, test } from "vitest";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import { type ValueKind, valueKinds } from "../../src/core/expression/values/value-kinds.ts";
import { identifier, render } from "../../src/core/sql.ts";
import fc from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { thirdOfDay } from "../turns.ts";
import { circumstances, inPostgres, install, itemScope, randomWorld } from "./engines.ts";
import { expressions, expressionsOf, operations, sorts } from "./generate.ts";
import { entities } from "./world.ts";

const world = randomWorld(1, { User: 3, Item: 8, Line: 8 });

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
  await install(world, postgres);
});
afterAll(() => postgres.end());

const update = (what: string) => postgres.query(`UPDATE app.item SET ${what}`);

test("no row within the bounds of its columns makes SQL raise an error", { timeout: 180_000 }, async () => {
  for (const field of entities.get("Item")?.fields.values() ?? []) {
    const { bounds }: ValueKind = valueKinds[field.type.kind];
    // Whole numbers are protected from overflow anyway.
    if (bounds === undefined || field.type.kind === "integer") continue;
    await postgres.query(`ALTER TABLE app.item ADD CHECK (${render(bounds(identifier(field.name))).text})`);
  }
  await update(
    "integer_1 = 9223372036854775807, integer_2 = -9223372036854775808, numbers = '{9223372036854775807, NULL}'",
  );
  await update("decimal_1 = 'NaN', decimal_2 = 'NaN', money_1 = 'NaN', time_1 = '23:59:59.999999'");
  await update("date_1 = '0001-01-01', date_2 = '9999-12-31'");
  await update("datetime_1 = '0001-01-01 00:00+00', datetime_2 = '9999-12-31 23:59:59.999999+00'");
  await update(
    "duration_1 = '250 years 91500 days 2196000 hours', duration_2 = '-250 years -91500 days -2196000 hours'",
  );
  const ofDay = thirdOfDay(operations);
  const some = fc.oneof(
    fc.constantFrom(...sorts).chain((sort) => expressions(sort, 3)),
    fc.constantFrom(...ofDay).chain((operation) => expressionsOf(operation, 1)),
  );
  await fc.assert(
    fc.asyncProperty(some, circumstances(world), async (text, at) => {
      const { value } = readRule(text, { file: "", start: 0, end: text.length }, itemScope);
      if (value !== undefined) await inPostgres(value, postgres, at);
    }),
    { numRuns: 20 * ofDay.length, seed: 1 },
  );
});

test.each([
  "date_1 = 'infinity'",
  "date_1 = '10000-01-01'",
  "date_1 = '0001-12-31 BC'",
  "datetime_1 = '10000-01-01 00:00+00'",
  "datetime_1 = '-infinity'",
  "duration_1 = '251 years'",
  "duration_1 = '91501 days'",
])("the bounds of columns refuse %s", async (what) => {
  await expect(update(what)).rejects.toThrow("violates check constraint");
});
