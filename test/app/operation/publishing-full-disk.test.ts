import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
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
import { compiled, ninefold, scratch } from "../program.ts";
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
  test("a job stops before Postgres has to, the earlier version stays, and the job continues when there is space", async () => {
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

  test("a start says that the disk is full", async () => {
    const [folder, file] = [disk?.folder ?? "", join(await scratch(), "stock.md")];
    await writeFile(file, stock(""));
    await fillDisk(folder, "ballast");
    const ended = await ninefold(["run", file, "--data", join(folder, "data"), "--port", "0"]);
    await rm(join(folder, "ballast"));
    expect([ended.exit, ended.stderr]).toEqual([
      5,
      `The disk of the data folder ${join(folder, "data")} is full.\nFree some space, then start again. What was stored before is unchanged.\n`,
    ]);
  });

  test("a command that fills the disk of a database keeps the earlier version, and resumes when there is space", async () => {
    const folder = disk?.folder ?? "";
    const start = () => startEmbedded({ folder: join(folder, "own"), name: "own", demonstration: false });
    await (await start()).stop();
    // The log is on another disk, as on a server of one's own: otherwise Postgres stops before it refuses a statement.
    const [files, log] = [join(folder, "own", "postgres", "pg_wal"), join(await scratch(), "log")];
    execFileSync("sh", [
      "-c",
      'cp -a "$1" "$2" && rm -r "$1" && ln -s "$2" "$1" && chmod a+x "$(dirname "$2")"',
      "sh",
      files,
      log,
    ]);
    const store = await start();
    const url = toConnectionUrl(store.owner);
    const people = new pg.Pool({ ...store.owner, max: 1 });
    people.on("error", () => undefined);
    try {
      const owner = connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
      const first = compiled(stock(""), "stock.md");
      await prepareSystem(owner, undefined);
      await applyDocument(owner, first.model, first.source);
      await owner.end();
      await people.query(`insert into app.item (id, version, created_at, updated_at, name, size)
        select gen_random_uuid(), 1, now(), now(), 'item ' || n, n from generate_series(1, 20_000) n`);
      const file = join(await scratch(), "stock.md");
      await writeFile(file, stock(`    note: { type: text, max: 1000, fill: "name + ' ${"x".repeat(900)}'" }`));
      await fillDisk(folder, "ballast", 8 * 1024 * 1024);
      const full = await ninefold(["apply", file, "--database", url]);
      expect([full.exit, full.stderr]).toEqual([
        5,
        expect.stringMatching(
          /^The database is out of space \(.*(?:No space left on device|wrote only).*\)\.\nFree some space/mu,
        ),
      ]);
      expect((await people.query("select max(number) as number from ninefold.version")).rows).toEqual([{ number: 1 }]);
      await rm(join(folder, "ballast"));
      const done = await ninefold(["apply", file, "--database", url]);
      expect([done.exit, done.stdout]).toEqual([0, expect.stringMatching(/Version 2 is live\.\n$/u)]);
      const { rows } = await people.query(
        "select count(*)::int as count, count(*) filter (where starts_with(note, name || ' x'))::int as filled from app.item",
      );
      expect(rows).toEqual([{ count: 20_000, filled: 20_000 }]);
    } finally {
      await people.end();
      await store.stop();
    }
  }, 120_000);
});
