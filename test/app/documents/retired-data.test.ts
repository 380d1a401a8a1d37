import { afterAll, beforeAll, expect, test } from "vitest";
import type { RetiredListJson } from "../../../src/core/wire/authoring/retired.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { authoringOf } from "../authoring.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/** Retired data in the workbench: its list, exports and deletions over HTTP. */

const store = (things: string, more = "") => `# Store

## 3. Entities and their fields
\`\`\`yaml
Thing: { fields: { name: text${things} } }
Box: { fields: { name: text${things === "" ? "" : ", owner: text?"} } }
${more}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, keeper: { members: granted } }
permissions:
  Thing:
    read: [{ role: staff, fields: [name${things === "" ? "" : ", place"}] }, keeper]
    create: [keeper]
  Box:
    read: [{ role: staff, when: name == "Open" }, keeper]
    create: [keeper]
\`\`\`
`;

const withValues = store(", place: text?, price: integer?", "Note: { fields: { text: text } }");

type Person = ApiClient & { readonly id: string };
let files: TestDatabase;
let served: TestServer;
let people: Readonly<Record<"ada" | "kim" | "sam" | "both", Person>>;

beforeAll(async () => {
  files = await database();
  const first = await serveText(withValues, { database: files });
  await files.query(
    `insert into app.thing (id, version, created_at, updated_at, name, place, price) select gen_random_uuid(), 1, now(), now(), 'Thing ' || n, 'Shelf ' || n, n from generate_series(1, 3) n;
     insert into app.box (id, version, created_at, updated_at, name, owner) values (gen_random_uuid(), 1, now(), now(), 'Open', 'Mia');
     insert into app.note (id, version, created_at, updated_at, text) values (gen_random_uuid(), 1, now(), now(), 'Hello')`,
  );
  await first.stop();
  served = await serveText(store(""), {
    database: files,
    authoring: authoringOf,
  });
  people = {
    ada: await served.person("Ada", ["administrator"]),
    both: await served.person("Bo", ["administrator", "keeper"]),
    kim: await served.person("Kim", ["keeper"]),
    sam: await served.person("Sam"),
  };
});
afterAll(async () => {
  await served.stop();
  await files.end();
});

const exportOf = (by: ApiClient, name: string, version = 2) =>
  by.get(`/_/retired/export?${new URLSearchParams({ name, version: String(version) })}`);
const deletion = (by: ApiClient, name: string, version: unknown = 2) => by.post("/_/retired/delete", { name, version });
const listed = async (by: ApiClient) =>
  ((await by.get("/_/retired")).body as RetiredListJson).items.map(({ name, exportable }) => [name, exportable]).sort();
const historyOf = async ({ id }: Person) =>
  (
    await files.query(
      "select action, changes from ninefold.audit where record = $1 and action like '%_retired' order by id",
      [id],
    )
  ).rows;

test("only administrators can list, export and delete it", async () => {
  for (const [somebody, status] of [
    [served.visitor(), 401],
    [people.sam, 403],
    [people.kim, 403],
  ] as const)
    for (const answer of [
      await somebody.get("/_/retired"),
      await exportOf(somebody, "Thing.place"),
      await deletion(somebody, "Thing.place"),
    ])
      expect([answer.status, answer.text.includes("Shelf")]).toEqual([status, false]);
});

test("an administrator can export only what they can read on every record", async () => {
  expect(await listed(people.ada)).toEqual([
    ["Box.owner", false],
    ["Note", true],
    ["Thing.place", true],
    ["Thing.price", false],
  ]);
  expect((await listed(people.both)).map(([, exportable]) => exportable)).toEqual([true, true, true, true]);
  for (const name of ["Box.owner", "Thing.price"]) {
    const refused = await exportOf(people.ada, name);
    expect([refused.status, refused.headers.get("content-disposition")]).toEqual([403, null]);
  }
  const prices = await exportOf(people.both, "Thing.price");
  expect(prices.status).toBe(200);
  expect(
    prices.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).value)
      .sort(),
  ).toEqual([1, 2, 3]);
});

test("an export is a file of lines, and is written to the audit", async () => {
  const places = await exportOf(people.ada, "Thing.place");
  expect([places.headers.get("content-type"), places.headers.get("content-disposition")]).toEqual([
    "application/x-ndjson",
    'attachment; filename="Thing.place.jsonl"',
  ]);
  const lines = places.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ value }) => value).sort()).toEqual(["Shelf 1", "Shelf 2", "Shelf 3"]);
  expect(lines.every(({ id }) => /^[0-9a-f-]{36}$/u.test(id))).toBe(true);
  expect(JSON.parse((await exportOf(people.ada, "Note")).text)).toMatchObject({ text: "Hello" });
  expect(await historyOf(people.ada)).toEqual([
    { action: "export_retired", changes: { retired: "Thing.place", records: 3 } },
    { action: "export_retired", changes: { retired: "Note", records: 1 } },
  ]);
});

test("an unknown name or version gives 404", async () => {
  for (const answer of [
    await exportOf(people.ada, "Thing.name"),
    await exportOf(people.ada, "Thing.place", 1),
    await exportOf(people.ada, "Thing.place\u0000"),
    await people.ada.get("/_/retired/export"),
    await deletion(people.ada, "Thing.place", 1),
  ])
    expect(answer.status).toBe(404);
  expect((await deletion(people.ada, "Thing.place", "two")).status).toBe(400);
  expect((await people.ada.post("/_/retired/delete", [])).status).toBe(400);
});

test("values are deleted for good, which is written to the audit and shown in the account", async () => {
  expect((await deletion(people.ada, "Thing.price")).body).toEqual({ name: "Thing.price", records: 3 });
  expect((await deletion(people.ada, "Note")).body).toEqual({ name: "Note", records: 1 });
  expect((await deletion(people.ada, "Note")).status).toBe(404);
  expect((await listed(people.ada)).map(([name]) => name)).toEqual(["Box.owner", "Thing.place"]);
  expect((await historyOf(people.ada)).slice(2)).toEqual([
    { action: "delete_retired", changes: { retired: "Thing.price", records: 3 } },
    { action: "delete_retired", changes: { retired: "Note", records: 1 } },
  ]);
  expect((await people.ada.get(`/_/people/${people.ada.id}`)).body).toMatchObject({
    history: expect.arrayContaining([expect.objectContaining({ action: "delete_retired", retired: "Note" })]),
  });
  const { rows } = await files.query(
    "select from pg_attribute a join pg_class c on a.attrelid = c.oid where c.relnamespace = 'app'::regnamespace and (a.attname = 'price' or c.relname = 'note')",
  );
  expect(rows).toEqual([]);
  // People continue with the live version.
  expect((await people.kim.get("/api/things")).list().items).toHaveLength(3);
});

test("nothing is deleted while a version is published", async () => {
  await files.query(
    "insert into ninefold.job (base, file, hash, source, note, state) select hash, file, 'x', 'x', '', 'paused' from ninefold.version order by number desc limit 1",
  );
  const refused = await deletion(people.ada, "Thing.place");
  expect([refused.status, refused.problem().code]).toEqual([409, "ALREADY_PUBLISHING"]);
  expect((await listed(people.ada)).map(([name]) => name)).toContain("Thing.place");
});
