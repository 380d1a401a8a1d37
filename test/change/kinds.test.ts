import { afterAll, beforeAll, expect, test } from "vitest";
import { compareBehaviour } from "../../src/core/change/compare-behaviour.ts";
import { messageText } from "../../src/core/i18n/languages.ts";
import { connect, type Database } from "../../src/postgres/database.ts";
import { applyDocument } from "../../src/postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../src/postgres/schema/apply-steps.ts";
import { planDocument } from "../../src/postgres/schema/plan-document.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { compiled } from "../app/program.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { dropRetired, insertSql, readStored } from "./stored.ts";

/*
 * Each kind of change is planned, explained, applied to records and undone. Afterwards every row and every definition
 * is as before.
 */

let store: TestDatabase;
let owner: Database;
beforeAll(async () => {
  store = await database();
  owner = connect({ connection: store.url, max: 1, statementTimeout: 60_000 });
  await prepareSystem(owner, "ninefold_app");
});
afterAll(async () => {
  await owner.end();
  await store.end();
});

type Points = { readonly [point: number]: string };
type Row = readonly [table: string, row: Readonly<Record<string, unknown>>];

const versionOf = (points: Points) => {
  const text = [
    "# Shelf",
    ...Object.entries(points).map(([point, yaml]) => `## ${point}. Point\n\`\`\`yaml\n${yaml.trim()}\n\`\`\``),
  ].join("\n\n");
  return compiled(text, "shelf.md");
};

const insertAll = (rows: readonly Row[]) =>
  store.query(rows.map(([table, row]) => insertSql(table, { id: crypto.randomUUID(), ...row })).join(";\n"));

const [ADA, BEA] = [1, 2].map((n) => `00000000-0000-7000-8000-00000000000${n}`);

interface Kind {
  readonly name: string;
  readonly from: Points;
  readonly to: Points;
  readonly rows: readonly Row[];
  /** Sentences about behaviour, except those about calls. They are decided unless they say otherwise. */
  readonly lines: readonly string[];
  /** All sentences about data. */
  readonly steps: readonly string[];
  /** Rows after the change, by a query. */
  readonly found?: readonly [query: string, rows: readonly unknown[]];
}

const shelf = { "3": 'Shelf: { label: "{name}", fields: { name: text } }' };
const book = (fields: string, more = "") => `Book: { fields: { title: text, ${fields} } }\n${more}`;

const kinds: readonly Kind[] = [
  {
    name: "fields, choices and values go, with a mapping for the records that have them",
    from: {
      3: book(
        "pages: integer?, kind: { type: choice, values: [novel, poems, essay] }, size: { type: choice?, values: [big, small] }",
      ),
    },
    to: { 3: book("kind: { type: choice, values: [{ novel: { was: poems } }, essay] }") },
    rows: [
      ["book", { title: "Dune", pages: 412, kind: "novel", size: "big" }],
      ["book", { title: "Faust", pages: null, kind: "poems" }],
    ],
    lines: [
      "The field “Pages” of books is removed.",
      "The field “Size” of books is removed.",
      "“Kind” of books can no longer be “Poems”. Records with this value get “Novel”.",
    ],
    steps: [
      "3.Book.kind: remove poems. 1 record gets novel",
      "3.Book.pages: remove. The values of 1 record are kept as retired data",
      "3.Book.size: remove. The values of 1 record are kept as retired data",
      "3.Book.kind: change the database check",
    ],
    found: [
      "select title, kind from app.book order by title",
      [
        { title: "Dune", kind: "novel" },
        { title: "Faust", kind: "novel" },
      ],
    ],
  },
  {
    name: "a choice becomes the state, and records keep its value",
    from: { 3: book("status: { type: choice, values: [done, open] }") },
    to: {
      3: book(""),
      4: "Book: { field: status, states: [open, done], transitions: { finish: { from: open, to: done } } }",
    },
    rows: [["book", { title: "Dune", status: "done" }]],
    lines: [
      "The field “Status” of books is now their state: each record keeps its value, and only transitions change it.",
      "Books now have states.",
    ],
    steps: ["4.Book: add a database check"],
    found: ["select title, status from app.book", [{ title: "Dune", status: "done" }]],
  },
  {
    name: "a type with a conversion, a type without one, one value and several",
    from: { 3: book("pages: text, day: text?, tags: { type: text, many: true }, who: text?") },
    to: {
      3: book(
        'pages: { type: integer, was: { pages: text }, fill: "integer(was.pages)" }, day: date?, tags: text?, who: { type: text, many: true }',
      ),
    },
    rows: [["book", { title: "Dune", pages: "412", day: "someday", tags: ["old"], who: "Ada" }]],
    lines: [
      "The type of “Pages” of books is now integer instead of text.",
      "The stored values of “Pages” of books are converted from pages, as “fill” says.",
      "The type of “Day” of books is now date instead of text.",
      "“Tags” of books can now have only one value instead of several.",
      "“Who” of books can now have several values instead of one.",
    ],
    steps: [
      "3.Book.pages: change from text to integer. The values of 1 record are kept as retired data",
      "3.Book.day: change from text to date. The values of 1 record are kept as retired data. To convert these values, add “was: { day: text }” and “fill: date(was.day)”",
      "3.Book.pages: add column pages",
      "3.Book.day: add column day",
      "3.Book.tags: allow only one value",
      "3.Book.who: allow several values",
      "3.Book.pages: convert the values of 1 record",
      "3.Book.who: add index book__of_who",
    ],
    found: ["select pages, day, tags, who from app.book", [{ pages: "412", day: null, tags: "old", who: ["Ada"] }]],
  },
  {
    name: "required and optional",
    from: { 3: book("pages: integer?, kind: text") },
    to: { 3: book("pages: { type: integer, fill: 100 }, kind: text?") },
    rows: [
      ["book", { title: "Dune", pages: 412, kind: "novel" }],
      ["book", { title: "Faust", pages: null, kind: "poems" }],
    ],
    lines: [
      "Books without “Pages” get the value of “fill” once.",
      "“Pages” of books is now required.",
      "“Kind” of books can now be left empty.",
    ],
    steps: ["3.Book.kind: make optional", "3.Book.pages: fill in 1 record", "3.Book.pages: make required"],
    found: ["select pages from app.book order by title", [{ pages: "412" }, { pages: "100" }]],
  },
  {
    name: "an entity, and the references to it",
    from: { 3: `${shelf[3]}\n${book("shelf: Shelf?, shelves: { type: Shelf, many: true }")}` },
    to: { 3: book("") },
    rows: [
      ["shelf", { id: ADA, name: "A" }],
      ["book", { title: "Dune", shelf: ADA, shelves: [ADA] }],
    ],
    lines: [
      "People now start on the screen /books instead of /shelfs.",
      "The entity Shelf (shelfs) is removed, with its fields, rules and permissions.",
      "The field “Shelf” of books is removed.",
      "The field “Shelves” of books is removed.",
    ],
    steps: [
      "3.Book.shelf: remove. The values of 1 record are kept as retired data",
      "3.Book.shelves: remove. The values of 1 record are kept as retired data",
      "3.Shelf: remove. 1 record is kept as retired data",
    ],
  },
  {
    name: "states with a mapping, and transitions",
    from: {
      3: book(""),
      4: "Book: { states: [here, lent, lost], transitions: { lend: { from: here, to: lent }, lose: { from: [here, lent], to: lost } } }",
    },
    to: {
      3: book(""),
      4: "Book: { states: [here, { away: { was: [lent, lost] } }], transitions: { take: { from: here, to: away } } }",
    },
    rows: [
      ["book", { title: "Dune", state: "lent" }],
      ["book", { title: "Faust", state: "lost" }],
    ],
    lines: [
      "The state “Lent” of books is removed. Records in this state move to “Away”.",
      "The state “Lost” of books is removed. Records in this state move to “Away”.",
      "New transition “Take” of books, for administrators.",
      "The transition “Lend” of books is removed. It was for administrators.",
      "The transition “Lose” of books is removed. It was for administrators.",
    ],
    steps: [
      "4.Book.away: rename lent to away; 1 record changes",
      "4.Book.away: remove lost. 1 record gets away",
      "4.Book: change the database check",
    ],
    found: ["select distinct state from app.book", [{ state: "away" }]],
  },
  {
    name: "all states",
    from: { 3: book(""), 4: "Book: { states: [here, lent], transitions: { lend: { from: here, to: lent } } }" },
    to: { 3: book("") },
    rows: [["book", { title: "Dune", state: "lent" }]],
    lines: ["Books no longer have states or transitions."],
    steps: ["4.Book: remove. The values of 1 record are kept as retired data"],
  },
  {
    name: "roles, screens, calls and constants",
    from: {
      2: "/books: { list: Book }",
      3: `User: { fields: { nick: text? } }\n${book("pages: integer?")}`,
      6: "roles: { member: { members: signed in }, keeper: granted }\npermissions: { Book: { read: [member], create: [keeper] } }",
      7: "conventional: all\ncalls: { GET /shelf: { list: Book } }",
      9: "most: 30",
    },
    to: {
      3: `User: { fields: { nick: text? } }\n${book("pages: integer?")}`,
      6: "roles: { member: { members: signed in } }\npermissions: { Book: { read: [member], create: [member] } }",
      7: "conventional: all",
    },
    rows: [
      ["user", { id: ADA, name: "Ada", email: "ada@example.com", active: true, roles: ["keeper"] }],
      ["book", { title: "Dune", pages: 412 }],
    ],
    lines: [
      "The screen “Books” at /books is removed.",
      "The specification no longer has screens, so automatic lists of users are shown.",
      "Members can now create books.",
      "The role “Keeper” is removed.",
      "The constant most is removed. It was 30.",
    ],
    steps: [],
    found: ['select roles from app."user"', [{ roles: ["keeper"] }]],
  },
  {
    name: "rules, uniqueness and no overlap that stored records fit, tighter",
    from: {
      3: book("pages: { type: integer, max: 900 }, from: date, until: date"),
      5: "Book: [{ rule: pages > 1, else: THIN }]",
      8: "THIN: { status: 422, message: Thin. }",
    },
    to: {
      3: book("pages: { type: integer, max: 500, unique: true }, from: date, until: date"),
      5: "Book: [{ rule: pages > 10, else: THIN }, { unique: [title, from], else: THIN }, { no overlap: [from, until], else: THIN }]",
      8: "THIN: { status: 422, message: Thin. }",
    },
    rows: [
      ["book", { title: "Dune", pages: 412, from: "2026-01-01", until: "2026-01-31" }],
      ["book", { title: "Faust", pages: 90, from: "2026-02-01", until: "2026-02-28" }],
    ],
    lines: [
      "Two books can no longer have the same value in “Pages”.",
      "“Pages” of books must now be at most 500 instead of 900.",
      "The rule THIN for books is now stricter: the pages is more than 10.",
      "Two books with the same title and from are no longer possible.",
      "Two books that overlap are no longer possible.",
    ],
    steps: [
      "5.Book.THIN: change the database check",
      "3.Book.pages: add index book__unique_pages",
      "5.Book.THIN: add index book__together_thin",
      "5.Book.THIN: add a database check",
      "3.Book.pages: allow at most 500",
    ],
  },
  {
    name: "a limit on a reference, another target, and required on a condition",
    from: {
      3: `Rack: { fields: { name: text } }\nShelf: { fields: { name: text, open: boolean } }\n${book("shelf: Shelf?, place: Shelf?, note: text?")}`,
    },
    to: {
      3: `Rack: { fields: { name: text } }\nShelf: { fields: { name: text, open: boolean } }\n${book('shelf: { type: Shelf?, among: "Shelf.filter(s, s.open)" }, place: Rack?, note: { type: text?, required: shelf != null }')}`,
    },
    rows: [
      ["shelf", { id: ADA, name: "A", open: true }],
      ["book", { title: "Dune", shelf: ADA, place: ADA, note: "New" }],
    ],
    lines: [
      "“Shelf” of books can now refer to fewer records.",
      "“Place” of books now refers to Rack instead of Shelf.",
      "“Note” of books is now required in more cases.",
    ],
    steps: [
      "3.Book.place: change from a reference to shelf to a reference to rack. The values of 1 record are kept as retired data",
      "3.Book.place: add column place",
      "3.Book.place: add a reference to rack",
      "3.Book.place: add index book__ref_place",
    ],
  },
  {
    name: "computed values become plain ones, plain ones computed, and formulas change",
    from: {
      3: book(
        "pages: integer, sheets: { type: integer, computed: pages * 2 }, kept: { type: integer, computed: pages, kept: true }, weight: integer?, more: { type: integer, computed: pages + 1 }",
      ),
    },
    to: {
      3: book(
        "pages: integer, sheets: integer, kept: integer, weight: { type: integer, computed: pages * 3 }, more: { type: integer, computed: pages + 2 }",
      ),
    },
    rows: [["book", { title: "Dune", pages: 4, kept: 4, weight: 7 }]],
    lines: [
      "“Sheets” of books is no longer computed.",
      "“Kept” of books is no longer computed.",
      "possible: “Weight” of books can no longer be empty.",
      "“Weight” of books is now computed, and no one can enter it.",
      "“More” of books is now computed differently.",
    ],
    steps: [
      "3.Book.sheets: keep the computed values and allow edits",
      "3.Book.kept: keep the computed values and allow edits",
      "3.Book.weight: change from integer to computed. The values of 1 record are kept as retired data",
      "3.Book.sheets: make required",
      "3.Book.kept: make required",
      "3.Book.weight: add column weight",
      "3.Book.more: recompute",
    ],
    found: ["select sheets, kept, weight, more from app.book", [{ sheets: "8", kept: "4", weight: "12", more: "6" }]],
  },
  {
    name: "records become parts, which are deleted with theirs",
    from: { 3: `${shelf[3]}\n${book("shelf: Shelf")}` },
    to: {
      3: `Shelf: { label: "{name}", fields: { name: text, books: { list: Book.shelf } } }\n${book("shelf: { type: Shelf, part of: true }")}`,
    },
    rows: [
      ["shelf", { id: ADA, name: "A" }],
      ["book", { title: "Dune", shelf: ADA }],
    ],
    lines: [
      "New field “Books” of shelfs. It can be read, entered and changed by administrators.",
      "“Shelf” of books can no longer be changed after creation.",
      "Books are now parts of the record in “Shelf”, and are deleted with it.",
    ],
    steps: [],
  },
  {
    name: "parts become records of their own, which prevent that theirs is deleted",
    from: {
      3: `Shelf: { label: "{name}", fields: { name: text, books: { list: Book.shelf } } }\n${book("shelf: { type: Shelf, part of: true }")}`,
    },
    to: { 3: `${shelf[3]}\n${book("shelf: Shelf?")}` },
    rows: [
      ["shelf", { id: ADA, name: "A" }],
      ["book", { title: "Dune", shelf: ADA }],
    ],
    lines: [
      "The field “Books” of shelfs is removed.",
      "“Shelf” of books can now be left empty.",
      "“Shelf” of books can now be changed after creation.",
      "Books are no longer parts of the record in “Shelf”.",
    ],
    steps: ["3.Book.shelf: make optional"],
    found: ["select shelf from app.book", [{ shelf: ADA }]],
  },
  {
    name: "what is deleted with a record",
    from: {
      3: `${shelf[3]}\n${book("shelf: Shelf?")}`,
      4: 'Shelf: { after: { delete: { delete: "Book.filter(b, b.shelf == this)" } } }',
    },
    to: {
      3: `${shelf[3]}\n${book("shelf: Shelf?")}`,
      4: 'Shelf: { after: { delete: { update: "Book.filter(b, b.shelf == this)", set: { shelf: null } } } }',
    },
    rows: [
      ["shelf", { id: ADA, name: "A" }],
      ["book", { title: "Dune", shelf: ADA }],
    ],
    lines: [
      "When one of the shelfs is deleted, the application now changes books.",
      "When one of the shelfs is deleted, the application no longer deletes books.",
    ],
    steps: [],
  },
  {
    name: "roles with another name, granted in another way, and gone",
    from: {
      3: book("pages: integer?"),
      6: "roles: { keeper: granted, helper: granted, boss: granted }\npermissions: { Book: { read: [keeper, helper, boss] } }",
    },
    to: {
      3: book("pages: integer?"),
      6: "roles: { librarian: { was: keeper, members: granted }, helper: { members: signed in } }\npermissions: { Book: { read: [librarian, helper] } }",
    },
    rows: [
      ["user", { id: ADA, name: "Ada", email: "ada@example.com", active: true, roles: ["keeper", "boss"] }],
      ["user", { id: BEA, name: "Bea", email: "bea@example.com", active: true, roles: ["helper"] }],
      ["book", { title: "Dune", pages: 412 }],
    ],
    lines: [
      "Helpers can now read books.",
      "The role “Librarian” was called “Keeper”.",
      "The role “Boss” is removed.",
      "The role “Helper” is now assigned to everyone who is signed in.",
    ],
    steps: ["6.roles.librarian: rename keeper to librarian; people keep this role"],
    found: [
      'select name, roles from app."user" order by name',
      [
        { name: "Ada", roles: ["librarian", "boss"] },
        { name: "Bea", roles: ["helper"] },
      ],
    ],
  },
  {
    name: "a field becomes an entity of its own",
    from: { 3: `Street: { fields: { name: text } }\n${book("street: text")}` },
    to: {
      3: `Street: { fields: { name: text } }\n${book('place: { type: Street?, was: { street: text }, fill: "Street.one(s, s.name == was.street)" }')}`,
    },
    rows: [
      ["street", { id: ADA, name: "High Street" }],
      ["street", { id: BEA, name: "Mill Lane" }],
      ["book", { title: "Dune", street: "Mill Lane" }],
    ],
    lines: [
      "New field “Place” of books. It can be read, entered and changed by administrators.",
      "The stored values of “Place” of books are converted from street, as “fill” says.",
      "The field “Street” of books is removed.",
    ],
    steps: [
      "3.Book.street: remove. The values of 1 record are kept as retired data",
      "3.Book.place: add column place",
      "3.Book.place: convert the values of 1 record",
      "3.Book.place: add a reference to street",
      "3.Book.place: add index book__ref_place",
    ],
    found: ["select place from app.book", [{ place: BEA }]],
  },
  {
    name: "an entity goes into the one that refers to it",
    from: { 3: `Street: { fields: { name: text } }\n${book("place: Street?")}` },
    to: {
      3: `Street: { fields: { name: text } }\n${book("street: { type: text?, was: { place: Street }, fill: was.place.name }")}`,
    },
    rows: [
      ["street", { id: ADA, name: "High Street" }],
      ["book", { title: "Dune", place: ADA }],
    ],
    lines: [
      "New field “Street” of books. It can be read, entered and changed by administrators.",
      "The stored values of “Street” of books are converted from place, as “fill” says.",
      "The field “Place” of books is removed.",
    ],
    steps: [
      "3.Book.place: remove. The values of 1 record are kept as retired data",
      "3.Book.street: add column street",
      "3.Book.street: convert the values of 1 record",
      "3.Book.street: allow at most 1000 characters",
    ],
    found: ["select street from app.book", [{ street: "High Street" }]],
  },
  {
    name: "currency, numbering and texts",
    from: {
      3: book(
        'price: { type: money, currency: EUR }, number: { type: sequence, pattern: "B-{n:4}" }, pages: { type: integer?, unit: page }',
      ),
    },
    to: {
      3: book(
        'price: { type: money, currency: CHF }, number: { type: sequence, pattern: "C-{n:5}" }, pages: { type: integer?, help: "Without the cover." }',
      ),
    },
    rows: [["book", { title: "Dune", price: "12.50", number: "B-0001", pages: 412 }]],
    lines: [
      "“Price” of books is now in CHF instead of EUR. Stored amounts are not converted.",
      "New books are now numbered differently in “Number”.",
      "“Pages” of books now has a different unit.",
      "“Pages” of books now has a different help text.",
    ],
    steps: [],
    found: ["select price::text, number from app.book", [{ price: "12.5000000000", number: "B-0001" }]],
  },
];

/** An empty database. */
const clear = () =>
  store.query(`
    drop schema app cascade; create schema app;
    truncate ninefold.version, ninefold.retired, ninefold.former_value, ninefold.renaming`);

test.each(kinds)("$name", async ({ from, to, rows, lines, steps, found }) => {
  await clear();
  const [one, other] = [versionOf(from), versionOf(to)];
  await applyDocument(owner, one.model, one.source);
  await insertAll(rows);
  const before = await readStored(store);

  const behaviour = compareBehaviour(one.model, other.model).filter(({ point }) => point !== 7);
  expect(behaviour.map(({ certainty, text }) => `${certainty}: ${text}`)).toEqual(
    lines.map((text) => (text.startsWith("possible: ") ? text : `decided: ${text}`)),
  );
  const planned = await planDocument(owner, other.model, other.source);
  expect([planned.messages.map((message) => messageText(message)), planned.refused]).toEqual([steps, []]);
  expect(await readStored(store), "a plan changes nothing").toEqual(before);

  const { done } = await applyDocument(owner, other.model, other.source);
  expect(done, "as planned").toEqual(steps);
  if (found !== undefined) expect((await store.query(found[0])).rows).toEqual(found[1]);
  await applyDocument(owner, one.model, one.source);
  await dropRetired(store);
  expect(await readStored(store)).toEqual(before);
});

test("a version that stored records do not fit changes nothing, and gives every reason at once", async () => {
  await clear();
  const item = versionOf({
    3: book(
      "pages: integer?, kind: { type: choice, values: [novel, poems] }, tags: { type: text, many: true }, sizes: { type: integer, many: true }, place: text?, from: date, until: date",
    ),
  });
  const other = versionOf({
    3: book(
      "pages: { type: integer, max: 100 }, kind: { type: choice, values: [novel], unique: true }, tags: text?, sizes: integer?, place: { type: choice?, values: [desk, shelf] }, from: date, until: date",
    ),
    5: "Book: [{ rule: until > from, else: THIN }, { no overlap: [from, until], else: THIN }]",
    8: "THIN: { status: 422, message: Thin. }",
  });
  await applyDocument(owner, item.model, item.source);
  const row = (title: string, more: object): Row => [
    "book",
    {
      title,
      kind: "poems",
      tags: ["a", "b"],
      sizes: [1, 2],
      place: "the shelf",
      from: "2026-01-02",
      until: "2026-01-02",
      ...more,
    },
  ];
  await insertAll([row("Dune", { pages: 412 }), row("Faust", { pages: null })]);
  const before = await readStored(store);
  const planned = await planDocument(owner, other.model, other.source);
  const fill = (field: string, was?: string) => ({ kind: "fill", entity: "Book", field, ...(was && { was }) });
  expect(planned.refused.map(({ missing }) => missing)).toEqual([
    fill("pages"),
    fill("tags", "[text]"),
    fill("sizes", "[integer]"),
    { kind: "was", entity: "Book", field: "kind", value: "poems", values: ["novel"] },
    fill("place", "text"),
    { kind: "during", entity: "Book", rule: "5.Book.THIN" },
    undefined,
    undefined,
    fill("pages"),
  ]);
  expect(planned.refused.map(({ says }) => says)).toEqual([
    "3.Book.pages can’t become required: 1 record has no value for it. Add “fill:” with their value.",
    "3.Book.tags can’t hold only one value: 2 records have several values. Correct them, or choose a value with “was” and “fill”.",
    "3.Book.sizes can’t hold only one value: 2 records have several values. Correct them, or choose a value with “was” and “fill”.",
    "3.Book.kind no longer allows poems, but 2 records have it. Add “was: poems” to the value that they get, such as “{ novel: { was: poems } }”.",
    "3.Book.place can’t become a choice: 2 records have other values. Correct them, or say with “was” and “fill” which value they get.",
    "5.Book.THIN can’t take effect: 2 stored records violate it. Correct them, or check the rule only during some changes: “during: [create, update]”.",
    "3.Book.kind can’t become unique: 1 value occurs more than once. Correct the records, or use a rule with “unique” and “where” to compare only some of them.",
    "5.Book.THIN can’t take effect: some stored records overlap. Correct them, or compare only some with “where”.",
    "3.Book.pages can’t be limited to at most 100: 1 record has a higher value. Correct it, or add “fill:” with a value that fits.",
  ]);
  await expect(applyDocument(owner, other.model, other.source)).rejects.toThrow(ChangeRefused);
  expect(await readStored(store)).toEqual(before);
});
