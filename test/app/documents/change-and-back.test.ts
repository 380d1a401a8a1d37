import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { writeBackup } from "../../../src/postgres/backup/backup.ts";
import { restoreBackup } from "../../../src/postgres/backup/restore-backup.ts";
import { connect } from "../../../src/postgres/database.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { openShelf, type Points, shelfText } from "../../change/shelf.ts";
import { readStored } from "../../change/stored.ts";
import { database } from "../../postgres.ts";
import { thirdOfDay } from "../../turns.ts";
import { compiled } from "../program.ts";

/** Each version of a document can be applied and taken back, and the records are as before. */

const shelf = openShelf();
const { insert } = shelf;
const apply = (points: Points) => shelf.apply(shelfText(points));
const refusal = (points: Points) => shelf.refusal(shelfText(points));

const everything = (on = shelf.store) => readStored(on);

const author = "Author: { fields: { name: text } }";
const book = (more = "") => `Book: { fields: { title: text, ${more} } }`;
const states = (more = "") => `Book: { states: [here, gone${more}], transitions: { go: { from: here, to: gone } } }`;

/** Records of a document, by table. `{author}` stands for the id of the first author. */
interface Case {
  readonly name: string;
  readonly from: Points;
  readonly rows: readonly (readonly [table: string, row: Readonly<Record<string, unknown>>])[];
  readonly to: Points;
  readonly says: readonly string[];
  readonly back: readonly string[];
}

const dune = ["book", { title: "Dune" }] as const;
const ADA = "00000000-0000-7000-8000-000000000001";
const ada = ["author", { id: ADA, name: "Ada" }] as const;

const cases: readonly Case[] = [
  {
    name: "a field",
    from: { 3: book("pages: integer?") },
    rows: [["book", { title: "Dune", pages: 412 }], dune],
    to: { 3: book() },
    says: ["3.Book.pages: remove. The values of 1 record are kept as retired data"],
    back: ["3.Book.pages: bring back with the values of 1 record"],
  },
  {
    name: "a required field with an index and a check",
    from: {
      2: "/books: { list: Book, sort: [kind], filters: [kind] }",
      3: book("kind: { type: choice, values: [novel, poems] }, code: { type: text, unique: true }"),
    },
    rows: [["book", { title: "Dune", kind: "novel", code: "D" }]],
    to: { 3: book() },
    says: [
      "3.Book.kind: remove. The values of 1 record are kept as retired data",
      "3.Book.code: remove. The values of 1 record are kept as retired data",
    ],
    back: [
      "3.Book.kind: bring back with the values of 1 record",
      "3.Book.code: bring back with the values of 1 record",
      "3.Book.kind: add a database check",
      "3.Book.code: add index book__unique_code",
      expect.stringMatching(/^2\.\/books: add index/) as never,
      "3.Book.code: allow at most 1000 characters",
    ],
  },
  {
    name: "an entity with its references",
    from: { 3: `${author}\n${book("author: Author?, others: { type: Author, many: true }")}` },
    rows: [ada, ["book", { title: "Dune", author: ADA, others: [ADA] }], ["book", { title: "Emma", others: [] }]],
    to: { 3: book() },
    says: [
      "3.Author: remove. 1 record is kept as retired data",
      "3.Book.author: remove. The values of 1 record are kept as retired data",
      "3.Book.others: remove. The values of 1 record are kept as retired data",
    ],
    back: [
      "3.Author: bring back with 1 record",
      "3.Book.author: bring back with the values of 1 record",
      "3.Book.others: bring back with the values of 1 record",
      "3.Book.author: add index book__ref_author",
      "3.Book.others: add index book__of_others",
      "3.Book.others: add a reference to author",
      "3.Book.others: add index book__links_others__unique_record",
      "3.Book.others: add index book__links_others__by_refers",
      "3.Author.name: allow at most 1000 characters",
    ],
  },
  {
    name: "an entity that refers to one that stays",
    from: { 3: `${author}\n${book("author: Author")}` },
    rows: [ada, ["book", { title: "Dune", author: ADA }], ["book", { title: "Emma", author: ADA }]],
    to: { 3: author },
    says: ["3.Book: remove. 2 records are kept as retired data"],
    back: ["3.Book: bring back with 2 records", "3.Book.title: allow at most 1000 characters"],
  },
  {
    name: "a field of another type",
    from: { 3: book("pages: { type: integer?, max: 900 }") },
    rows: [["book", { title: "Dune", pages: 412 }]],
    to: { 3: book("pages: date?") },
    says: [
      "3.Book.pages: change from integer to date. The values of 1 record are kept as retired data",
      "3.Book.pages: add column pages",
    ],
    back: [
      "3.Book.pages: change from date to integer. No record has a value",
      "3.Book.pages: bring back with the values of 1 record",
      "3.Book.pages: allow at most 900",
    ],
  },
  {
    name: "a plain field that becomes computed, and one that is computed with another",
    from: { 3: book("pages: integer?, sheets: integer?, thick: { type: boolean, computed: pages == null }") },
    rows: [["book", { title: "Dune", pages: 412, sheets: 206 }]],
    to: {
      3: book(
        'pages: date?, sheets: { type: date, computed: "pages + 2 days" }, thick: { type: boolean, computed: pages == null }',
      ),
    },
    says: [],
    back: [],
  },
  {
    name: "states",
    from: { 3: book(), 4: states() },
    rows: [["book", { title: "Dune", state: "gone" }]],
    to: { 3: book() },
    says: ["4.Book: remove. The values of 1 record are kept as retired data"],
    back: ["4.Book: bring back with the values of 1 record", "4.Book: add a database check"],
  },
  {
    name: "states and choices that nobody has",
    from: { 3: book("kind: { type: choice?, values: [novel, poems] }"), 4: states(", lost") },
    rows: [["book", { title: "Dune", state: "here", kind: "novel" }]],
    to: { 3: book("kind: { type: choice?, values: [novel] }"), 4: states() },
    says: [
      "3.Book.kind: remove poems",
      "3.Book.kind: change the database check",
      "4.Book: remove lost",
      "4.Book: change the database check",
    ],
    back: ["3.Book.kind: change the database check", "4.Book: change the database check"],
  },
  {
    name: "states and choices that records have",
    from: {
      2: "/books: { list: Book, sort: [state], filters: [kind] }",
      3: book(
        "kind: { type: choice, values: [novel, poems, essay] }, tags: { type: choice, many: true, values: [old, new, rare] }",
      ),
      4: states(", lost"),
      5: 'Book: [{ rule: "state != lost || kind == essay", else: NO }]',
      8: 'NO: "No."',
    },
    rows: [
      ["book", { title: "Dune", state: "gone", kind: "novel", tags: ["rare", "old", "new"] }],
      ["book", { title: "Emma", state: "lost", kind: "essay", tags: [] }],
      ["book", { title: "Faust", state: "here", kind: "poems", tags: ["new"] }],
    ],
    to: {
      2: "/books: { list: Book, sort: [state], filters: [kind] }",
      3: book(
        "kind: { type: choice, values: [novel, { poems: { was: essay } }] }, tags: { type: choice, many: true, values: [{ old: { was: [new, rare] } }] }",
      ),
      4: "Book: { states: [{ here: { was: [gone, lost] } }] }",
      5: "Book: [{ rule: \"state != here || kind != novel || title == 'Dune'\", else: NO }]",
      8: 'NO: "No."',
    },
    says: [
      "3.Book.kind: remove essay. 1 record gets poems",
      "3.Book.tags: remove new. 2 records get old",
      "3.Book.tags: remove rare. 1 record gets old",
      "4.Book.here: remove gone. 1 record gets here",
      "4.Book.here: remove lost. 1 record gets here",
      "3.Book.kind: change the database check",
      "3.Book.tags: change the database check",
      "4.Book: change the database check",
      "5.Book.NO: add a database check",
      // A list sorted by states follows their order in the document.
      "2./books: add index book__by_kind_state_1jhr6yn",
      "2./books: remove the unused index book__by_kind_state_oqhti0",
    ],
    back: [
      "3.Book.kind: change the database check",
      "3.Book.kind: restore the former values of 1 record",
      "3.Book.tags: change the database check",
      "3.Book.tags: restore the former values of 2 records",
      "4.Book: change the database check",
      "4.Book: restore the former values of 2 records",
      "5.Book.NO: change the database check",
      "2./books: add index book__by_kind_state_oqhti0",
      "2./books: remove the unused index book__by_kind_state_1jhr6yn",
    ],
  },
  {
    name: "a field with another name and type",
    from: { 3: book("pages: integer?") },
    rows: [["book", { title: "Dune", pages: 412 }]],
    to: { 3: book("length: { type: date?, was: pages }") },
    says: [],
    back: [],
  },
  {
    name: "names",
    from: {
      2: "/books: { list: Book, sort: [kind], filters: [kind] }",
      3: `${author}\nBook: { fields: { title: { type: text, unique: true }, author: Author?, others: { type: Author, many: true }, kind: { type: choice, values: [novel, poems] }, number: { type: sequence, pattern: "B-{n:3}" } } }`,
      4: "Book: { states: [here, gone], transitions: { go: { from: here, to: gone } } }",
      5: 'Book: [{ rule: "kind == novel || state != here", else: NO }]',
      6: "roles: { keeper: { members: granted } }",
      8: 'NO: "No."',
      9: "most: 5",
    },
    rows: [
      ada,
      ["book", { title: "Dune", state: "gone", kind: "poems", author: ADA, others: [ADA], number: "B-001" }],
      ["user", { name: "Bea", email: "bea@example.com", roles: ["keeper"] }],
    ],
    to: {
      2: "/novels: { list: Novel, sort: [type], filters: [type] }",
      3: `Writer: { was: Author, fields: { name: text } }\nNovel: { was: Book, fields: { heading: { type: text, unique: true, was: title }, writer: { type: Writer?, was: author }, writers: { type: Writer, many: true, was: others }, type: { type: choice, was: kind, values: [novel, { verses: { was: poems } }] }, no: { type: sequence, pattern: "B-{n:3}", was: number } } }`,
      4: "Novel: { field: { place: { was: state } }, states: [here, { away: { was: gone } }], transitions: { leave: { was: go, from: here, to: away } } }",
      5: 'Novel: [{ rule: "type == novel || place != here", else: NO }]',
      6: "roles: { librarian: { was: keeper, members: granted } }",
      8: 'NO: "No."',
      9: "greatest: { value: 5, was: most }",
    },
    says: [],
    back: [],
  },
  {
    name: "values that became one with a new name",
    from: {
      3: book(
        "kind: { type: choice, values: [novel, poems, essay] }, tags: { type: choice, many: true, values: [old, new, rare] }",
      ),
    },
    rows: [
      ["book", { title: "Dune", kind: "novel", tags: ["rare", "old"] }],
      ["book", { title: "Emma", kind: "essay", tags: ["new", "old"] }],
    ],
    to: {
      3: book(
        "kind: { type: choice, values: [poems, { prose: { was: [novel, essay] } }] }, tags: { type: choice, many: true, values: [{ any: { was: [old, new, rare] } }] }",
      ),
    },
    says: [],
    back: [],
  },
  {
    name: "a choice that gets other values and can have several",
    from: { 3: book("kind: { type: choice, values: [novel, poems, essay] }") },
    rows: [
      ["book", { title: "Dune", kind: "novel" }],
      ["book", { title: "Emma", kind: "essay" }],
    ],
    to: {
      3: book("kind: { type: choice, many: true, values: [poems, { prose: { was: [novel, essay] } }] }"),
    },
    says: [],
    back: [],
  },
  {
    name: "an optional choice that becomes a required text",
    from: { 3: book("kind: { type: choice?, values: [novel, poems, essay] }") },
    rows: [
      ["book", { title: "Dune", kind: "novel" }],
      ["book", { title: "Emma" }],
    ],
    to: { 3: book("kind: { type: text, fill: title }") },
    says: [],
    back: [],
  },
  {
    name: "a field that becomes computed as the same type",
    from: { 3: book("code: { type: text, unique: true }, pages: integer?") },
    rows: [["book", { title: "Dune", code: "D", pages: 412 }]],
    to: { 3: book("code: { type: text, computed: title }, pages: { type: integer, computed: size(title) }") },
    says: [],
    back: [],
  },
  {
    name: "states that became one while their entity and field got other names",
    from: { 3: book(), 4: states(", lost") },
    rows: [
      ["book", { title: "Dune", state: "gone" }],
      ["book", { title: "Emma", state: "lost" }],
    ],
    to: {
      3: "Novel: { was: Book, fields: { title: text } }",
      4: "Novel: { field: { place: { was: state } }, states: [{ here: { was: [gone, lost] } }] }",
    },
    says: [],
    back: [],
  },
  {
    name: "a person's field",
    from: { 3: "User: { fields: { desk: text? } }" },
    rows: [["user", { name: "Ada", email: "ada@example.com", desk: "4" }]],
    to: { 3: "User: { fields: { phone: text? } }" },
    says: [],
    back: [],
  },
];

describe("a removed clause that is brought back", () => {
  test.each(thirdOfDay(cases))("$name", async ({ from, rows, to, says, back }) => {
    await apply(from);
    for (const [table, row] of rows) await insert(table, row);
    const before = await everything();
    const { done } = await apply(to);
    if (says.length > 0) expect(done).toEqual(says);
    expect((await apply(to)).done).toEqual([]);
    const returned = await apply(from);
    if (back.length > 0) expect(returned.done).toEqual(back);
    expect((await apply(from)).done).toEqual([]);
    // Fields that were new in between hold nothing, and the next version drops them.
    await apply({ ...from, 1: "name: Shelf" });
    expect(await everything()).toEqual(before);
    expect(
      (await shelf.store.query("select from ninefold.retired union all select from ninefold.former_value")).rows,
    ).toEqual([]);
  });
});

const titles = async (column: string) =>
  (await shelf.store.query(`select title, ${column} as value from app.book order by title`)).rows.map(
    ({ title, value }) => `${String(title)}: ${String(value)}`,
  );

test("retired data does not affect what people do with the rest", async () => {
  const full = { 3: `${author}\n${book("author: Author, code: { type: text, unique: true }")}` };
  await apply(full);
  await insert(...ada);
  await insert("book", { title: "Dune", author: ADA, code: "D" });
  await apply({ 3: `${author}\n${book()}` });
  await insert("book", { title: "Emma" });
  await shelf.store.query("delete from app.author");
  expect(await titles("author")).toEqual([`Dune: ${ADA}`, "Emma: null"]);
  // A server of the previous version writes as before.
  await insert("book", { title: "Faust", author: ADA, code: "D" });
  expect(await refusal(full)).toEqual([
    "3.Book.author can’t become required: 1 record has no value for it. Add “fill:” with their value.",
    "3.Book.code can’t become required: 1 record has no value for it. Add “fill:” with their value.",
    "3.Book.code can’t become unique: 1 value occurs more than once. Correct the records, or use a rule with “unique” and “where” to compare only some of them.",
    "3.Book.author can’t be brought back as a required field: 2 records refer to a deleted record. Make it optional first.",
  ]);
  const { done } = await apply({ 3: `${author}\n${book("author: Author?, code: text?")}` });
  expect(done).toContain("3.Book.author: remove references to deleted records from 2 records");
  expect(await titles("code")).toEqual(["Dune: D", "Emma: null", "Faust: D"]);
  expect(await titles("author")).toEqual(["Dune: null", "Emma: null", "Faust: null"]);
});

test("lists of references return without those to deleted records", async () => {
  const full = { 3: `${author}\n${book("authors: { type: Author, many: true }")}` };
  await apply(full);
  await insert(...ada);
  const bea = ADA.replace(/1$/u, "2");
  await insert("author", { id: bea, name: "Bea" });
  await insert("book", { title: "Dune", authors: [bea, ADA] });
  await apply({ 3: `${author}\n${book()}` });
  await shelf.store.query("delete from app.author where name = 'Bea'");
  const { done } = await apply(full);
  expect(done).toContain("3.Book.authors: remove references to deleted records from 1 record");
  expect((await shelf.store.query("select authors from app.book")).rows).toEqual([{ authors: [ADA] }]);
  expect((await shelf.store.query("select refers from app.book__links_authors")).rows).toEqual([{ refers: ADA }]);
});

test("a name that is used for something else keeps that use, and each type gets its values back", async () => {
  const pages = (field: string) => ({ 3: book(field) });
  await apply(pages("pages: integer?"));
  await insert("book", { title: "Dune", pages: 412 });
  await apply(pages("pages: text?"));
  await shelf.store.query("update app.book set pages = 'many'");
  await apply(pages(""));
  await apply(pages("pages: date?"));
  await shelf.store.query("update app.book set pages = '2026-01-02'");
  await apply(pages("pages: integer?"));
  expect(await titles("pages")).toEqual(["Dune: 412"]);
  await apply(pages("pages: text?"));
  expect(await titles("pages")).toEqual(["Dune: many"]);
  await apply(pages("pages: date?"));
  expect(await titles("pages::text")).toEqual(["Dune: 2026-01-02"]);
  // Another field takes the name of a retired one.
  await apply(pages("sheets: integer?"));
  await shelf.store.query("update app.book set sheets = 9");
  await apply(pages("pages: { type: integer?, was: sheets }"));
  expect(await titles("pages")).toEqual(["Dune: 9"]);
  expect((await shelf.store.query("select field, column_name from ninefold.retired order by id")).rows).toEqual([
    { field: "pages", column_name: "pages#6" },
    { field: "pages", column_name: "pages#7" },
    { field: "pages", column_name: "pages#8" },
  ]);
});

test("retired data follows a renamed entity, and one that is removed with its fields", async () => {
  await apply({ 3: `${author}\n${book("author: Author?, pages: integer?")}` });
  await insert(...ada);
  await insert("book", { title: "Dune", author: ADA, pages: 412 });
  await apply({ 3: `${author}\n${book()}` });
  await apply({ 3: "Writer: { was: Author, fields: { name: text } }\nNovel: { was: Book, fields: { title: text } }" });
  await apply({ 1: "name: Empty" });
  expect(
    (
      await shelf.store.query(
        "select relname from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' order by 1",
      )
    ).rows,
  ).toEqual(["novel", "user", "writer"].map((relname) => ({ relname })));
  const { done } = await apply({
    3: "Writer: { fields: { name: text } }\nNovel: { fields: { title: text, author: Writer?, pages: integer? } }",
  });
  expect(done.slice(0, 4)).toEqual([
    "3.Writer: bring back with 1 record",
    "3.Novel: bring back with 1 record",
    "3.Novel.author: bring back with the values of 1 record",
    "3.Novel.pages: bring back with the values of 1 record",
  ]);
  expect((await shelf.store.query("select title, author, pages from app.novel")).rows).toEqual([
    { title: "Dune", author: ADA, pages: "412" },
  ]);
});

test("a backup contains retired data", async () => {
  await apply({ 3: `${author}\n${book("author: Author?, pages: integer?, lent: boolean")}` });
  await insert(...ada);
  await insert("book", { title: "Dune", author: ADA, pages: 412, lent: true });
  await apply({ 3: `${author}\n${book("author: Author?, pages: text?")}` });
  await apply({ 3: book() });
  const folder = await mkdtemp(join(tmpdir(), "ninefold-retired-"));
  const copy = await database();
  try {
    await writeBackup(shelf.store.url, join(folder, "backup"), { demonstration: false });
    await restoreBackup(copy.url, join(folder, "backup"), "ninefold_app");
    for (const query of [
      "select to_jsonb(b) as row from app.book b",
      "select to_jsonb(a) as row from app.author a",
      "select to_jsonb(r) as row from ninefold.retired r order by id",
    ])
      expect((await copy.query(query)).rows).toEqual((await shelf.store.query(query)).rows);
    const first = await everything();
    await apply({ 3: `${author}\n${book("author: Author?, pages: integer?, lent: boolean")}` });
    expect(await everything()).not.toEqual(first);
    const there = connect({ connection: copy.url, max: 1, statementTimeout: 60_000 });
    const again = compiled(
      shelfText({ 3: `${author}\n${book("author: Author?, pages: integer?, lent: boolean")}` }),
      "shelf.md",
    );
    await applyDocument(there, again.model, again.source);
    await there.end();
    expect(await everything(copy)).toEqual(await everything());
  } finally {
    await copy.end();
    await rm(folder, { recursive: true });
  }
});

test("a former value returns only if nobody has written the record since", async () => {
  const both = { 3: book(), 4: "Book: { states: [here, gone] }" };
  await apply(both);
  for (const title of ["Dune", "Emma"]) await insert("book", { title, state: "gone" });
  await apply({ 3: book(), 4: "Book: { states: [{ here: { was: gone } }] }" });
  await shelf.store.query(
    `insert into ninefold.audit (at, entity, record, action, clause, document, changes)
     select now() + interval '1 second', 'Book', id, 'update', '4.Book', 2, '{"state": ["here", "here"]}' from app.book where title = 'Emma'`,
  );
  expect((await apply(both)).done).toContain("4.Book: restore the former values of 1 record");
  expect(await titles("state")).toEqual(["Dune: gone", "Emma: here"]);
});

describe("“fill” sets records without a value", () => {
  const filled = (fields: string) => ({ 3: `${author}\n${book(fields)}`, 9: "usual: 100" });

  test("of a new field, and of one that becomes required, which can be undone", async () => {
    await apply(filled("pages: integer?"));
    await insert("book", { title: "Dune", pages: 412 });
    await insert("book", { title: "Emma" });
    const before = await everything();
    const { done } = await apply(
      filled(
        "pages: { type: integer, fill: usual }, sheets: { type: integer, max: 500, fill: pages }, tag: { type: text?, fill: title }",
      ),
    );
    expect(done).toEqual([
      "3.Book.sheets: add column sheets",
      "3.Book.tag: add column tag",
      "3.Book.pages: fill in 1 record",
      "3.Book.pages: make required",
      "3.Book.sheets: fill in 2 records",
      "3.Book.tag: fill in 2 records",
      "3.Book.sheets: allow at most 500",
      "3.Book.tag: allow at most 1000 characters",
    ]);
    expect(await titles("pages || ' ' || sheets || ' ' || tag")).toEqual(["Dune: 412 412 Dune", "Emma: 100 100 Emma"]);
    expect((await apply(filled("pages: integer?"))).done).toContain(
      "3.Book.pages: remove the value of “fill” from 1 record",
    );
    await shelf.store.query("alter table app.book drop column sheets, drop column tag; delete from ninefold.retired");
    expect(await everything()).toEqual(before);
  });

  test("and records outside a narrower bound, which get their values back with a wider one", async () => {
    const fields = (pages: string, title: string, days: string) => ({
      3: `Book: { fields: { title: ${title}, pages: ${pages}, days: ${days} } }`,
    });
    const wide = fields("integer?", "text", "{ type: date, many: true }");
    const middle = fields(
      "{ type: integer?, max: 400, fill: 400 }",
      "{ type: text, max: 7, fill: \"title.before(' ')\" }",
      "{ type: date, many: true, min: 2026-01-01, fill: \"['2026-01-01']\" }",
    );
    const narrow = fields(
      "{ type: integer?, max: 300, fill: pages - 100 }",
      "{ type: text, max: 4, fill: \"'Long'\" }",
      "{ type: date, many: true, min: 2026-01-01 }",
    );
    await apply(wide);
    await insert("book", { title: "Dune", pages: 412, days: ["2026-05-05"] });
    await insert("book", { title: "Emma", pages: null, days: ["2025-05-05", "2026-05-05"] });
    await insert("book", { title: "Ulysses or not", pages: 350, days: [] });
    const before = await everything();
    const all = () => titles("coalesce(pages::text, 'none') || ' ' || days::text");
    expect((await apply(middle)).done).toEqual([
      "3.Book.title: replace the value of 1 record with that of “fill”; the former values are kept",
      "3.Book.pages: replace the value of 1 record with that of “fill”; the former values are kept",
      "3.Book.days: replace the value of 1 record with that of “fill”; the former values are kept",
      "3.Book.title: allow at most 7 characters",
      "3.Book.pages: allow at most 400",
      "3.Book.days: allow at least 2026-01-01",
    ]);
    const between = await everything();
    expect(await all()).toEqual(["Dune: 400 {2026-05-05}", "Emma: none {2026-01-01}", "Ulysses: 350 {}"]);
    expect((await apply(narrow)).done).toContain(
      "3.Book.pages: replace the value of 2 records with that of “fill”; the former values are kept",
    );
    expect(await all()).toEqual(["Dune: 300 {2026-05-05}", "Emma: none {2026-01-01}", "Long: 250 {}"]);
    // The bound of the version in between lets only its own values return.
    expect((await apply(middle)).done).toContain("3.Book.pages: restore the former values of 2 records");
    expect(await everything()).toEqual(between);
    await apply(narrow);
    expect((await apply(wide)).done).toEqual([
      "3.Book.title: restore the former values of 1 record",
      "3.Book.pages: restore the former values of 2 records",
      "3.Book.days: restore the former values of 1 record",
    ]);
    expect(await everything()).toEqual(before);
  });

  test("and records outside the bound of a field that becomes required, or optional", async () => {
    await apply(filled("pages: integer?, sheets: integer"));
    await insert("book", { title: "Dune", pages: 412, sheets: 206 });
    await insert("book", { title: "Emma", sheets: 20 });
    const before = await everything();
    await apply(
      filled("pages: { type: integer, max: 300, fill: usual }, sheets: { type: integer?, max: 200, fill: 200 }"),
    );
    expect(await titles("pages || ' ' || sheets")).toEqual(["Dune: 100 200", "Emma: 100 20"]);
    await apply(filled("pages: integer?, sheets: integer"));
    expect(await everything()).toEqual(before);
  });

  test("a value that nobody has changed since", async () => {
    await apply(filled("pages: integer"));
    await insert("book", { title: "Dune", pages: 412 });
    await insert("book", { title: "Emma", pages: 500 });
    await apply(filled("pages: { type: integer, max: 300, fill: 300 }"));
    await shelf.store.query("update app.book set pages = 200 where title = 'Dune'");
    await apply(filled("pages: integer"));
    expect(await titles("pages")).toEqual(["Dune: 200", "Emma: 500"]);
  });

  test("and a wider bound does not return values that were converted", async () => {
    const title = (field: string) => ({ 3: `Book: { fields: { title: ${field} } }` });
    const converted = "was: { title: text }, fill: \"was.title + '!'\"";
    await apply(title("text"));
    await insert("book", { title: "Dune" });
    await apply(title(`{ type: long text, max: 50, ${converted} }`));
    expect(await titles("title")).toEqual(["Dune!: Dune!"]);
    await apply(title(`{ type: long text, max: 80, ${converted} }`));
    expect(await titles("title")).toEqual(["Dune!: Dune!"]);
  });

  test("within the bounds and rules of the field", async () => {
    await apply(filled(""));
    await insert("book", { title: "Dune" });
    expect(await refusal(filled("pages: { type: integer, max: 50, fill: usual }"))).toEqual([
      "3.Book.pages can’t be limited to at most 50: 1 record has a higher value. “fill” gives no value that fits.",
    ]);
    expect(await refusal(filled("sheets: integer?, pages: { type: integer, fill: sheets }"))).toEqual([
      "3.Book.pages can’t become required: 1 record has no value for it. “fill” gives them none.",
    ]);
  });

  test.each([
    ["a value of another type", "pages: { type: integer, fill: title }", "TYPES_DIFFER"],
    ["`user`, since no request is made", "pages: { type: User, fill: user }", "UNKNOWN_NAME"],
    ["beside “computed”", "pages: { type: integer, computed: size(title), fill: usual }", "BAD_VALUE"],
  ])("and is refused with %s", (_, fields, code) => {
    const { findings } = compile({ file: "shelf.md", text: shelfText(filled(fields)) });
    expect(findings.filter(({ severity }) => severity === "error").map((one) => one.code)).toEqual([code]);
  });
});
