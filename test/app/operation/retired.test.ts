import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { database, type TestDatabase } from "../../postgres.ts";
import { ninefold, scratch, serveText } from "../program.ts";

/** `ninefold retired` on a database that has retired data. */

const shelf = (fields: string, more = "") => `# Shelf

## 3. Entities and their fields

\`\`\`yaml
Book:
  fields:
    title: text
${fields}${more}
\`\`\`
`;

let store: TestDatabase;
let folder: string;
beforeAll(async () => {
  store = await database();
  folder = await scratch();
  const first = await serveText(
    shelf(
      "    pages:\n      type: integer?\n      max: 900\n    kind:  { type: text?, max: 9 }\n",
      "Author: { fields: { name: text } }",
    ),
    { database: store },
  );
  await store.query(
    `insert into app.book (id, version, created_at, updated_at, title, pages) select gen_random_uuid(), 1, now(), now(), 'Dune', n from generate_series(1, 3) n;
     insert into app.author (id, version, created_at, updated_at, name) values (gen_random_uuid(), 1, now(), now(), 'Ada')`,
  );
  await first.stop();
  await (await serveText(shelf(""), { database: store })).stop();
});
afterAll(() => store.end());

const retired = (...args: readonly string[]) => ninefold(["retired", ...args, "--database", store.url]);

test("it lists everything that has values, with the version that retired it", async () => {
  const { exit, stdout } = await retired("list");
  expect(exit).toBe(0);
  expect(stdout.split("\n").map((line) => line.replace(/ {2,}/gu, " | "))).toEqual([
    expect.stringMatching(/^Author \| entity \| 1 record \| since version 2 \| \d{4}-\d\d-\d\d$/u),
    expect.stringMatching(/^Book\.pages \| field \| 3 records \| since version 2 \| \d{4}-\d\d-\d\d$/u),
    "",
  ]);
  expect(JSON.parse((await retired("--json")).stdout)).toMatchObject([
    { name: "Author", kind: "entity", entity: "Author", field: null, records: 1, version: 2 },
    { name: "Book.pages", kind: "field", entity: "Book", field: "pages", records: 3, version: 2 },
  ]);
});

test("it shows the lines that bring something back", async () => {
  const { exit, stdout } = await retired("bring-back", "Book.pages");
  expect([exit, stdout]).toEqual([
    0,
    `Add these lines of version 1 to point 3, at Book of the specification, and apply it. The values of 3 records come back with it.

    pages:
      type: integer?
      max: 900

Version 1 also has the clauses of other points about it.
`,
  ]);
  expect(JSON.parse((await retired("bring-back", "Author", "--json")).stdout)).toMatchObject({
    lines: "Author: { fields: { name: text } }",
    from: 1,
  });
});

test("it deletes for good only after an export and a confirmation", async () => {
  const path = join(folder, "pages.jsonl");
  expect(await retired("delete", "Book.pages")).toMatchObject({ exit: 2 });
  expect(await retired("delete", "Book.pages", "--export", path)).toMatchObject({ exit: 2 });
  expect(await retired("delete", "Book.title", "--export", path, "--yes")).toMatchObject({ exit: 2 });
  expect(await retired("delete", "Book.pages", "--export", path, "--yes")).toMatchObject({
    exit: 0,
    stdout: `Deleted Book.pages. The values of 3 records are in ${path}.\n`,
  });
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).value).sort()).toEqual([1, 2, 3]);
  expect(await retired("delete", "Author", "--export", path, "--yes")).toMatchObject({ exit: 2 });
  expect((await retired("delete", "Author", "--export", join(folder, "authors.jsonl"), "--yes")).exit).toBe(0);
  expect((await retired("list")).stdout).toBe("There is no retired data.\n");
  const { rows } = await store.query(
    "select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relnamespace = 'app'::regnamespace and (a.attname = 'pages' or c.relname = 'author')",
  );
  expect(rows).toEqual([]);
});
