import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import type { Table } from "../../src/core/derive/tables/table.ts";
import { buildTables } from "../../src/core/derive/tables/tables.ts";
import { messageText } from "../../src/core/i18n/languages.ts";
import type { Message } from "../../src/core/i18n/message.ts";
import { stepsBetween } from "../../src/core/migration/diff/steps-between.ts";
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
const english = (message: Message | null | undefined): string => (message == null ? "" : messageText(message));
const says = (steps: readonly MigrationStep[]) => steps.map((step) => english(step.message));
/** The whole migration, including retired tables and columns. */
const planned = (actual: readonly Table[], desired: readonly Table[]): readonly MigrationStep[] =>
  planMigration({
    actual,
    retired: [],
    desired,
    model: compile({ file: "t.md", text: "# T\n\n## 3. P\n\n```yaml\nnone\n```\n" }).model ?? raise(),
    before: null,
    past: [],
    former: new Set(),
    isNew: false,
    next: { version: 2, person: null },
  }).steps;
const raise = (): never => {
  throw new Error("no model");
};
/** The statements for the database, without the comments that name clauses. */
const runs = (steps: readonly MigrationStep[]) =>
  steps.flatMap(({ run }) => run.split(";\n").filter((statement) => !statement.startsWith("comment on")));

describe("the migration from the present tables to those of a document", () => {
  test("is empty if they are equal", () => {
    const same = book("title: { type: text, unique: true }, kind: { type: choice, values: [a] }, next: Book?");
    expect(stepsBetween(same, same)).toEqual([]);
  });

  test("creates tables before the constraints between them, so that they can refer to each other", () => {
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

  test("creates a table with its columns and constraints under the document’s names", () => {
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

  test("names the clause of each step", () => {
    const [{ run } = { run: "" }] = stepsBetween([], book("title: text"));
    expect(run).toContain(`comment on table "app"."book" is 'clause 3.Book'`);
    expect(run).toContain(`comment on column "app"."book"."title" is 'clause 3.Book.title'`);
  });

  test("quotes names and texts against SQL injection", () => {
    const [create] = runs(stepsBetween([], tables("Order: { fields: { select: text, group: Order? } }")));
    expect(create).toContain(`create table "app"."order" (`);
    expect(create).toContain(`"select" text collate`);
  });

  test("adds a column after a check that no record would lack a value", () => {
    const steps = stepsBetween(book("title: text"), book("title: text, place: text"));
    expect(steps).toHaveLength(1);
    expect(english(steps[0]?.message)).toBe("3.Book.place: add column place");
    expect(steps[0]).toMatchObject({
      unless: { count: `select count(*)::int from "app"."book"` },
    });
    expect(english(steps[0]?.unless?.message(1))).toBe(
      "3.Book.place can’t be added as a required field: 1 record has no value for it. Make it optional, or add “fill:” with their value.",
    );
    expect(english(steps[0]?.unless?.message(2))).toContain("2 records have no value");
  });

  test("needs no check for a change that no record can break: an optional column, a boolean, a wider bound", () => {
    const steps = stepsBetween(book("title: text"), book("title: text?, blurb: text?, lent: boolean"));
    expect(steps.map((step) => [english(step.message), step.unless])).toEqual([
      ["3.Book.title: make optional", undefined],
      ["3.Book.blurb: add column blurb", undefined],
      ["3.Book.lent: add column lent", undefined],
      ["", undefined],
    ]);
  });

  test("adds the bounds of a type silently, since the document does not mention them", () => {
    const steps = stepsBetween(book("title: text"), book("title: text, day: date?"));
    expect(steps.map((step) => english(step.message))).toEqual(["3.Book.day: add column day", ""]);
    expect(steps[1]?.run).toContain("0001-01-01");
  });

  test("makes a column required if no value is missing", () => {
    const steps = stepsBetween(book("title: text?"), book("title: text"));
    expect(says(steps)).toEqual(["3.Book.title: make required"]);
    expect(steps).toMatchObject([
      {
        run: `alter table "app"."book" alter column "title" set not null`,
        unless: { count: `select count(*)::int from "app"."book" where "title" is null` },
      },
    ]);
  });

  test("changes the values of a choice after a check that no record has a removed one", () => {
    const kind = (values: string) => book(`kind: { type: choice, values: [${values}] }`);
    expect(says(stepsBetween(kind("a, b"), kind("b, c, a")))).toEqual(["3.Book.kind: change the database check", ""]);
    const steps = stepsBetween(kind("a, b, c"), kind("b, d"));
    expect(steps.map((step) => [english(step.message), english(step.unless?.message(2))])).toEqual([
      [
        "3.Book.kind: remove a",
        "3.Book.kind no longer allows a, but 2 records have it. Add “was: a” to the value that they get, such as “{ b: { was: a } }”.",
      ],
      [
        "3.Book.kind: remove c",
        "3.Book.kind no longer allows c, but 2 records have it. Add “was: c” to the value that they get, such as “{ b: { was: c } }”.",
      ],
      ["3.Book.kind: change the database check", ""],
      ["", ""],
    ]);
  });

  test("retires what the document removes, and drops nothing", () => {
    const before = tables(
      "Book: { fields: { title: text, pages: integer, best: Shelf? } }\nShelf: { fields: { name: text } }",
    );
    const steps = planned(before, book("pages: text?"));
    expect(steps.map((step) => english(step.writes?.message(2) ?? step.message))).toEqual([
      "3.Book.title: remove. The values of 2 records are kept as retired data",
      "3.Book.pages: change from integer to text. The values of 2 records are kept as retired data",
      "3.Book.best: remove. The values of 2 records are kept as retired data",
      "3.Shelf: remove. 2 records are kept as retired data",
      "3.Book.pages: add column pages",
      "3.Book.pages: convert the values of 2 records",
    ]);
    expect(runs(steps)).not.toContainEqual(expect.stringMatching(/drop (?:table|column)/u));
  });

  test("offers to convert a text to a time", () => {
    const steps = planned(tables("Book: { fields: { opens: text? } }"), book("opens: time?"));
    expect(steps.map(({ message, writes }) => english(writes?.message(2) ?? message))).toContain(
      "3.Book.opens: change from text to time. The values of 2 records are kept as retired data. To convert these values, add “was: { opens: text }” and “fill: time(was.opens)”",
    );
  });

  test("never drops a table or a column, for any two documents", () => {
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
    // Except for restoring former values, and moving them with a column that makes room for another.
    const isAllowed = (item: string): boolean =>
      item.startsWith('with recursive "chain"') ||
      item.startsWith('update "ninefold"."former_column" set "column_name"');
    for (const from of all)
      for (const to of all)
        for (const statement of runs(planned(from, to)).filter((run) => !isAllowed(run)))
          expect(statement).not.toMatch(/drop (?:table|column|schema)|delete|truncate|update /iu);
  });

  test("recreates an index that has changed, and drops one that is unused", () => {
    const sorted = (sort: string) =>
      tables("Book: { fields: { title: text } }", { 2: `/b: { list: Book, sort: [${sort}] }` });
    const turned = runs(stepsBetween(sorted("title"), sorted("-title")));
    expect(turned.filter((statement) => statement.startsWith("drop index"))).toHaveLength(1);
    expect(turned.filter((statement) => statement.startsWith("create index"))).toHaveLength(1);
    const removal = stepsBetween(sorted("title"), book("title: text"));
    expect(says(removal)).toEqual([expect.stringMatching(/remove the unused index \S+$/)]);
  });
});
