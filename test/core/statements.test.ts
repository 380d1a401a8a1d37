import { expect, test } from "vitest";
import { sql } from "../../src/core/sql.ts";
import { LastKnownSessions } from "../../src/server/auth/speculative-session.ts";
import { Statements } from "../../src/server/plan/statements.ts";

test("a used statement stays in the cache", () => {
  const statements = new Statements();
  let built = 0;
  const used = () =>
    statements.get(["read", "Book"], () => {
      built++;
      return { sql: sql`select 1`, more: undefined };
    });
  for (let number = 0; number < 5_000; number++) {
    used();
    statements.get(["list", number], () => ({ sql: sql`select 2`, more: undefined }));
  }
  expect(built).toBe(1);
});

test("an unused statement is evicted", () => {
  const statements = new Statements();
  let built = 0;
  const item = () => statements.find(["list"], () => ++built);
  item();
  for (let number = 0; number < 5_000; number++) statements.find(["list", number], () => number);
  item();
  expect(built).toBe(2);
});

test("the user of a used token stays in the cache", () => {
  const sessions = new LastKnownSessions();
  sessions.sawProgram("mine", "me");
  for (let number = 0; number < 20_000; number++) {
    expect(sessions.idOf("mine")).toBe("me");
    sessions.sawProgram(`token ${number}`, "somebody");
  }
  expect(sessions.idOf("token 1")).toBeUndefined();
});
