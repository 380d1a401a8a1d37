import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteExpiredData } from "../../../src/jobs/delete-expired-data.ts";
import { connect, type Database } from "../../../src/postgres/database.ts";
import { createJob } from "../../../src/postgres/job/job-store.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { hashDocument } from "../../../src/postgres/schema/document-hash.ts";
import { proposeFile } from "../../../src/server/proposals/file-proposals.ts";
import type { TestDatabase } from "../../postgres.ts";
import { compiled, preparedDatabase } from "../program.ts";

/** How long versions and everything around them are kept, and how much space they take (docs/operation.md). */

const shelf = (fields: string) => `# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: text, ${fields} } }
\`\`\`
`;

let store: TestDatabase;
let owner: Database;
let requests: Database;
beforeAll(async () => {
  store = await preparedDatabase();
  owner = connect({ connection: store.url, max: 2, statementTimeout: 60_000 });
  requests = connect({ connection: store.appUrl, max: 1 });
});
afterAll(async () => {
  await Promise.all([owner.end(), requests.end()]);
  await store.end();
});

const publish = async (text: string) => {
  const { model, source } = compiled(text, "shelf.md");
  return { model, applied: await applyDocument(owner, model, source) };
};

/** Bytes of a table with its indexes, for each of its rows. */
const bytesPerRow = async (table: string): Promise<number> => {
  const { rows } = await store.query(
    `select (pg_total_relation_size('ninefold.${table}') / count(*))::int as bytes from ninefold.${table}`,
  );
  return Number(rows[0]?.bytes);
};

const KEPT = ["version", "proposal", "proposal_event", "retired", "former_value", "renaming"];

const counts = async () =>
  Object.fromEntries(
    await Promise.all(
      KEPT.map(async (table) => [table, (await store.query(`select from ninefold.${table}`)).rows.length]),
    ),
  );

test("nothing that belongs to a version is ever deleted automatically, and each row of it is small", async () => {
  await publish(shelf("pages: integer?, place: text?, colour: text?"));
  await store.query(
    "insert into app.book (id, version, created_at, updated_at, title, place) select gen_random_uuid(), 1, now(), now(), 'Book ' || n, 'Hall' from generate_series(1, 2000) n",
  );
  const { model } = await publish(shelf("pages: { type: integer, fill: 4 }, hue: { type: text?, was: colour }"));
  await proposeFile(requests, { source: { file: "shelf.md", text: shelf("pages: text") }, base: 2, model });
  const before = await counts();
  expect(before).toEqual({ version: 2, proposal: 1, proposal_event: 1, retired: 1, former_value: 2000, renaming: 2 });
  await deleteExpiredData(requests, new Date(Date.now() + 100 * 365 * 86_400_000), { trashDays: 30 });
  expect(await counts()).toEqual(before);

  // Measured: 241 bytes.
  expect(await bytesPerRow("former_value")).toBeLessThan(300);

  // Measured: 36 kB for each version of a specification of 83 kB, because Postgres compresses it.
  const names = ["booking", "help-desk", "leave-desk", "lending", "purchasing"];
  const texts = await Promise.all(names.map((name) => readFile(`examples/${name}.md`, "utf8")));
  await store.query("create table ninefold.measured (like ninefold.version including all)");
  await store.query(
    "insert into ninefold.measured (number, file, hash, source) select n, 'x.md', md5(n::text), 'name: ' || n || $1 from generate_series(1, 100) n",
    [texts.join("\n")],
  );
  const measured = await bytesPerRow("measured");
  expect(measured).toBeLessThan(50_000);
  await store.query("drop table ninefold.measured");
});

test("an operator can delete former values: going back then leaves the present ones", async () => {
  const read = async () => (await store.query("select distinct pages, place from app.book")).rows;
  await store.query("delete from ninefold.former_value where version <= 2");
  expect(await read()).toEqual([{ pages: "4", place: "Hall" }]);
  await publish(shelf("pages: integer?, place: text?, hue: text?"));
  expect(await read()).toEqual([{ pages: "4", place: "Hall" }]);
});

test("of jobs, the newest 20 are stored, and no text of one that ended", async () => {
  await store.query(
    `insert into ninefold.job (base, file, hash, source, note, state, ended_at)
     select '', 'shelf.md', n::text, '', '', case when n % 2 = 0 then 'done' else 'abandoned' end, now() from generate_series(1, 30) n`,
  );
  const [last] = await owner.query({
    text: "select hash from ninefold.version order by number desc limit 1",
    values: [],
  });
  const text = shelf("pages: integer");
  const job = await createJob((work) => owner.transaction(work), {
    source: { file: "shelf.md", text },
    base: String(last?.hash),
    person: null,
    note: "",
  });
  const { rows } = await store.query("select id::int, hash from ninefold.job order by id desc");
  expect(rows).toHaveLength(20);
  expect(rows[0]).toEqual({ id: job.id, hash: hashDocument(text) });
  expect(rows.at(-1)).toEqual({ id: job.id - 19, hash: "12" });
});

test("former values go with their records, and proposals a year after they were rejected or withdrawn", async () => {
  await publish(shelf("pages: integer?, place: text?, hue: text?, shade: text?"));
  const { model } = await publish(
    shelf("pages: integer?, place: text?, hue: text?, shade: { type: text, fill: \"'dark'\" }"),
  );
  const former = async () => (await store.query("select from ninefold.former_value")).rows.length;
  const before = await former();
  await store.query("delete from app.book where title like 'Book 1%'");
  const remaining = (await store.query("select from app.book")).rows.length;
  for (const state of ["open", "rejected", "withdrawn"]) {
    const source = { file: `${state}.md`, text: shelf(`${state}: text`) };
    await proposeFile(requests, { source, base: 5, model });
    await store.query(`update ninefold.proposal set state = '${state}' where hash = '${hashDocument(source.text)}'`);
  }
  const proposals = async () =>
    (await store.query("select state from ninefold.proposal order by number")).rows.map(({ state }) => state);
  const all = await proposals();
  await deleteExpiredData(requests, new Date(Date.now() + 364 * 86_400_000), { trashDays: 30 });
  expect([before, await former()]).toEqual([2000, remaining]);
  expect(await proposals()).toEqual(all);
  await deleteExpiredData(requests, new Date(Date.now() + 367 * 86_400_000), { trashDays: 30 });
  expect(await proposals()).toEqual(all.filter((state) => state === "open"));
  const events = (await store.query("select from ninefold.proposal_event")).rows;
  expect(events).toHaveLength((await proposals()).length);
});
