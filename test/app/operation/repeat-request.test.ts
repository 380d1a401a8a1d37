import fastify from "fastify";
import pg from "pg";
import { expect, test } from "vitest";
import { StoreRefusal } from "../../../src/postgres/database.ts";
import { canRepeat } from "../../../src/server/http/repeat-request.ts";

/** An error of a statement that another version's tables do not fit. Something may have been written before it. */
const invalid = (): StoreRefusal => {
  const cause = new pg.DatabaseError("relation does not exist", 0, "error");
  cause.code = "42P01";
  return new StoreRefusal(cause);
};

test("after an error of another version, only a creation or a transition with an idempotency key is repeated: nothing acts twice", async () => {
  const app = fastify();
  app.setErrorHandler((error, request, reply) => reply.send({ repeats: canRepeat(error, request) }));
  const fail = (): never => {
    throw invalid();
  };
  app.post("/api/loans", { config: { action: "create", isKeyed: true } }, fail);
  app.post("/api/loans/:id/remind", { config: { action: "remind", isKeyed: true } }, fail);
  app.post("/loans/sweep", { config: { action: "delete all" } }, fail);
  const repeats = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
    (await app.inject({ method: "POST", url, headers, payload: {} })).json<{ readonly repeats: boolean }>().repeats;
  const key = { "idempotency-key": "1" };
  expect(await repeats("/api/loans", key)).toBe(true);
  expect(await repeats("/api/loans")).toBe(false);
  expect(await repeats("/api/loans/7/remind", key)).toBe(true);
  expect(await repeats("/api/loans/7/remind")).toBe(false);
  expect(await repeats("/loans/sweep", key)).toBe(false);
  await app.close();
});
