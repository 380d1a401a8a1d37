import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, StoreSlow } from "../../../src/postgres/database.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../../src/postgres/schema/apply-steps.ts";
import { buildTrigramIndexes } from "../../../src/postgres/schema/trigram-indexes.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { compiled, serveText, startProgram } from "../program.ts";

const documentWith = (fields: string) => `# Notes

## 2. Screens
\`\`\`yaml
/notes: { list: Note }
\`\`\`
## 3. Entities
\`\`\`yaml
Note: { fields: { ${fields} } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: member, create: member, update: member } }
\`\`\`
`;
const document = documentWith("title: text, body: text?");
const { model } = compiled(document);

let store: TestDatabase;
/**
 * An open reader, during which a concurrent index cannot become valid, since the reader could still see rows that the
 * index lacks.
 */
let reader: pg.Client;

beforeAll(async () => {
  store = await database();
  await (await serveText(document, { database: store })).stop();
  await store.query(
    "insert into app.note (id, version, created_at, updated_at, title) select uuidv7(), 1, now(), now(), 'note ' || n from generate_series(1, 500) n",
  );
  // A table with one such index gets all of them, whatever its size.
  await store.query("create index by_hand on app.note using gin (lower(title) ninefold.gin_trgm_ops)");
  reader = new pg.Client(store.url);
  await reader.connect();
});
afterAll(async () => {
  await reader.end();
  await store.end();
});

const reads = () => reader.query("begin isolation level repeatable read; select 1");
const leaves = () => reader.query("commit");

/** The indexes for searches, with their validity. */
const indexes = async () => {
  const { rows } = await store.query(
    `select i.relname as name, x.indisvalid as whole, obj_description(i.oid, 'pg_class') is not null as noted
     from pg_index x join pg_class i on i.oid = x.indexrelid where i.relname like 'note\\_\\_words%' order by 1`,
  );
  return rows;
};
const readAll = (...names: readonly string[]) => names.map((name) => ({ name, whole: true, noted: true }));
const patiently = { timeout: 20_000 };
const never = new AbortController().signal;

describe("search indexes", () => {
  test("are built by one of several servers, and block none", async () => {
    await reads();
    const created = buildTrigramIndexes(store.url, model, never);
    await expect.poll(async () => (await indexes()).length, patiently).toBe(1);
    expect(await buildTrigramIndexes(store.url, model, never)).toBe(false);
    expect((await indexes())[0]).toMatchObject({ whole: false });
    await leaves();
    expect(await created).toBe(true);
    expect(await indexes()).toEqual(readAll("note__words_body", "note__words_title"));
    expect(await buildTrigramIndexes(store.url, model, never)).toBe(true);
  });

  test("give way to a change of the document, and are built afterwards", async () => {
    const wider = documentWith("title: text, body: text?, tail: text?");
    const changed = compiled(wider);
    expect(await buildTrigramIndexes(store.url, model, never)).toBe(true);
    const owner = connect({ connection: store.url, max: 1 });
    await applyDocument(owner, changed.model, changed.source);
    await reads();
    const created = buildTrigramIndexes(store.url, changed.model, never).catch((error: unknown) => error);
    await expect.poll(async () => (await indexes()).length, patiently).toBe(3);
    const widest = compiled(documentWith("title: text, body: text?, tail: text?, rank: integer?"));
    // Adding a column needs an exclusive lock.
    await applyDocument(owner, widest.model, widest.source);
    expect(await created).toBeInstanceOf(StoreSlow);
    await leaves();
    await buildTrigramIndexes(store.url, widest.model, never);
    expect(await indexes()).toEqual(readAll("note__words_body", "note__words_tail", "note__words_title"));
    await owner.end();
  });

  test("are built on if a change is refused before it starts", async () => {
    await store.query("drop index app.note__words_body; alter table app.note add column of_somebody_else integer");
    await reads();
    const created = buildTrigramIndexes(store.url, model, never);
    await expect.poll(async () => (await indexes()).some((one) => one.whole === false), patiently).toBe(true);
    const more = compiled(documentWith("title: text, body: text?, tail: text?, rank: integer?, note: text?"));
    const owner = connect({ connection: store.url, max: 1 });
    await expect(applyDocument(owner, more.model, more.source)).rejects.toBeInstanceOf(ChangeRefused);
    await owner.end();
    await leaves();
    expect(await created).toBe(true);
    await store.query("alter table app.note drop column of_somebody_else");
    expect(await indexes()).toEqual(readAll("note__words_body", "note__words_tail", "note__words_title"));
  });

  test("give way to a change that fails on stored data, and are built afterwards", async () => {
    await store.query("drop index app.note__words_body");
    await reads();
    const created = buildTrigramIndexes(store.url, model, never).catch((error: unknown) => error);
    await expect.poll(async () => (await indexes()).some((one) => one.whole === false), patiently).toBe(true);
    const stricter = compiled(documentWith("title: text, body: text?, tail: text?, rank: integer"));
    const owner = connect({ connection: store.url, max: 1 });
    await expect(applyDocument(owner, stricter.model, stricter.source)).rejects.toBeInstanceOf(ChangeRefused);
    await owner.end();
    expect(await created).toBeInstanceOf(StoreSlow);
    await leaves();
    expect((await indexes())[0]).toMatchObject({ name: "note__words_body", whole: false });
    expect(await buildTrigramIndexes(store.url, model, never)).toBe(true);
    expect(await indexes()).toEqual(readAll("note__words_body", "note__words_tail", "note__words_title"));
  });

  test("that are unfinished when the server stops are removed the next time", async () => {
    await store.query("drop index app.note__words_body");
    await reads();
    const stopped = new AbortController();
    const created = buildTrigramIndexes(store.url, model, stopped.signal).catch((error: unknown) => error);
    await expect.poll(async () => (await indexes()).some((one) => one.whole === false), patiently).toBe(true);
    stopped.abort();
    expect(await created).toBeInstanceOf(StoreSlow);
    await leaves();
    expect((await indexes())[0]).toMatchObject({ name: "note__words_body", whole: false });
    expect(await buildTrigramIndexes(store.url, model, never)).toBe(true);
    expect(await indexes()).toEqual(readAll("note__words_body", "note__words_tail", "note__words_title"));
  });

  test("are built after the start: the program responds, and searches, meanwhile", async () => {
    await store.query("drop index app.note__words_body, app.note__words_tail, app.note__words_title");
    await reads();
    const text = documentWith("title: text, body: text?, tail: text?, rank: integer?");
    const program = await startProgram({ text, database: store.url });
    expect((await program.visitor().get("/readyz")).status).toBe(200);
    await expect.poll(async () => (await indexes()).length, patiently).toBe(1);
    expect((await indexes())[0]).toMatchObject({ whole: false });
    await leaves();
    await expect.poll(indexes, patiently).toEqual(readAll("note__words_body", "note__words_tail", "note__words_title"));
    await program.stop();
    expect(program.output()).not.toContain("could not be built");
  });
});
