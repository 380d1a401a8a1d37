import { describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { suggestConversion } from "../../../src/core/write-was.ts";
import { openShelf } from "../../change/shelf.ts";
import { thirdOfDay } from "../../turns.ts";

/** Stored values follow a field whose type changes, as the document says, and going back gives the former ones. */

const shelf = openShelf();
const { insert } = shelf;

const text = (fields: string): string =>
  `# Shelf\n\n## 3. Entities\n\`\`\`yaml\nAuthor: { fields: { name: { type: text, unique: true } } }\nBook: { fields: { title: text, ${fields} } }\n\`\`\``;

const apply = (fields: string) => shelf.apply(text(fields));
const refusal = (fields: string) => shelf.refusal(text(fields));

const ADA = "00000000-0000-7000-8000-000000000001";

/** The values of columns, by title. */
const values = async (columns: readonly string[]) =>
  Object.fromEntries(
    (
      await shelf.store.query(
        `select title, jsonb_build_array(${columns.map((one) => `b."${one}"`).join()}) as row from app.book b order by title`,
      )
    ).rows.map(({ title, row }) => [String(title), row as unknown]),
  );

/** As if somebody had changed a field in the application. */
const write = async (title: string, field: string, value: unknown) => {
  await shelf.store.query(
    `update app.book set "${field}" = (jsonb_populate_record(null::app.book, jsonb_build_object('${field}', $2::jsonb)))."${field}" where title = $1`,
    [title, JSON.stringify(value)],
  );
  await shelf.store.query(
    `insert into ninefold.audit (at, entity, record, action, clause, document, changes)
     select clock_timestamp() + interval '1 millisecond', 'Book', id, 'update', '3.Book', 2, jsonb_build_object('${field}', '[]'::jsonb) from app.book where title = $1`,
    [title],
  );
  await shelf.store.query("select pg_sleep(0.003)");
};

interface Case {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** By title: the former values of the columns in `from`, and what they become in those of `to`. */
  readonly rows: Readonly<Record<string, readonly [unknown, unknown]>>;
  /** A value that does not fit, the refusal, and the expression that has an alternative. */
  readonly unfit?: unknown;
  readonly columns?: readonly [from: readonly string[], to: readonly string[]];
}

const cases: readonly Case[] = [
  {
    name: "text to integer",
    from: "pages: text?",
    to: "pages: { type: integer?, was: { pages: text }, fill: integer(was.pages) }",
    rows: { Dune: ["412", 412], Emma: [null, null] },
    unfit: "many",
  },
  {
    name: "text to a required integer",
    from: "pages: text",
    to: "pages: { type: integer, max: 900, was: { pages: text }, fill: \"integer(without(was.pages, ','))\" }",
    rows: { Dune: ["4,12", 412] },
    unfit: "many",
  },
  {
    name: "text to decimal, under another name",
    from: "price: text?",
    to: "cost: { type: decimal?, was: { price: text }, fill: \"decimal(replace(was.price, ',', '.'))\" }",
    columns: [["price"], ["cost"]],
    rows: { Dune: ["12,50", 12.5], Emma: [null, null] },
    unfit: "cheap",
  },
  {
    name: "text to money",
    from: "price: text?",
    to: "price: { type: money?, was: { price: text }, fill: decimal(was.price) }",
    rows: { Dune: ["12.50", 12.5] },
    unfit: "12 €",
  },
  {
    name: "text to date",
    from: "day: text?",
    to: "day: { type: date?, was: { day: text }, fill: date(was.day) }",
    rows: { Dune: ["2024-02-29", "2024-02-29"] },
    unfit: "29.2.2024",
  },
  {
    name: "text to boolean",
    from: "lent: text?",
    to: "lent: { type: boolean, was: { lent: text }, fill: \"was.lent == 'yes'\" }",
    rows: { Dune: ["yes", true], Emma: ["no", false], Faust: [null, false] },
  },
  {
    name: "text to choice by a mapping",
    from: "kind: { type: text?, unique: true }",
    to: "kind: { type: choice, values: [novel, poems, other], was: { kind: text }, fill: \"was.kind == null ? other : was.kind == 'A novel' ? novel : was.kind == 'Verse' ? poems : null\" }",
    rows: { Dune: ["A novel", "novel"], Faust: ["Verse", "poems"], Emma: [null, "other"] },
    unfit: "Essay",
  },
  {
    name: "text to a choice with the same words",
    from: "kind: text?",
    to: "kind: { type: choice?, values: [novel, poems] }",
    rows: { Dune: ["novel", "novel"] },
    unfit: "Essay",
  },
  {
    name: "choice to text",
    from: "kind: { type: choice, values: [novel, poems] }",
    to: "kind: text",
    rows: { Dune: ["novel", "novel"] },
  },
  {
    name: "choice to text by a mapping",
    from: "kind: { type: choice, values: [novel, poems] }",
    to: "kind: { type: text, was: { kind: choice }, fill: \"was.kind == 'novel' ? 'A novel' : 'Verse'\" }",
    rows: { Dune: ["novel", "A novel"], Faust: ["poems", "Verse"] },
  },
  {
    name: "text to a reference by a unique field",
    from: "author: text?",
    to: 'author: { type: Author?, was: { author: text }, fill: "Author.one(a, a.name == was.author)" }',
    rows: { Dune: ["Ada", ADA], Emma: [null, null] },
    unfit: "Bea",
  },
  {
    name: "a reference to text",
    from: "author: Author?",
    to: "author: { type: text?, was: { author: Author }, fill: was.author.name }",
    rows: { Dune: [ADA, "Ada"], Emma: [null, null] },
  },
  {
    name: "integer to decimal, by itself",
    from: "pages: { type: integer, max: 900 }",
    to: "pages: { type: decimal, max: 900 }",
    rows: { Dune: [412, 412] },
  },
  {
    name: "integer, decimal and date to text, by themselves",
    from: "pages: integer?, price: decimal, day: date?",
    to: "pages: text?, price: text, day: text?",
    columns: [
      ["pages", "price", "day"],
      ["pages", "price", "day"],
    ],
    rows: {
      Dune: [
        [412, 12.5, "2024-02-29"],
        ["412", "12.5", "2024-02-29"],
      ],
      Emma: [
        [null, 100, null],
        [null, "100", null],
      ],
    },
  },
  {
    name: "an optional integer to a required text",
    from: "pages: integer?",
    to: "pages: { type: text, fill: \"'none'\" }",
    rows: { Dune: [412, "412"], Emma: [null, "none"] },
  },
  {
    name: "decimal to integer",
    from: "pages: decimal",
    to: "pages: { type: integer, was: { pages: decimal }, fill: round(was.pages) }",
    rows: { Dune: [412.5, 412], Emma: [3, 3] },
    unfit: 1e20,
  },
  {
    name: "date to datetime and boolean to choice",
    from: "day: date, lent: boolean",
    to: 'day: { type: datetime, was: { day: date }, fill: "datetime(was.day, \'08:00\')" }, lent: { type: choice, values: [away, home], was: { lent: boolean }, fill: "was.lent ? away : home" }',
    columns: [
      ["day", "lent"],
      ["day", "lent"],
    ],
    rows: {
      Dune: [
        ["2026-03-01", true],
        ["2026-03-01T08:00:00+00:00", "away"],
      ],
    },
  },
  {
    name: "datetime to date",
    from: "day: datetime",
    to: "day: { type: date, was: { day: datetime }, fill: date_of(was.day) }",
    rows: { Dune: ["2026-03-01T08:00:00+00:00", "2026-03-01"] },
  },
  {
    name: "text to long text and back",
    from: "note: text?",
    to: "note: long text?",
    rows: { Dune: ["short", "short"] },
  },
  {
    name: "a choice to several",
    from: "kind: { type: choice?, values: [novel, poems] }",
    to: "kind: { type: choice, many: true, values: [novel, poems] }",
    rows: { Dune: ["novel", ["novel"]], Emma: [null, []] },
  },
  {
    name: "a reference to several",
    from: "author: Author?",
    to: "author: { type: Author, many: true }",
    rows: { Dune: [ADA, [ADA]], Emma: [null, []] },
  },
  {
    name: "a reference to the record of which it is a part",
    from: "author: Author",
    to: "author: { type: Author, part of: true }",
    rows: { Dune: [ADA, ADA] },
  },
  {
    name: "a text to several numbers",
    from: "pages: text?",
    to: "pages: { type: integer, many: true, was: { pages: text }, fill: \"[was.pages.before('-'), was.pages.after('-')].map(p, integer(p))\" }",
    rows: { Dune: ["4-12", [4, 12]], Emma: [null, []] },
  },
  {
    name: "several numbers to their sum",
    from: "pages: { type: integer, many: true }",
    to: 'pages: { type: integer, was: { pages: [integer] }, fill: "was.pages.sum()" }',
    rows: { Dune: [[4, 12], 16], Emma: [[], 0] },
  },
  {
    name: "one field to two",
    from: "name: text?",
    to: "first: { type: text?, was: { name: text }, fill: \"was.name.contains(' ') ? was.name.before(' ') : was.name\" }, last: { type: text?, was: { name: text }, fill: \"was.name.contains(' ') ? was.name.after(' ') : null\" }",
    columns: [["name"], ["first", "last"]],
    rows: {
      Dune: ["Frank Herbert", ["Frank", "Herbert"]],
      Emma: ["Jane", ["Jane", null]],
      Faust: [null, [null, null]],
    },
  },
  {
    name: "two fields to one",
    from: "first: text?, last: text",
    to: "name: { type: text, was: { first: text?, last: text }, fill: \"was.first == null ? was.last : was.first + ' ' + was.last\" }",
    columns: [["first", "last"], ["name"]],
    rows: { Dune: [["Frank", "Herbert"], "Frank Herbert"], Emma: [[null, "Austen"], "Austen"] },
  },
];

const columnOf = (fields: string): string => /^(\w+):/u.exec(fields)?.[1] ?? "";
const asRow = (columns: readonly string[], input: unknown): readonly unknown[] =>
  columns.length === 1 ? [input] : (input as readonly unknown[]);

describe("values are converted with their field and can be converted back", () => {
  test.each(thirdOfDay(cases))("$name", async ({ from, to, rows, unfit, columns }) => {
    const [old, now] = columns ?? [[columnOf(from)], [columnOf(to)]];
    await apply(from);
    await insert("author", { id: ADA, name: "Ada" });
    for (const [title, [before]] of Object.entries(rows))
      await insert("book", {
        title,
        ...Object.fromEntries(old.map((name, i) => [name, asRow(old, before)[i]])),
      });
    const before = await values(old);
    if (unfit !== undefined) {
      await insert("book", { title: "Unfit", [old[0] ?? ""]: unfit });
      expect((await refusal(to)).join(" ")).toMatch(/1 record|1 stored record/u);
      expect((await values(old)).Unfit).toEqual([unfit]);
      await shelf.store.query("delete from app.book where title = 'Unfit'");
    }
    await apply(to);
    const converted = Object.fromEntries(Object.entries(rows).map(([title, [, after]]) => [title, asRow(now, after)]));
    expect(await values(now)).toEqual(converted);
    expect((await apply(to)).done).toEqual([]);
    await apply(from);
    expect(await values(old)).toEqual(before);
    expect((await apply(from)).done).toEqual([]);
    // There and back again.
    await apply(to);
    expect(await values(now)).toEqual(converted);
  });
});

describe("a conversion", () => {
  const asNumber = "pages: { type: integer?, was: { pages: text }, fill: integer(was.pages) }";

  test("is named where the values of an optional text would be retired", async () => {
    await apply("pages: text?");
    expect((await apply("pages: date?")).done).toEqual([
      "3.Book.pages: change from text to date. No record has a value",
      "3.Book.pages: add column pages",
    ]);
    await apply("notes: text?");
    await insert("book", { title: "Dune", notes: "412" });
    expect((await apply("notes: integer?")).done).toEqual([
      "3.Book.notes: change from text to integer. The values of 1 record are kept as retired data. To convert these values, add “was: { notes: text }” and “fill: integer(was.notes)”",
      "3.Book.notes: add column notes",
    ]);
  });

  test("reports how many values it converts and how many do not fit", async () => {
    await apply("pages: text?");
    for (const [title, pages] of [
      ["Dune", "412"],
      ["Emma", "many"],
      ["Faust", "none"],
    ])
      await insert("book", { title, pages });
    expect(await refusal(asNumber)).toEqual([
      "3.Book.pages can’t be converted: no value follows from pages in 2 records. Correct them, or say in “fill” which value they get.",
    ]);
    // A reference says that the record has to exist first.
    expect(
      await refusal('pages: { type: Author?, was: { pages: text }, fill: "Author.one(a, a.name == was.pages)" }'),
    ).toEqual([
      "3.Book.pages can’t be converted: “fill” finds no record to refer to for 3 records. A version creates no records: publish the entity and create the missing records first, or say in “fill” which ones these records refer to.",
    ]);
    const alternative =
      "pages: { type: integer?, was: { pages: text }, fill: \"was.pages == 'many' ? 1000 : was.pages == 'none' ? null : integer(was.pages)\" }";
    expect((await apply(alternative)).done).toEqual([
      "3.Book.pages: change from text to integer. The values of 3 records are kept as retired data",
      "3.Book.pages: add column pages",
      "3.Book.pages: convert the values of 2 records",
    ]);
    expect(await values(["pages"])).toEqual({ Dune: [412], Emma: [1000], Faust: [null] });
  });

  test("that is suggested keeps values that fit, and gives no other value to the rest", async () => {
    const suggested = (type: string, was: string): string => {
      const fields = `status: { type: ${type}, values: [open, closed] }`;
      const field = compile({ file: "a.md", text: text(fields) })
        .model?.entities.get("Book")
        ?.fields.get("status");
      const fill = field && suggestConversion(field, was);
      return fields.replace(" }", `, fill: ${fill}, was: { status: ${was} } }`);
    };
    const none = "3.Book.status can’t become required: 1 record has no value for it. “fill” gives them none.";
    await apply("status: text");
    const words = { Dune: "open", Emma: "closed", Faust: "Closed", Hamlet: "Opened" };
    for (const [title, status] of Object.entries(words)) await insert("book", { title, status });
    expect(await refusal(suggested("choice", "text"))).toEqual([none]);
    const kept = { Dune: ["open"], Emma: ["closed"], Faust: ["closed"] };
    await apply(suggested("choice?", "text"));
    expect(await values(["status"])).toEqual({ ...kept, Hamlet: [null] });
    await apply("status: text");
    await apply(suggested("choice", "text").replace("null", "'open'"));
    expect(await values(["status"])).toEqual({ ...kept, Hamlet: ["open"] });

    await apply("status: { type: text, many: true }");
    await shelf.store.query("delete from app.book");
    for (const [title, status] of Object.entries({ Dune: ["closed"], Emma: ["closed", "open"], Faust: [] }))
      await insert("book", { title, status });
    expect(await refusal(suggested("choice", "[text]"))).toEqual([none]);
    await apply(suggested("choice?", "[text]"));
    expect(await values(["status"])).toEqual({ Dune: ["closed"], Emma: ["open"], Faust: [null] });
  });

  test("back keeps values that were entered since, if they have a counterpart", async () => {
    await apply("pages: integer?");
    for (const title of ["Dune", "Emma"]) await insert("book", { title, pages: 412 });
    await apply("pages: text?");
    await write("Emma", "pages", "many");
    expect((await apply("pages: integer?")).done).toEqual([
      "3.Book.pages: 1 record was changed in this field since it had this type. The values entered since are kept as retired data, and the former ones come back",
      "3.Book.pages: change from text to integer. The values of 2 records are kept as retired data. To convert these values, add “was: { pages: text }” and “fill: integer(was.pages)”",
      "3.Book.pages: bring back with the values of 2 records",
    ]);
    await write("Dune", "pages", 500);
    expect((await apply("pages: text?")).done).toContain("3.Book.pages: convert the values of 1 record");
    expect(await values(["pages"])).toEqual({ Dune: ["500"], Emma: ["many"] });
    // An expression decides for what was entered since; nobody changed Emma again.
    await write("Dune", "pages", "600");
    await apply(asNumber);
    expect(await values(["pages"])).toEqual({ Dune: [600], Emma: [412] });
  });

  test("of a former field with another type is refused, and one of an unknown field has no values", async () => {
    await apply("pages: date?");
    await insert("book", { title: "Dune", pages: "2026-01-01" });
    expect(await refusal(asNumber)).toEqual([
      "3.Book.pages: “was” says that pages was text, but it is date. Write the type that it has in the live version.",
    ]);
    expect(await refusal("sheets: { type: integer, was: { leaves: text }, fill: integer(was.leaves) }")).toEqual([
      "3.Book.sheets can’t be converted: no value follows from leaves in 1 record. Correct it, or say in “fill” which value it gets.",
    ]);
  });

  test("reads removed values", async () => {
    await apply("pages: text?");
    await insert("book", { title: "Dune", pages: "412" });
    await apply("");
    await apply("sheets: { type: integer?, was: { pages: text }, fill: integer(was.pages) }");
    expect(await values(["sheets"])).toEqual({ Dune: [412] });
  });

  test.each([
    ["an unknown type", "pages: { type: integer?, was: { pages: number }, fill: 1 }", "UNKNOWN_NAME"],
    ["no expression", "pages: { type: integer?, was: { pages: text } }", "BAD_VALUE"],
    ["a value of another type", "pages: { type: integer?, was: { pages: text }, fill: was.pages }", "TYPES_DIFFER"],
    ["a name that “was” lacks", "pages: { type: integer?, was: { pages: text }, fill: was.size }", "UNKNOWN_NAME"],
  ])("is refused with %s", (_, fields, code) => {
    const { findings } = compile({ file: "shelf.md", text: text(fields) });
    expect(findings.filter(({ severity }) => severity === "error").map((one) => one.code)).toEqual([code]);
  });
});

describe("computed values become entered ones", () => {
  const fields = (total: string) => `pages: integer?, total: ${total}`;
  const forms = [
    ["stored", "{ type: decimal, computed: pages * 1.5 }", "decimal?", [618, null]],
    ["stored when written", "{ type: decimal, computed: pages * 1.5, kept: true }", "decimal?", [618, null]],
    [
      "not stored",
      '{ type: decimal?, computed: "pages * Book.count(b, b.pages == null) * 1.5" }',
      "decimal?",
      [618, null],
    ],
    [
      "conditions",
      '{ type: boolean, computed: "Book.exists(b, b.pages == null) && pages != null" }',
      "boolean",
      [true, false],
    ],
    [
      "choices",
      "{ computed: { long: pages > 100, short: true }, type: choice }",
      "{ type: choice, values: [short, long] }",
      ["long", "short"],
    ],
  ] as const;

  test.each(forms)("of fields that are %s, and keep the computed values", async (_, computed, plain, [dune, emma]) => {
    await apply(fields(computed));
    await insert("book", { title: "Dune", pages: 412 });
    await insert("book", { title: "Emma", ...(computed.includes("kept") ? { total: null } : {}) });
    if (computed.includes("kept")) await shelf.store.query("update app.book set total = pages * 1.5");
    expect((await apply(fields(plain))).done).toContain("3.Book.total: keep the computed values and allow edits");
    expect(await values(["total"])).toEqual({ Dune: [dune], Emma: [emma] });
    expect((await apply(fields(plain))).done).toEqual([]);
    // They are entered, then computed, then entered again.
    const input = plain === "boolean" ? false : plain === "decimal?" ? 7 : "short";
    await write("Dune", "total", input);
    await apply(fields(computed));
    await shelf.store.query("select pg_sleep(0.003)");
    await insert("book", { title: "Faust", pages: 412, created_at: new Date(Date.now() + 50).toISOString() });
    if (computed.includes("kept")) await shelf.store.query("update app.book set total = pages * 1.5");
    await apply(fields(plain));
    expect(await values(["total"])).toEqual({ Dune: [input], Emma: [emma], Faust: [dune] });
  });

  test("of another type, or while other fields depend on them", async () => {
    await apply(fields("{ type: decimal, computed: pages * 1.5 }"));
    await insert("book", { title: "Dune", pages: 412 });
    await apply(
      "pages: integer?, total: text?, half: { type: integer?, was: { total: decimal }, fill: round(was.total / 2) }",
    );
    expect(await values(["total", "half"])).toEqual({ Dune: ["618", 309] });
  });
});
