import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { type Answer, type ApiClient, type Program, startProgram } from "../program.ts";

const desk = (fields: string) => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text${fields} } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: [member], create: [member], update: [member], delete: [member] } }
\`\`\`
`;

/** Two servers on one database with separate files, as on two machines. */
let store: TestDatabase;
let one: Program;
let two: Program;
let atOne: ApiClient;
let atTwo: ApiClient;

beforeAll(async () => {
  store = await database();
  const secret = join(await mkdtemp(join(tmpdir(), "ninefold-")), "password");
  await writeFile(secret, "correct horse battery");
  const args = ["--admin-email", "chief@example.com", "--admin-password-file", secret];
  one = await startProgram({ text: desk(""), database: store.url, args });
  two = await startProgram({ text: desk(""), database: store.url });
  atOne = await one.signIn("chief@example.com", "correct horse battery");
  atTwo = await two.signIn("chief@example.com", "correct horse battery");
});

/** Applies a change at one of them; repeats it if the database is briefly unavailable. */
const apply = async (who: ApiClient, fields: string): Promise<Answer> => {
  for (;;) {
    const { hash, files } = (await who.get("/_/document")).body as DocumentJson;
    const input = { base: hash, files: files.map(({ file }) => ({ file, text: desk(fields) })) };
    const answer = await who.post("/_/document", input);
    if (answer.status !== 503) return answer;
    await sleep(1_000);
  }
};

/** Milliseconds until both report this version. */
const bothRun = async (version: number): Promise<number> => {
  for (const from = Date.now(); ; await sleep(20)) {
    const stands = await Promise.all([one, two].map((program) => program.visitor().get("/readyz")));
    if (stands.every(({ status, body }) => status === 200 && (body as { version: number }).version === version))
      return Date.now() - from;
    if (Date.now() - from > 60_000) throw new Error(stands.map(({ text }) => text).join(" "));
  }
};

test("a page that asks another server hears of what it has missed, and of nothing twice", async () => {
  const changes = async (at: ApiClient, after = "") => (await at.get(`/_/changes${after}`)).body as ChangesJson;
  const { at: start } = await changes(atOne);
  await atOne.post("/api/notes", { text: "written at one" });
  const told = await changes(atTwo, `?after=${start}`);
  expect(told.changed).toEqual(["Note"]);
  let isTold = false;
  const waiting = changes(atOne, `?after=${told.at}`).finally(() => {
    isTold = true;
  });
  await sleep(700);
  expect(isTold).toBe(false);
  await atTwo.post("/api/notes", { text: "written at two" });
  expect((await waiting).changed).toEqual(["Note"]);
});

/** Less than the polling interval, so the server was notified. */
const TOLD = 12_000;

test("a version published at one server is in force at the other without a restart, and in its file", async () => {
  await atTwo.post("/api/notes", { text: "before" });
  expect((await apply(atOne, ", due: date?")).status).toBe(200);
  expect(await bothRun(2)).toBeLessThan(TOLD);
  const created = await atTwo.post("/api/notes", { text: "after", due: "2026-01-01" });
  expect([created.status, created.record().due, created.headers.get("ninefold-version")]).toEqual([
    201,
    "2026-01-01",
    "2",
  ]);
  for (const program of [one, two]) expect(await readFile(program.file, "utf8")).toBe(desk(", due: date?"));
  // And back the other way.
  expect((await apply(atTwo, ", due: date?, size: integer?")).status).toBe(200);
  expect(await bothRun(3)).toBeLessThan(TOLD);
  expect((await atOne.post("/api/notes", { text: "third", size: 3 })).record().size).toBe(3);
});

test("of two people who change the same text at two servers, one learns that it was changed", async () => {
  const answers = await Promise.all([
    apply(atOne, ", due: date?, size: integer?, a: text?"),
    apply(atTwo, ", due: date?, size: integer?, b: text?"),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.problem().code).toBe("DOCUMENT_CHANGED");
  await bothRun(4);
  const [first, second] = await Promise.all([one, two].map((program) => readFile(program.file, "utf8")));
  expect(first).toBe(second);
});

test("a server that reconnects finds the notices that it missed", async () => {
  const ended = await store.query(
    "select count(pg_terminate_backend(pid)) as n from pg_stat_activity where datname = current_database() and query ilike 'listen %'",
  );
  expect(Number(ended.rows[0]?.n)).toBe(2);
  expect((await apply(atOne, ", due: date?, size: integer?, a: text?, b: text?, c: text?")).status).toBe(200);
  expect(await bothRun(5)).toBeLessThan(TOLD);
});

test("a client that waits for changes gets a response, and nothing of the old application remains", async () => {
  const { at } = (await atTwo.get("/_/changes")).body as ChangesJson;
  const waiting = atTwo.get(`/_/changes?after=${at}`);
  const from = Date.now();
  const requests = Array.from({ length: 20 }, () => atTwo.get("/api/notes"));
  await apply(atOne, ", due: date?, size: integer?, a: text?, b: text?, c: text?, d: text?");
  expect((await Promise.all(requests)).every(({ status }) => status === 200)).toBe(true);
  expect((await waiting).status).toBe(200);
  // The old document had no changes; a waiting client repeats its request under the new one.
  expect((await waiting).body).toMatchObject({ changed: [] });
  expect(Date.now() - from).toBeLessThan(20_000);
  expect((await atTwo.get(`/_/changes?after=${at}`)).body).toMatchObject({ changed: null });
  await bothRun(6);
  expect((await two.stop()).exit).toBe(0);
  expect((await one.stop()).exit).toBe(0);
  await store.end();
});
