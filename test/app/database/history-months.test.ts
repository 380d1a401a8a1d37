import { afterAll, beforeAll, expect, test } from "vitest";
import { constant, render, sql } from "../../../src/core/sql.ts";
import { connect } from "../../../src/postgres/database.ts";
import { partitionHistory, prepareMonths } from "../../../src/postgres/schema/history-months.ts";
import { isSince } from "../../../src/server/plan/history/lines.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { preparedDatabase, serveText, type TestServer } from "../program.ts";

/* The history is divided into months, while people work, and without an effect on any answer. */

const document = `
## 3. Entities
\`\`\`yaml
Note:
  fields: { text: text, nth: integer }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Note: { read: [staff], create: [staff], update: [staff], delete: [staff] }
\`\`\`
`;

let store: TestDatabase;
let served: TestServer;
beforeAll(async () => {
  store = await database();
  served = await serveText(document, { database: store });
});
afterAll(async () => {
  await served.stop();
  await store.end();
});

const rowsOf = async (of: TestDatabase, text: string) => (await of.query(text)).rows;
const partitions = async (of: TestDatabase) =>
  (
    await rowsOf(
      of,
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ninefold.audit'::regclass order by 1",
    )
  ).map(({ name }) => String(name).replace("ninefold.", ""));
const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 24_001;

test("a table with lines becomes the first partition while people write, and no line or write is lost", async () => {
  const old = await preparedDatabase();
  const insert = `insert into ninefold.audit (entity, record, action, clause, document, changes) values ('Note', uuidv7(), 'update', '3', 1, '{}') returning id`;
  const [first, owner] = [connect({ connection: old.appUrl, max: 2 }), connect({ connection: old.url, max: 2 })];
  const written: number[] = [];
  let isOn = true;
  const writer = (async () => {
    while (isOn) written.push(Number((await first.query({ name: "line", text: insert, values: [] }))[0]?.id));
  })();
  while (written.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await partitionHistory(owner, new Date("2026-11-28T12:00:00Z"))).toBe(true);
  const enough = async () => {
    const before = written.length;
    while (written.length < before + 20) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await enough();
  // Few lines need no partition of their own. With enough, the first call makes one, and the second goes into it.
  await prepareMonths(first, new Date("2026-11-28T12:00:00Z"));
  expect(await partitions(old)).toEqual(["audit_before"]);
  for (let call = 0; call < 2; call++) await prepareMonths(first, new Date("2026-11-28T12:00:00Z"), 1);
  await enough();
  isOn = false;
  await writer;
  expect(await partitions(old)).toEqual(["audit_322", "audit_323", "audit_before"]);
  const lines = await rowsOf(old, "select id, tableoid::regclass::text as of from ninefold.audit order by id");
  expect(lines.map(({ id }) => Number(id))).toEqual(written);
  expect(new Set(lines.map((line) => line.of))).toEqual(new Set(["ninefold.audit_before", "ninefold.audit_322"]));
  // A second start.
  expect(await partitionHistory(owner, new Date("2026-11-28T12:00:00Z"))).toBe(true);
  await expect(first.query({ text: "select from ninefold.audit_before", values: [] })).rejects.toThrow(
    "permission denied",
  );
  for (const table of ["audit", "audit_before", "audit_322"])
    for (const act of [`delete from ninefold.${table}`, `truncate ninefold.${table}`])
      await expect(old.query(act)).rejects.toThrow("append only");
  await Promise.all([first.end(), owner.end()]);
  await old.end();
});

test("a start goes on without partitions if somebody uses the table all the time, and the next one adds them", async () => {
  const old = await preparedDatabase();
  const owner = connect({ connection: old.url, max: 1 });
  const reader = connect({ connection: old.appUrl, max: 1 });
  await reader.transaction(async (query) => {
    await query({ text: "select from ninefold.audit", values: [] });
    expect(await partitionHistory(owner, new Date(), 2)).toBe(false);
  });
  expect(await partitions(old)).toEqual([]);
  expect(await partitionHistory(owner, new Date())).toBe(true);
  await Promise.all([reader.end(), owner.end()]);
  await old.end();
});

test("a history over several months is complete, and opens only the months since its record was created", async () => {
  const ada = await served.person("Ada");
  const { id } = (await ada.post("/api/notes", { text: "one", nth: 0 })).record();
  const requests = connect({ connection: store.appUrl, max: 1 });
  const year = new Date().getUTCFullYear() + 1;
  for (const [nth, month] of [`${year}-01`, `${year}-02`, `${year}-05`].entries()) {
    // The first call adds the partition, the second one goes into it, as in the hours of a month.
    for (const day of ["04", "05"]) await prepareMonths(requests, new Date(`${month}-${day}T00:00:00Z`), 0);
    expect((await ada.patch(`/api/notes/${id}`, { nth: nth + 1 })).status).toBe(200);
  }
  // A clock that was set back.
  await prepareMonths(requests, new Date(`${year}-03-01T00:00:00Z`), 0);
  expect((await ada.patch(`/api/notes/${id}`, { nth: 9 })).status).toBe(200);
  const lines = await rowsOf(
    store,
    `select id, tableoid::regclass::text as of from ninefold.audit where record = '${id}' order by id`,
  );
  expect(lines.slice(1).map((line) => line.of)).toEqual(
    ["01", "02", "05", "05"].map((month) => `ninefold.audit_${numberOf(`${year}-${month}`)}`),
  );
  expect((await ada.get(`/api/notes/${id}/history`)).history()).toHaveLength(5);
  const since = `${year}-02-20T00:00:00Z`;
  const plan = await rowsOf(
    store,
    `explain (analyze, costs off) select from ninefold.audit where record = '${id}' and ${render(isSince(sql`id`, sql`uuidv7(${constant(since)}::timestamptz - now())`)).text} order by id desc limit 200`,
  );
  const skipped = plan.map((row) => String(row["QUERY PLAN"])).filter((line) => line.includes("never executed"));
  expect(skipped.some((line) => line.includes("audit_before"))).toBe(true);
  await requests.end();
});
