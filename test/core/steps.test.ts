import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import type { Table } from "../../src/core/derive/tables/table.ts";
import { buildTables } from "../../src/core/derive/tables/tables.ts";
import { stepsBetween } from "../../src/core/migration/diff.ts";
import type { MigrationStep } from "../../src/core/migration/migration-step.ts";
import { planMigration } from "../../src/core/migration/plan-migration.ts";

const tables = (three: string, more: { readonly [point: number]: string } = {}): readonly Table[] => {
  const text = `# T\n${Object.entries({ 3: three, ...more })
    .map(([point, yaml]) => `\n## ${point}. P\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`)
    .join("")}`;
  const { model, findings } = compile({ file: "t.md", text });
  if (model === undefined) throw new Error(JSON.stringify(findings, undefined, 1));
  return buildTables(model).filter(({ name }) => name !== "user");
};

const book = (fields: string) => tables(`Book: { fields: { ${fields} } }`);
const says = (steps: readonly MigrationStep[]) => steps.map((step) => step.says);
/** The whole migration, with what is retired. */
const planned = (actual: readonly Table[], wanted: readonly Table[]): readonly MigrationStep[] =>
  planMigration({
    actual,
    retired: [],
    wanted,
    model: compile({ file: "t.md", text: "# T\n\n## 3. P\n\n```yaml\nnone\n```\n" }).model ?? raise(),
    before: null,
    isNew: false,
    moment: { version: 2, person: null },
  }).steps;
const raise = (): never => {
  throw new Error("no model");
};
/** The statements for the database, without the comments that name clauses. */
const runs = (steps: readonly MigrationStep[]) =>
  steps.flatMap(({ run }) => run.split(";\n").filter((statement) => !statement.startsWith("comment on")));

describe("the way from the tables that are there to those that the document wants", () => {
  test("is empty where they are the same", () => {
    const same = book("title: { type: text, unique: true }, kind: { type: choice, values: [a] }, next: Book?");
    expect(stepsBetween(same, same)).toEqual([]);
  });

  test("makes tables first, then what holds between them, so that they may refer to one another", () => {
    const both = tables("Book: { fields: { shelf: Shelf } }\nShelf: { fields: { best: Book? } }");
    expect(says(stepsBetween([], both))).toEqual([
      "3.Book: create table book",
      "3.Shelf: create table shelf",
      "3.Book.shelf: add a reference to shelf",
      expect.stringMatching(/^3\.Book\.shelf: add index /),
      "3.Shelf.best: add a reference to book",
      expect.stringMatching(/^3\.Shelf\.best: add index /),
    ]);
  });

  test("writes a table with its columns and constraints under the document's names", () => {
    const [create] = runs(stepsBetween([], book("title: text, blurb: text?, lent: boolean")));
    expect(create).toBe(`create table "app"."book" (
  "id" uuid primary key,
  "version" integer not null default 1,
  "created_at" timestamp(3) with time zone not null,
  "updated_at" timestamp(3) with time zone not null,
  "title" text collate "pg_unicode_fast" not null,
  "blurb" text collate "pg_unicode_fast",
  "lent" boolean not null default false
)`);
  });

  test("notes on everything the clause that it comes from", () => {
    const [{ run } = { run: "" }] = stepsBetween([], book("title: text"));
    expect(run).toContain(`comment on table "app"."book" is 'clause 3.Book'`);
    expect(run).toContain(`comment on column "app"."book"."title" is 'clause 3.Book.title'`);
  });

  test("quotes names and texts, so that none of them is a statement", () => {
    const [create] = runs(stepsBetween([], tables("Order: { fields: { select: text, group: Order? } }")));
    expect(create).toContain(`create table "app"."order" (`);
    expect(create).toContain(`"select" text collate`);
  });

  test("adds a column, and asks first whether records would lack it", () => {
    const steps = stepsBetween(book("title: text"), book("title: text, place: text"));
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({
      says: "3.Book.place: add column place",
      unless: { count: `select count(*)::int from "app"."book"` },
    });
    expect(steps[0]?.unless?.says(1)).toBe(
      "3.Book.place can’t be added as a required field: 1 record has no value for it. Make it optional, or add “fill:” with their value.",
    );
    expect(steps[0]?.unless?.says(2)).toContain("2 records have no value");
  });

  test("asks nothing before what no record could break: an optional column, a boolean, less than there was", () => {
    const steps = stepsBetween(book("title: text"), book("title: text?, blurb: text?, lent: boolean"));
    expect(steps.map(({ says, unless }) => [says, unless])).toEqual([
      ["3.Book.title: make optional", undefined],
      ["", undefined],
      ["3.Book.blurb: add column blurb", undefined],
      ["3.Book.lent: add column lent", undefined],
    ]);
  });

  test("holds the bounds of a type without a word, for the document says nothing of them", () => {
    const steps = stepsBetween(book("title: text"), book("title: text, day: date?"));
    expect(steps.map((step) => step.says)).toEqual(["3.Book.day: add column day", ""]);
    expect(steps[1]?.run).toContain("0001-01-01");
  });

  test("needs what could be missing where nothing misses it", () => {
    const steps = stepsBetween(book("title: text?"), book("title: text"));
    expect(steps).toMatchObject([
      {
        says: "3.Book.title: make required",
        run: `alter table "app"."book" alter column "title" set not null`,
        unless: { count: `select count(*)::int from "app"."book" where "title" is null` },
      },
    ]);
  });

  test("widens a choice, and asks whether records have a value that is removed", () => {
    const kind = (values: string) => book(`kind: { type: choice, values: [${values}] }`);
    expect(says(stepsBetween(kind("a, b"), kind("b, c, a")))).toEqual(["3.Book.kind: change the database check", ""]);
    const steps = stepsBetween(kind("a, b, c"), kind("b, d"));
    expect(steps.map((step) => [step.says, step.unless?.says(2)])).toEqual([
      [
        "3.Book.kind: remove a",
        "3.Book.kind no longer allows a, but 2 records have it. Add “was: a” to the value that they get, such as “{ b: { was: a } }”.",
      ],
      [
        "3.Book.kind: remove c",
        "3.Book.kind no longer allows c, but 2 records have it. Add “was: c” to the value that they get, such as “{ b: { was: c } }”.",
      ],
      ["3.Book.kind: change the database check", undefined],
      ["", undefined],
    ]);
  });

  test("retires what the document no longer has, and drops nothing", () => {
    const before = tables(
      "Book: { fields: { title: text, pages: integer, best: Shelf? } }\nShelf: { fields: { name: text } }",
    );
    const steps = planned(before, book("pages: text?"));
    expect(steps.map((step) => step.writes?.says(2) ?? step.says)).toEqual([
      "3.Book.title: remove. The values of 2 records are kept as retired data",
      "3.Book.pages: change from bigint to text. The values of 2 records are kept as retired data",
      "3.Book.best: remove. The values of 2 records are kept as retired data",
      "3.Shelf: remove. 2 records are kept as retired data",
      "3.Book.pages: add column pages",
      "3.Book.pages: convert the values of 2 records",
    ]);
    expect(runs(steps)).not.toContainEqual(expect.stringMatching(/drop (?:table|column)/u));
  });

  test("whatever the two are, no step drops a table or a column", () => {
    const all = [
      book("title: text"),
      book("title: { type: text, unique: true }, kind: { type: choice, values: [a] }"),
      tables("Book: { fields: { title: text } }", { 4: "Book: { states: [a, b], final: [a, b] }" }),
      tables("Book: { fields: { title: text? } }", {
        5: 'Book: [{ rule: "size(title) > 1", else: NO }]',
        8: "NO: No.",
      }),
      tables("Shelf: { fields: { book: Shelf } }"),
      [],
    ];
    // Except that former values are given back.
    for (const from of all)
      for (const to of all)
        for (const statement of runs(planned(from, to)).filter((one) => !one.startsWith('with recursive "chain"')))
          expect(statement).not.toMatch(/drop (?:table|column|schema)|delete|truncate|update /iu);
  });

  test("makes an index that reads otherwise anew, and drops one that serves nothing", () => {
    const sorted = (sort: string) =>
      tables("Book: { fields: { title: text } }", { 2: `/b: { list: Book, sort: [${sort}] }` });
    const turned = runs(stepsBetween(sorted("title"), sorted("-title")));
    expect(turned.filter((statement) => statement.startsWith("drop index"))).toHaveLength(1);
    expect(turned.filter((statement) => statement.startsWith("create index"))).toHaveLength(1);
    const gone = stepsBetween(sorted("title"), book("title: text"));
    expect(says(gone)).toEqual([expect.stringMatching(/remove the unused index \S+$/)]);
  });
});
