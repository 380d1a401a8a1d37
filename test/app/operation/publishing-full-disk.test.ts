import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { unpackSources } from "../../../src/core/document/sources.ts";
import { connect, StoreAway } from "../../../src/postgres/database.ts";
import { startEmbedded, toConnectionUrl } from "../../../src/postgres/embedded/index.ts";
import { changeState, createJob, type Job } from "../../../src/postgres/job/job-store.ts";
import { runJob } from "../../../src/postgres/job/run-job.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../../../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../../../src/postgres/schema/prepare-system.ts";
import { compiled } from "../program.ts";
import { fillDisk, mountSmallDisk } from "./small-disk.ts";

const disk = await mountSmallDisk(300);
afterAll(() => disk?.remove());

const stock = (fields: string) => `# Stock

## 3. Entities and their fields
\`\`\`yaml
Item:
  fields:
    name: text
    size: integer
${fields}
\`\`\`
`;

const MANY = 40_000;

describe.skipIf(disk === undefined)("on a disk that fills up (skipped where none can be made)", () => {
  test("a job stops before Postgres has to, the earlier version stays, and the job goes on when there is space", async () => {
    const folder = disk?.folder ?? "";
    const store = await startEmbedded({ folder: join(folder, "data"), name: "disk", demonstration: false });
    const url = toConnectionUrl(store.owner);
    const open = () => connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
    const people = new pg.Pool({ ...store.owner, max: 1 });
    people.on("error", () => undefined);
    /** Works on the job until it ends; a lost connection is that of a Postgres that stopped for lack of space. */
    const work = async (progress: (job: Job) => Promise<void>): Promise<Job> => {
      for (;;) {
        const owner = open();
        let acting = Promise.resolve();
        try {
          const result = await runJob(owner, {
            compile: (packed) => Promise.resolve(compile(unpackSources(packed))),
            folder,
            progress: (job) => {
              acting = acting.then(() => progress(job));
            },
          });
          await acting;
          if (result !== undefined) return result.job;
        } catch (error) {
          if (!(error instanceof StoreAway)) throw error;
        } finally {
          await owner.end();
        }
      }
    };
    try {
      const owner = open();
      const first = compiled(stock(""), "stock.md");
      await prepareSystem(owner, undefined);
      const { hash } = await applyDocument(owner, first.model, first.source);
      await people.query(`insert into app.item (id, version, created_at, updated_at, name, size)
        select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'item ' || n, n from generate_series(1, ${MANY}) n`);
      const note = `    note: { type: text, max: 1000, fill: "name + ' ${"x".repeat(900)}'" }`;
      const { source } = compiled(stock(note), "stock.md");
      await createJob((inside) => owner.transaction(inside), { source, base: hash, person: null, note: "" });
      await owner.end();

      let isFull = false;
      const failed = await work(async ({ phase }) => {
        if (phase !== "backfill" || isFull) return;
        isFull = true;
        await fillDisk(folder, "ballast", 40 * 1024 * 1024);
      });
      expect(failed).toMatchObject({ state: "failed", version: null });
      expect(failed.refused.map(({ says }) => says)).toEqual([
        "The disk of the database has less than 48 MB left. The current version stays live. Free some space, then resume.",
      ]);
      // Readers of the earlier version notice nothing.
      expect((await people.query("select max(number) as number from ninefold.version")).rows).toEqual([{ number: 1 }]);
      expect((await people.query("select count(*)::int as count from app.item")).rows).toEqual([{ count: MANY }]);

      await rm(join(folder, "ballast"));
      await people.query("update app.item set size = 0 where size = 7");
      await changeState(
        async (query) => (await people.query<Record<string, unknown>>(query.text, [...query.values])).rows,
        failed.id,
        "running",
      );
      expect(await work(async () => undefined)).toMatchObject({ state: "done", version: 2, refused: [] });
      const { rows } = await people.query(
        "select count(*)::int as count, count(*) filter (where starts_with(note, name || ' x'))::int as filled, sum(size)::int as sum from app.item",
      );
      expect(rows).toEqual([{ count: MANY, filled: MANY, sum: (MANY * (MANY + 1)) / 2 - 7 }]);
    } finally {
      await people.end();
      await store.stop();
    }
  }, 180_000);
});
