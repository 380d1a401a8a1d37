import { describe, expect, test } from "vitest";
import { deleteRetired, listRetired } from "../../src/postgres/schema/retired-data.ts";
import { openShelf, type Points, shelfText } from "./shelf.ts";
import { readStored } from "./stored.ts";

/** Several versions are applied one after the other, and then undone at once. */

const shelf = openShelf();
const { insert } = shelf;
const apply = async (points: Points): Promise<readonly string[]> => (await shelf.apply(shelfText(points))).done;

interface Case {
  readonly name: string;
  /** The first version, the later ones, and records of the first. */
  readonly versions: readonly Points[];
  readonly rows: readonly (readonly [table: string, row: Readonly<Record<string, unknown>>])[];
  /** Sentences that the plan of the last step must contain. */
  readonly back?: readonly string[];
}

const book = (more = "") => `Book: { fields: { title: text, ${more} } }`;
const kind = (values: string) => ({ 3: book(`kind: { type: choice, values: [${values}] }`) });
const kinds = (values: string) => ({ 3: book(`kinds: { type: choice, many: true, values: [${values}] }`) });
const states = (list: string) => ({ 3: book(), 4: `Book: { states: [${list}] }` });
const [ADA, BEA] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
const people = "Author: { fields: { name: text } }\nEditor: { fields: { name: text } }";
const ada = ["author", { id: ADA, name: "Ada" }] as const;
const bea = ["editor", { id: BEA, name: "Bea" }] as const;

const cases: readonly Case[] = [
  {
    name: "a value renamed in one version and merged in the next",
    versions: [kind("novel, poems"), kind("novel, { verses: { was: poems } }"), kind("{ novel: { was: verses } }")],
    rows: [
      ["book", { title: "Dune", kind: "novel" }],
      ["book", { title: "Faust", kind: "poems" }],
    ],
    back: ["3.Book.kind: restore the former values of 1 record"],
  },
  {
    name: "a value of several renamed in one version and merged in the next",
    versions: [kinds("novel, poems"), kinds("novel, { verses: { was: poems } }"), kinds("{ novel: { was: verses } }")],
    rows: [
      ["book", { title: "Dune", kinds: ["novel"] }],
      ["book", { title: "Faust", kinds: ["poems", "novel"] }],
    ],
    back: ["3.Book.kinds: restore the former values of 1 record"],
  },
  {
    name: "a state renamed twice and merged afterwards",
    versions: [
      states("here, gone"),
      states("here, { lent: { was: gone } }"),
      states("here, { out: { was: lent } }"),
      states("{ here: { was: out } }"),
    ],
    rows: [
      ["book", { title: "Dune", state: "here" }],
      ["book", { title: "Faust", state: "gone" }],
    ],
    back: ["4.Book: restore the former values of 1 record"],
  },
  {
    name: "a value merged, and then the other one and the field renamed",
    versions: [
      kind("novel, poems"),
      kind("{ novel: { was: poems } }"),
      { 3: book("type: { was: kind, type: choice, values: [{ prose: { was: novel } }] }") },
      { 3: "Work: { was: Book, fields: { title: text, type: { type: choice, values: [prose] } } }" },
    ],
    rows: [
      ["book", { title: "Dune", kind: "novel" }],
      ["book", { title: "Faust", kind: "poems" }],
    ],
  },
  {
    name: "a field renamed in one version and removed in the next",
    versions: [{ 3: book("pages: integer?") }, { 3: book("sheets: { type: integer?, was: pages }") }, { 3: book() }],
    rows: [["book", { title: "Dune", pages: 412 }]],
    back: ["3.Book.pages: bring back with the values of 1 record"],
  },
  {
    name: "an entity renamed in one version and removed in the next",
    versions: [
      { 3: `${book()}\nShelf: { fields: { name: text } }` },
      { 3: `${book()}\nRack: { was: Shelf, fields: { name: text } }` },
      { 3: book() },
    ],
    rows: [["shelf", { name: "A" }]],
    back: ["3.Shelf: bring back with 1 record"],
  },
  {
    name: "a value renamed, another merged, and their field removed",
    versions: [
      kind("novel, poems, essay"),
      kind("novel, { verses: { was: poems } }, essay"),
      kind("{ novel: { was: essay } }, verses"),
      { 3: book() },
    ],
    rows: [
      ["book", { title: "Dune", kind: "novel" }],
      ["book", { title: "Emma", kind: "essay" }],
      ["book", { title: "Faust", kind: "poems" }],
    ],
  },
  {
    name: "an entity whose field and value were renamed before it was renamed and removed",
    versions: [
      { 3: `${book()}\nShelf: { fields: { name: text, size: { type: choice, values: [small, big] } } }` },
      {
        3: `${book()}\nShelf: { fields: { title: { type: text, was: name }, size: { type: choice, values: [small, { large: { was: big } }] } } }`,
      },
      { 3: `${book()}\nRack: { was: Shelf, fields: { title: text, size: { type: choice, values: [small, large] } } }` },
      { 3: book() },
    ],
    rows: [
      ["shelf", { name: "A", size: "small" }],
      ["shelf", { name: "B", size: "big" }],
    ],
  },
  {
    name: "a reference to an entity that was renamed, and both removed",
    versions: [
      { 3: `Shelf: { fields: { name: text } }\n${book("shelf: Shelf?, shelves: { type: Shelf, many: true }")}` },
      {
        3: `Rack: { was: Shelf, fields: { name: text } }\n${book("rack: { was: shelf, type: Rack? }, racks: { was: shelves, type: Rack, many: true }")}`,
      },
      { 3: book() },
    ],
    rows: [
      ["shelf", { id: ADA, name: "A" }],
      ["book", { title: "Dune", shelf: ADA, shelves: [ADA] }],
    ],
  },
  {
    name: "an entity with a list of references, removed and brought back",
    versions: [{ 3: `${people}\n${book("who: { type: Author, many: true }")}` }, { 3: people }],
    rows: [ada, ["book", { title: "Dune", who: [ADA] }]],
    back: ["3.Book: bring back with 1 record"],
  },
  {
    name: "several numbers that become a choice with former names",
    versions: [
      { 3: book("kind: { type: integer, many: true }") },
      { 3: book("kind: { type: choice?, values: [b, { d: { was: [a, c] } }] }") },
    ],
    rows: [["book", { title: "Dune", kind: [1, 2] }]],
    back: ["3.Book.kind: bring back with the values of 1 record"],
  },
  {
    name: "a field removed, and then its entity renamed",
    versions: [{ 3: book("pages: integer?") }, { 3: book() }, { 3: "Work: { was: Book, fields: { title: text } }" }],
    rows: [["book", { title: "Dune", pages: 412 }]],
  },
  {
    name: "a field renamed in one version and of another type in the next",
    versions: [
      { 3: book("pages: integer?") },
      { 3: book("sheets: { type: integer?, was: pages }") },
      { 3: book("sheets: date?") },
    ],
    rows: [["book", { title: "Dune", pages: 412 }]],
  },
  ...(
    [
      ["one reference to several of another entity", "who: Author?", "who: { type: Editor, many: true }", ADA],
      ["several references to one of another entity", "who: { type: Author, many: true }", "who: Editor?", [ADA]],
      ["a reference to another entity", "who: Author?", "who: Editor?", ADA],
      [
        "several references to those of another entity",
        "who: { type: Author, many: true }",
        "who: { type: Editor, many: true }",
        [ADA],
      ],
    ] as const
  ).map(
    ([name, from, to, who]): Case => ({
      name,
      versions: [{ 3: `${people}\n${book(from)}` }, { 3: `${people}\n${book(to)}` }],
      rows: [ada, bea, ["book", { title: "Dune", who }]],
      back: ["3.Book.who: bring back with the values of 1 record"],
    }),
  ),
];

describe("a new field under the name of a retired one", () => {
  const former = async () => (await shelf.store.query("select * from ninefold.former_value")).rows.length;
  const pages = async () => (await shelf.store.query("select pages::text from app.book order by title")).rows;

  /** Records get 4 pages by `fill`, which undoing must remove, based only on the field of that version. */
  const filled = async () => {
    await apply({ 3: book("pages: integer?") });
    await insert("book", { title: "Dune" });
    await insert("book", { title: "Faust", pages: 9 });
    await apply({ 3: book("pages: { type: integer, fill: 4 }") });
    expect(await former()).toBe(1);
    await apply({ 3: book() });
  };

  test("does not get values that the retired one had", async () => {
    await filled();
    await apply({ 3: book("pages: { type: decimal, fill: 4 }") });
    await apply({ 3: book("pages: decimal?") });
    expect((await pages()).map((row) => Number(row.pages))).toEqual([4, 4]);
    await apply({ 3: book("pages: { type: integer, fill: 4 }") });
    expect(await pages()).toEqual([{ pages: "4" }, { pages: "9" }]);
    await apply({ 3: book("pages: integer?") });
    expect(await pages()).toEqual([{ pages: null }, { pages: "9" }]);
    expect(await former()).toBe(0);
  });

  test("does not get them once the retired values are deleted for good", async () => {
    await filled();
    const [retired] = (await listRetired(shelf.owner)).filter(({ field }) => field === "pages");
    await deleteRetired(shelf.owner, { name: retired?.name ?? "" }, {});
    expect(await former()).toBe(0);
  });
});

describe("comes back as it was", () => {
  test.each(cases)("$name", async ({ versions: [first = {}, ...later], rows, back = [] }) => {
    await apply(first);
    for (const [table, row] of rows) await insert(table, row);
    const before = await readStored(shelf.store);
    for (const version of later) await apply(version);
    expect(await apply(first)).toEqual(expect.arrayContaining([...back]));
    // Fields that the versions in between added have no values, and the next version drops them.
    await apply({ ...first, 1: "name: Shelf" });
    expect(await readStored(shelf.store)).toEqual(before);
    expect((await shelf.store.query("select * from ninefold.former_value")).rows).toEqual([]);
  });
});
