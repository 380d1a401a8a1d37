import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { example, type Served, type Somebody, serveText } from "../program.ts";

/* Concurrent writes that wait for each other: each takes its locks before writing, so that there are no deadlocks. */

let served: Served;
let employee: Somebody;
let stranger: Somebody;

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
const ROUNDS = 10;
const nextYear = new Date().getUTCFullYear() + 1;

describe("simultaneous requests for the same days", () => {
  test("have one winner each time, and nobody else waits long", async () => {
    const draft = async () =>
      (
        await employee.post("/api/requests", {
          kind: "holiday",
          first_day: `${nextYear}-06-07`,
          last_day: `${nextYear}-06-11`,
        })
      ).record().id;
    const drafts = await Promise.all(Array.from({ length: AT_ONCE }, draft));
    const slowest = { write: 0, read: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      let going = true;
      const reading = (async () => {
        while (going) {
          const begun = performance.now();
          const answer = await stranger.get("/api/public-holidays");
          slowest.read = Math.max(slowest.read, performance.now() - begun);
          expect(answer.status).toBe(200);
        }
      })();
      const begun = performance.now();
      const answers = await Promise.all(
        drafts.map(async (id) => {
          const answer = await employee.post(`/api/requests/${id}/submit`, {});
          return { id, answer };
        }),
      );
      slowest.write = Math.max(slowest.write, performance.now() - begun);
      going = false;
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
    console.info(`overlapping: write ${slowest.write.toFixed(0)} ms, read ${slowest.read.toFixed(0)} ms`);
    expect(await deadlocks()).toBe(0);
    // Far from the half minute that deadlocks would take, even on a busy machine.
    expect(slowest.write).toBeLessThan(10_000);
    expect(slowest.read).toBeLessThan(3_000);
  });
});
