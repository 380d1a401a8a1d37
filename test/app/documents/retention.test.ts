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

test("notifications and outgoing calls are deleted after a time, also those that nobody reads and that no program took", async () => {
  const day = 86_400_000;
  const now = new Date();
  const ago = (days: number) => new Date(now.getTime() - days * day).toISOString();
  const idOf = (days: number) =>
    `uuidv7(make_interval(days => ${-days}) + make_interval(secs => extract(epoch from '${now.toISOString()}'::timestamptz - now())))`;
  for (const [days, read] of [
    [1, null],
    [364, null],
    [367, null],
    [200, 89],
    [200, 91],
    [700, 1],
  ] as const)
    await store.query(
      `insert into ninefold.notification (id, person, at, text, entity, record, clause, read_at)
       values (${idOf(days)}, gen_random_uuid(), $1, $2, 'Book', gen_random_uuid(), '4.Book.lend', $3)`,
      [ago(days), `${days} ${read}`, read === null ? null : ago(read)],
    );
  for (const [days, state, done] of [
    [700, "waiting", null],
    [364, "given up", null],
    [367, "given up", null],
    [60, "done", 29],
    [60, "done", 31],
  ] as const)
    await store.query(
      `insert into ninefold.outbox (id, call, payload, entity, record, clause, at, next_at, state, done_at)
       values (${idOf(days)}, $4, '{}', 'Book', gen_random_uuid(), '4.Book.lend', $1, $1, $2, $3)`,
      [ago(days), state, done === null ? null : ago(done), `${days} ${state}`],
    );
  await deleteExpiredData(requests, now, { trashDays: 30 });
  const texts = (await store.query("select text from ninefold.notification order by at")).rows.map(({ text }) => text);
  expect(texts).toEqual(["700 1", "364 null", "200 89", "1 null"]);
  const calls = (await store.query("select call from ninefold.outbox order by at")).rows.map(({ call }) => call);
  expect(calls).toEqual(["700 waiting", "364 given up", "60 done"]);
});

test("expired notifications and calls are found by an index among those that are kept", async () => {
  await store.query(
    `insert into ninefold.notification (person, at, text, entity, record, clause, read_at)
       select gen_random_uuid(), now(), 'A text', 'Book', gen_random_uuid(), '4.Book.lend', now() from generate_series(1, 20000)`,
  );
  await store.query(
    `insert into ninefold.outbox (call, payload, entity, record, clause, at, next_at, state, done_at)
       select 'tell', '{}', 'Book', gen_random_uuid(), '4.Book.lend', now(), now(), 'done', now() from generate_series(1, 20000)`,
  );
  await store.query("analyze ninefold.notification, ninefold.outbox");
  const planOf = async (text: string) => JSON.stringify((await store.query(`explain (costs off) ${text}`)).rows);
  expect(await planOf("delete from ninefold.notification where read_at < now() - interval '90 days'")).toContain(
    "notification_read",
  );
  expect(
    await planOf("delete from ninefold.outbox where state = 'done' and done_at < now() - interval '30 days'"),
  ).toContain("outbox_done");
});
