import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { cases } from "../../chance.ts";
import { type ApiClient, example, serveText, type TestServer } from "../program.ts";

/* Concurrent writes that wait for each other: each takes its locks before writing, so that there are no deadlocks. */

let served: TestServer;
let employee: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  served = await serveText(await readFile(example("leave-desk"), "utf8"));
  employee = await served.person("Ada");
  stranger = await served.person("Bert");
});

/** The number of deadlocks that Postgres has resolved. */
const deadlocks = async (): Promise<number> => {
  const { rows } = await served.database.query(
    "select deadlocks as n from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0]?.n);
};

const AT_ONCE = 64;
const ROUNDS = cases(4, 10);
const nextYear = new Date().getUTCFullYear() + 1;

describe("simultaneous requests for the same days", () => {
  test("have one winner each time, without a deadlock, and nobody else waits for them", {
    timeout: 120_000,
  }, async () => {
    const draft = async () =>
      (
        await employee.post("/api/requests", {
          kind: "holiday",
          first_day: `${nextYear}-06-07`,
          last_day: `${nextYear}-06-11`,
        })
      ).record().id;
    const drafts = await Promise.all(Array.from({ length: AT_ONCE }, draft));
    let fewestReads = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      let going = true;
      let reads = 0;
      const reading = (async () => {
        while (going) {
          const answer = await stranger.get("/api/public-holidays");
          expect(answer.status).toBe(200);
          if (going) reads++;
        }
      })();
      const answers = await Promise.all(
        drafts.map(async (id) => {
          const answer = await employee.post(`/api/requests/${id}/submit`, {});
          return { id, answer };
        }),
      );
      going = false;
      fewestReads = Math.min(fewestReads, reads);
      await reading;
      const won = answers.filter(({ answer }) => answer.status === 200);
      const others = answers.flatMap(({ answer }) => (answer.status === 200 ? [] : [[answer.status, answer.body]]));
      expect(won.length).toBe(1);
      for (const [status, body] of others) expect([status, body]).toMatchObject([409, { code: "OVERLAP" }]);
      const [winner] = won;
      if (winner === undefined) throw new Error("nobody won");
      expect((await employee.post(`/api/requests/${winner.id}/withdraw`, {})).status).toBe(200);
      drafts.splice(drafts.indexOf(winner.id), 1, await draft());
    }
    expect(await deadlocks()).toBe(0);
    // Reading goes on while the writes wait for each other.
    expect(fewestReads).toBeGreaterThan(0);
  });
});
