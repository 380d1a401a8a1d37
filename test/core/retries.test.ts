import pg from "pg";
import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { StoreAway, StoreRefusal } from "../../src/postgres/database.ts";
import { type RetryPolicy, withRetries } from "../../src/postgres/with-retries.ts";
import {
  CONFLICT_DELAY_MS,
  GENERATED_VALUE_ATTEMPTS,
  PreparedNames,
  RACE_ATTEMPTS,
  retryGeneratedValues,
  retryHeldLocks,
  retryRaces,
} from "../../src/server/execution/retries.ts";
import { EarlyLocks, requireLocks } from "../../src/server/plan/transaction/early-locks.ts";

/* Each policy defines the errors after which a write is retried, how often, and with which delay. */

const refused = (code: string, { message = "refused", constraint }: { message?: string; constraint?: string } = {}) => {
  const error = new pg.DatabaseError(message, message.length, "error");
  error.code = code;
  if (constraint !== undefined) error.constraint = constraint;
  return new StoreRefusal(error);
};

/** Fails with the errors in order and then succeeds. `waits`: the delays in between. */
const attempts = async (policies: readonly RetryPolicy[], errors: readonly unknown[]) => {
  const left = [...errors];
  const waits: number[] = [];
  const result = await withRetries(
    policies,
    async () => {
      if (left.length > 0) throw left.shift();
      return "done";
    },
    async (milliseconds) => waits.push(milliseconds),
  ).catch((error: unknown) => error);
  return { result, waits, left: left.length };
};

test("successful work runs once, and an unknown error is thrown unchanged", async () => {
  expect(await attempts([retryRaces], [])).toEqual({ result: "done", waits: [], left: 0 });
  const away = new StoreAway("away");
  expect(await attempts([retryRaces], [away, away])).toEqual({ result: away, waits: [], left: 1 });
});

test("a deadlock or a lost race is retried after growing pauses, six times in all", async () => {
  for (const code of ["40P01", "40001"]) {
    const race = refused(code);
    const { result, waits } = await attempts([retryRaces], [race, race, race]);
    expect(result).toBe("done");
    expect(waits.length).toBe(3);
    for (const [i, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(CONFLICT_DELAY_MS * (i + 1));
    const exhausted = await attempts([retryRaces], Array(RACE_ATTEMPTS + 2).fill(race));
    expect(exhausted).toMatchObject({ result: race, left: 2 });
  }
  expect(retryRaces(refused("23505"), 1)).toBeUndefined();
});

test("a random value is drawn again only for its own constraint, twenty times in all", async () => {
  const policy = retryGeneratedValues((constraint) => constraint === "article_slug_key");
  const duplicate = refused("23505", { constraint: "article_slug_key" });
  expect(await attempts([policy], [duplicate, duplicate])).toEqual({ result: "done", waits: [], left: 0 });
  const others = refused("23505", { constraint: "article_title_key" });
  expect(await attempts([policy], [others])).toMatchObject({ result: others });
  expect(await attempts([policy], Array(GENERATED_VALUE_ATTEMPTS + 1).fill(duplicate))).toMatchObject({
    result: duplicate,
    left: 1,
  });
});

test("the next attempt takes a busy lock first, without using up the attempts of a race", async () => {
  const { model } = compile({
    file: "desk.md",
    text: "# Desk\n\n## 3. Entities\n\n```yaml\nNote: { fields: { it: text } }\n```\n",
  });
  if (model === undefined) throw new Error("no model");
  const beforehand = new EarlyLocks();
  const heldBy = (key: string): unknown => {
    try {
      requireLocks(model, [{ held: false, name: "Note", key, alone: true }]);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const race = refused("40001");
  const policies = [retryHeldLocks(beforehand), retryRaces];
  const errors = [heldBy("1"), heldBy("2"), ...Array(RACE_ATTEMPTS - 1).fill(race)];
  expect(await attempts(policies, errors)).toMatchObject({ result: "done" });
  expect(beforehand.queries.map(({ values }) => JSON.parse(String(values[0])))).toEqual([
    [
      { name: "Note", key: "1", alone: true },
      { name: "Note", key: "2", alone: true },
    ],
  ]);
  // Waits only if the attempt found no new lock.
  const idle = await attempts([retryHeldLocks(beforehand)], [heldBy("3"), heldBy("3")]);
  expect(idle.waits.length).toBe(1);
});

test("a stale prepared statement is sent once more, without its name", async () => {
  const names = new PreparedNames();
  const stale = refused("0A000", { message: "cached plan must not change result type" });
  expect(names.used).toBe(true);
  expect(await attempts([names.retry], [stale])).toMatchObject({ result: "done", waits: [] });
  expect(names.used).toBe(false);
  expect(await attempts([names.retry], [stale])).toMatchObject({ result: stale });
});
