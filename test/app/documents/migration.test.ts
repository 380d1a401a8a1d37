import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { connect } from "../../../src/postgres/database.ts";
import { toConnectionUrl } from "../../../src/postgres/embedded/index.ts";
import { ChangeRefused } from "../../../src/postgres/schema/apply-steps.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { DatabaseRefused } from "../../../src/postgres/schema/prepare-system.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import { newId } from "../../../src/server/util/uuid.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { authoringOf } from "../authoring.ts";
import { compiled, preparedDatabase } from "../program.ts";

let store: TestDatabase;
beforeEach(async () => {
  store = await preparedDatabase();
});
afterEach(() => store.end());

/** A document with one block per point. */
const document = (points: { readonly [point: number]: string }, title = "Shelf"): string =>
  [
    `# ${title}`,
    ...Object.entries(points).map(([point, yaml]) => `## ${point}. Point\n\`\`\`yaml\n${yaml.trim()}\n\`\`\``),
  ].join("\n\n");

const opening = (text: string, on = store) => {
  const specification = compiled(text, "shelf.md");
  return open(specification.model, specification, { owner: on.url, app: on.appUrl });
};

/** The steps of starting with a document. */
const apply = async (text: string, on = store) => {
  const opened = await opening(text, on);
  await opened.close();
  const { version, done } = opened.applied;
  return { version, done };
};

/** The plan of a change of tables that are too large to be locked for it, while somebody reads and writes them. */
const planWithoutLocks = async (text: string) => {
  const { model, source } = compiled(text, "shelf.md");
  const owner = connect({ connection: store.url, max: 1 });
  const reader = connect({ connection: store.url, max: 1 });
  try {
    return await reader.transaction(async (query) => {
      await query({ text: "lock table app.book in row exclusive mode", values: [] });
      return planDocument(owner, model, source, { large: -1 });
    });
  } finally {
    await Promise.all([owner.end(), reader.end()]);
  }
};

const refusal = async (text: string): Promise<readonly string[]> => {
  const thrown = await apply(text).then(
    (applied) => applied,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ChangeRefused)) throw new Error(`not refused: ${JSON.stringify(thrown)}`, { cause: thrown });
  const planned = await planWithoutLocks(text);
  expect(planned.refused.length === 0 ? planned.done.at(-1) : planned.refused).toEqual(
    planned.refused.length === 0
      ? expect.stringMatching(/^Some stored records can only be checked while the version is published/u)
      : thrown.refused,
  );
  return thrown.refused.map(({ says }) => says);
};

/** Everything that a change could affect: columns, constraints, indexes, versions, and the rows of the table. */
const everything = async () => {
  const texts = [
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(c.oid, a.attnum)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app' join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relkind = 'r' order by 1, 2`,
    `select conname, pg_get_constraintdef(k.oid), obj_description(k.oid) from pg_constraint k join pg_namespace n on n.oid = k.connamespace and n.nspname = 'app' order by 1`,
    `select indexdef from pg_indexes where schemaname = 'app' order by 1`,
    `select number, hash from ninefold.version order by 1`,
    `select to_jsonb(b) from app.book b order by id`,
  ];
  const found: unknown[] = [];
  for (const text of texts) found.push((await store.query(text)).rows);
  return found;
};

/** A refused change gives its reasons and changes nothing. */
const refusedWhole = async (text: string, says: readonly (string | RegExp)[]) => {
  const before = await everything();
  const said = await refusal(text);
  expect(said).toHaveLength(says.length);
  for (const [i, one] of says.entries()) expect(said[i]).toMatch(one);
  expect(await everything()).toEqual(before);
};

/** Inserts records, as after some use. */
const books = async (...titles: readonly string[]) => {
  for (const title of titles)
    await store.query(
      "insert into app.book (id, version, created_at, updated_at, title) values (gen_random_uuid(), 1, now(), now(), $1)",
      [title],
    );
};

const shelf = document({ 3: "Book: { fields: { title: text } }" });
/** The book of the shelf with more fields: `withField("pages: integer?")`. */
const withField = (field: string) => document({ 3: `Book: { fields: { title: text, ${field} } }` });

describe("a document", () => {
  test("creates its tables when it is first applied, and is version 1", async () => {
    await store.end();
    store = await database();
    expect(await apply(shelf)).toEqual({
      version: 1,
      done: [
        "3.User: create table user",
        "3.Book: create table book",
        "3.User.email: add index user__unique_email",
        "3.User.avatar: add index user__by_avatar_id",
      ],
    });
  });

  test("applied again does nothing, and is the same version", async () => {
    await apply(shelf);
    const before = await everything();
    expect(await apply(shelf)).toEqual({ version: 1, done: [] });
    expect(await everything()).toEqual(before);
  });

  test("with every kind of field, state, rule and order does nothing the second time", async () => {
    const full = document({
      2: `
/books: { list: Book, sort: [-lent_on, title] }`,
      3: `
Shelf: { fields: { name: { type: text, unique: true } } }
Book:
  fields:
    title:   { type: text, max: 50 }
    blurb:   long text?
    pages:   integer?
    price:   decimal?
    sold:    boolean
    kind:    { type: choice, values: [novel, poems] }
    lent_on: date?
    seen:    datetime?
    mail:    { type: email?, unique: true }
    site:    url?
    call:    phone?
    shelf:   Shelf?
    owner:   { type: User, set: user }
    sequel:  Book?`,
      4: "Book: { field: status, states: [in, out], transitions: { lend: { from: in, to: out }, back: { from: out, to: in } } }",
      5: `
Book:
  - { rule: "pages == null || pages > 0", else: NO_PAGES }
  - { rule: "size(title) > 1 && kind in [novel, poems]", else: TOO_SHORT }
  - { rule: "price == null || price < 9.99 && title.startsWith('A')", else: TOO_DEAR }`,
      8: `
NO_PAGES: "A book has pages."
TOO_SHORT: "Too short."
TOO_DEAR: "Too dear."`,
    });
    expect((await apply(full)).version).toBe(1);
    expect(await apply(full)).toEqual({ version: 1, done: [] });
  });

  test("is counted by its text: another wording is another version, an old one that returns is a new one", async () => {
    const versions = [];
    for (const text of [shelf, `${shelf}\n\nMore words.`, `${shelf}\n\nMore words.`, shelf])
      versions.push(await apply(text));
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 2, 3]);
    expect(versions.slice(1).flatMap(({ done }) => done)).toEqual([]);
    const { rows } = await store.query("select number, file, source from ninefold.version order by number");
    expect(rows).toEqual([
      { number: 1, file: "shelf.md", source: shelf },
      { number: 2, file: "shelf.md", source: `${shelf}\n\nMore words.` },
      { number: 3, file: "shelf.md", source: shelf },
    ]);
  });

  test("that several servers apply at once is applied once", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => apply(shelf)));
    expect(all.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
    expect(all.map(({ done }) => done.length).sort()).toEqual([0, 0, 0, 4]);
  });
});

describe("additions are made at the start, and reported", () => {
  beforeEach(async () => {
    await apply(shelf);
    await books("Dune", "Emma");
  });
  const added = async (text: string) => {
    const { version, done } = await apply(text);
    expect(version).toBe(2);
    expect(await apply(text)).toEqual({ version: 2, done: [] });
    return done;
  };
  const all = async (column: string) =>
    (await store.query(`select "${column}" as value from app.book order by title`)).rows.map(({ value }) => value);

  test("an entity", async () => {
    expect(
      await added(
        document({ 3: "Book: { fields: { title: text } }\nShelf: { fields: { name: text, first: Book? } }" }),
      ),
    ).toEqual([
      "3.Shelf: create table shelf",
      "3.Shelf.first: add a reference to book",
      "3.Shelf.first: add index shelf__ref_first",
    ]);
  });

  test("an optional field, missing in stored records", async () => {
    expect(await added(withField("pages: integer?"))).toEqual(["3.Book.pages: add column pages"]);
    expect(await all("pages")).toEqual([null, null]);
  });

  test("a boolean, false in stored records", async () => {
    expect(await added(withField("lent: boolean"))).toEqual(["3.Book.lent: add column lent"]);
    expect(await all("lent")).toEqual([false, false]);
  });

  test("an optional reference, with a foreign key", async () => {
    expect(await added(withField("sequel: Book?"))).toEqual([
      "3.Book.sequel: add column sequel",
      "3.Book.sequel: add a reference to book",
      "3.Book.sequel: add index book__ref_sequel",
    ]);
    await expect(store.query("update app.book set sequel = gen_random_uuid()")).rejects.toThrow("book__fk_sequel");
  });

  test("a choice, and a further value", async () => {
    await apply(withField("kind: { type: choice?, values: [novel, poems] }"));
    expect((await apply(withField("kind: { type: choice?, values: [novel, essay, poems] }"))).done).toEqual([
      "3.Book.kind: change the database check",
    ]);
    await store.query("update app.book set kind = 'essay'");
    await expect(store.query("update app.book set kind = 'comic'")).rejects.toThrow("book__values_kind");
  });

  test("states of an entity without any: stored records get the first one", async () => {
    const states = "Book: { initial: here, states: [gone, here], transitions: { go: { from: here, to: gone } } }";
    expect(await added(document({ 3: "Book: { fields: { title: text } }", 4: states }))).toEqual([
      "4.Book: add column state",
      "4.Book: add a database check",
    ]);
    expect(await all("state")).toEqual(["here", "here"]);
  });

  test("a further state", async () => {
    const at = (states: string) =>
      document({ 3: "Book: { fields: { title: text } }", 4: `Book: { states: [${states}] }` });
    await apply(at("here, gone"));
    expect((await apply(at("here, gone, lost"))).done).toEqual(["4.Book: change the database check"]);
    await store.query("update app.book set state = 'lost'");
  });

  test("a required field of an entity without records", async () => {
    await store.query("delete from app.book");
    expect(await added(withField("pages: integer"))).toEqual(["3.Book.pages: add column pages"]);
  });

  test("a field that becomes optional", async () => {
    expect(await added(document({ 3: "Book: { fields: { title: text? } }" }))).toEqual(["3.Book.title: make optional"]);
    await store.query("update app.book set title = null");
  });

  test("a field that becomes required and has a value in every record", async () => {
    await apply(withField("pages: integer?"));
    await store.query("update app.book set pages = 7");
    expect((await apply(withField("pages: integer"))).done).toEqual(["3.Book.pages: make required"]);
    await expect(store.query("update app.book set pages = null")).rejects.toThrow("not-null");
  });

  test("a rule that all records satisfy", async () => {
    const rule = (text: string) =>
      document({
        3: "Book: { fields: { title: text } }",
        5: `Book: [{ rule: "${text}", else: TOO_SHORT }]`,
        8: 'TOO_SHORT: "Too short."',
      });
    expect(await added(rule("size(title) > 3"))).toEqual(["5.Book.TOO_SHORT: add a database check"]);
    await expect(store.query("update app.book set title = 'It'")).rejects.toThrow("book__rule_too_short");
    expect((await apply(rule("size(title) > 2"))).done).toEqual(["5.Book.TOO_SHORT: change the database check"]);
    expect((await apply(shelf)).done).toEqual(["5.Book.TOO_SHORT: remove the database check"]);
    await store.query("update app.book set title = 'It'");
  });

  test("uniqueness if no value occurs twice; and its removal", async () => {
    expect(await added(document({ 3: "Book: { fields: { title: { type: text, unique: true } } }" }))).toEqual([
      "3.Book.title: add index book__unique_title",
    ]);
    await expect(books("Dune")).rejects.toThrow("book__unique_title");
    expect((await apply(shelf)).done).toEqual(["3.Book.title: remove the unused index book__unique_title"]);
    await books("Dune");
  });

  const indexes = async () =>
    (
      await store.query(
        "select indexdef from pg_indexes where schemaname = 'app' and indexname like 'book\\_\\_by\\_%'",
      )
    ).rows.map(({ indexdef }) => String(indexdef).replace(/^.* USING btree /u, ""));

  test("an index for the order of a list, which changes and is removed with it", async () => {
    const sorted = (sort: string) =>
      document({ 2: `/books: { list: Book, sort: [${sort}] }`, 3: "Book: { fields: { title: text } }" });
    expect(await added(sorted("title"))).toEqual([expect.stringMatching(/^2\.\/books: add index book__by_title_/)]);
    expect(await indexes()).toEqual(['(title COLLATE "und-x-icu", id)']);
    const { done } = await apply(sorted("-title"));
    expect(done.length).toBeGreaterThan(0);
    expect(await indexes()).toEqual(['(title COLLATE "und-x-icu" DESC NULLS LAST, id DESC)']);
    expect((await apply(sorted("-title"))).done).toEqual([]);
    await apply(shelf);
    expect(await indexes()).toEqual([]);
  });

  test("two lists of one entity in one order", async () => {
    const two = document({
      2: "/books: { list: Book, sort: [title] }\n/novels: { list: Book, sort: [title] }\n/last: { list: Book, sort: [-title] }",
      3: "Book: { fields: { title: text } }",
    });
    await added(two);
    expect(await indexes()).toEqual(
      expect.arrayContaining([
        '(title COLLATE "und-x-icu", id)',
        '(title COLLATE "und-x-icu" DESC NULLS LAST, id DESC)',
      ]),
    );
  });

  test("two rules that raise one error", async () => {
    const two = document({
      3: "Book: { fields: { title: text } }",
      5: `Book:\n  - { rule: "size(title) > 1", else: BAD }\n  - { rule: "title != 'Emmo'", else: BAD }`,
      8: 'BAD: "Bad."',
    });
    await added(two);
    await expect(store.query("update app.book set title = 'Emmo'")).rejects.toThrow("violates check constraint");
    await expect(store.query("update app.book set title = 'x'")).rejects.toThrow("violates check constraint");
  });

  test("a constraint that is restored after it was widened", async () => {
    await apply(document({ 3: "Book: { fields: { title: text? } }" }));
    expect(await apply(shelf)).toEqual({ version: 3, done: ["3.Book.title: make required"] });
  });
});

describe("a change that would lose data or that stored data does not fit is refused with its reason, and nothing changes", () => {
  const full = document({
    3: `
Author: { fields: { name: text } }
Book:
  fields:
    title:  text
    pages:  integer?
    kind:   { type: choice?, values: [novel, poems] }
    author: Author?
    editor: User?`,
    4: "Book: { states: [here, gone], transitions: { go: { from: here, to: gone } } }",
  });
  const changed = (from: string, to: string) => {
    expect(full).toContain(from);
    return full.replace(from, to);
  };
  beforeEach(async () => {
    await apply(full);
    for (const title of ["Dune", "Emma", "Emma"])
      await store.query(
        "insert into app.book (id, version, created_at, updated_at, title, state) values (gen_random_uuid(), 1, now(), now(), $1, 'here')",
        [title],
      );
  });

  test("a required field of another type, with the number of records without a value", async () => {
    await refusedWhole(changed("pages:  integer?", "pages:  date"), [
      "3.Book.pages can’t be added as a required field: 3 records have no value for it. Make it optional, or add “fill:” with their value.",
    ]);
  });

  test("a text that becomes a required number, with the conversion to add", async () => {
    await refusedWhole(changed("title:  text", "title:  decimal"), [
      "3.Book.title has a new type, and the text in 3 records is not converted automatically. Make it optional, or add “was: { title: text }” and “fill: decimal(was.title)”.",
    ]);
  });

  test("a state that is removed while records are in it, with the line to add", async () => {
    const without = changed("[here, gone], transitions: { go: { from: here, to: gone } }", "[gone]");
    await refusedWhole(without, [
      "4.Book no longer allows here, but 3 records have it. Add “was: here” to the value that they get, such as “{ gone: { was: here } }”.",
    ]);
  });

  test("a choice that is removed while a record has it", async () => {
    await store.query("update app.book set kind = 'poems' where title = 'Dune'");
    await refusedWhole(changed("[novel, poems]", "[novel, essay]"), [
      "3.Book.kind no longer allows poems, but 1 record has it. Add “was: poems” to the value that they get, such as “{ novel: { was: poems } }”.",
    ]);
  });

  test("a required field of an entity with records, with their number", async () => {
    await refusedWhole(changed("pages:  integer?", "pages:  integer?\n    shelf:  text"), [
      "3.Book.shelf can’t be added as a required field: 3 records have no value for it. Make it optional, or add “fill:” with their value.",
    ]);
  });

  test("a field that becomes required, with the number of records without a value", async () => {
    await store.query("update app.book set pages = 3 where title = 'Dune'");
    await refusedWhole(changed("pages:  integer?", "pages:  integer"), [
      "3.Book.pages can’t become required: 2 records have no value for it. Add “fill:” with their value.",
    ]);
    await store.query("delete from app.book where title = 'Emma'");
    await store.query("update app.book set pages = null");
    await refusedWhole(changed("pages:  integer?", "pages:  integer"), [
      "3.Book.pages can’t become required: 1 record has no value for it. Add “fill:” with their value.",
    ]);
  });

  test("a rule that stored records break, with their number", async () => {
    const rule = (text: string) =>
      `${full}\n\n${document({ 5: `Book: [{ rule: "${text}", else: WRONG }]`, 8: 'WRONG: "Wrong."' })}`;
    await refusedWhole(rule("title != 'Emma'"), [
      "5.Book.WRONG can’t take effect: 2 stored records violate it. Correct them, or check the rule only during some changes: “during: [create, update]”.",
    ]);
    await refusedWhole(rule("title != 'Dune'"), [
      "5.Book.WRONG can’t take effect: 1 stored record violates it. Correct it, or check the rule only during some changes: “during: [create, update]”.",
    ]);
    await apply(rule("title != 'Ulysses'"));
    await refusedWhole(rule("title != 'Emma'"), [
      "5.Book.WRONG can’t take effect: 2 stored records violate it. Correct them, or check the rule only during some changes: “during: [create, update]”.",
    ]);
  });

  test("uniqueness of a value that occurs more than once, with the number of records", async () => {
    await refusedWhole(changed("title:  text", "title:  { type: text, unique: true }"), [
      "3.Book.title can’t become unique: 1 value occurs more than once. Correct the records, or use a rule with “unique” and “where” to compare only some of them.",
    ]);
  });

  test("a text that becomes a choice, if a value is not one of its values", async () => {
    await refusedWhole(
      changed("title:  text", "title:  { type: choice, values: [Dune, dune] }").replace("[Dune, dune]", "[dune]"),
      [/^3\.Book\.title can’t become a choice: 3 records have other values/],
    );
    const { refused } = await planWithoutLocks(
      changed("title:  text", "title:  { type: choice, values: [dune], fill: dune }"),
    );
    // A second “fill” would be a mistake.
    expect(refused.map(({ missing }) => missing)).toEqual([undefined]);
  });

  test("a text that becomes the state, if a value is not the name of a state", async () => {
    const states = "Book: { field: title, states: [Dune, Emmo], transitions: { go: { from: Dune, to: Emmo } } }";
    await apply(shelf);
    await refusedWhole(document({ 3: "Book: { fields: { pages: integer? } }", 4: states }), [
      "4.Book can’t take effect: 2 records have values that are not the name of a state. Correct them, add the missing states, or give the state field a different name.",
    ]);
  });

  test("a text whose maximum shrinks, with the number of longer values", async () => {
    const titled = (max: string) => changed("title:  text", `title:  { type: text${max} }`);
    await refusedWhole(titled(", max: 3"), [
      "3.Book.title can’t be limited to at most 3 characters: 3 records are longer. Correct them, or add “fill:” with a value that fits.",
    ]);
    await refusedWhole(titled(", min: 5"), [
      "3.Book.title can’t be limited to at least 5 characters: 3 records are shorter. Correct them, or add “fill:” with a value that fits.",
    ]);
    expect((await apply(titled(", max: 4"))).done).toEqual(["3.Book.title: allow at most 4 characters"]);
    await store.query("update app.book set title = 'Ulysses' where title = 'Dune'");
    // Data from before the bound, or written outside the program, are violated only by a narrower bound.
    expect((await apply(titled(", max: 5"))).done).toEqual([]);
    await refusedWhole(titled(", max: 4"), [
      "3.Book.title can’t be limited to at most 4 characters: 1 record is longer. Correct it, or add “fill:” with a value that fits.",
    ]);
    expect((await apply(full)).done).toEqual([]);
  });

  test("a long text that becomes a short one, if a value is too long", async () => {
    const details = (type: string) => changed("pages:  integer?", `pages:  integer?\n    blurb: ${type}`);
    await apply(details("long text?"));
    await store.query("update app.book set blurb = repeat('x', 1001) where title = 'Emma'");
    await refusedWhole(details("text?"), [
      "3.Book.blurb can’t be limited to at most 1000 characters: 2 records are longer. Correct them, or add “fill:” with a value that fits.",
    ]);
  });

  test("narrower bounds of numbers, dates, durations, lists of them, and of a constant", async () => {
    const fields = (more: string, constants = "") =>
      changed("    pages:  integer?\n", more).concat(constants === "" ? "" : `\n\n${document({ 9: constants })}`);
    const wide = `
    pages:  { type: integer?, max: longest }
    price:  { type: money?, max: 100 }
    day:    { type: date?, min: 2000-01-01 }
    time:   { type: duration?, max: 30 days }
    marks:  { type: integer, many: true, max: 9 }
`;
    await apply(fields(wide, "longest: 500"));
    await store.query(
      "update app.book set pages = 412, price = 19.90, day = '2020-02-02', time = '20 days', marks = '{3,7}' where title = 'Dune'",
    );
    await refusedWhole(fields(wide, "longest: 400"), [
      "3.Book.pages can’t be limited to at most 400: 1 record has a higher value. Correct it, or add “fill:” with a value that fits.",
    ]);
    await refusedWhole(fields(wide.replace("max: 100", "max: 19.5"), "longest: 500"), [
      "3.Book.price can’t be limited to at most 19.5: 1 record has a higher value. Correct it, or add “fill:” with a value that fits.",
    ]);
    await refusedWhole(
      fields(wide.replace("2000", "2021").replace("30 days", "2 weeks").replace("max: 9", "max: 5"), "longest: 500"),
      [
        "3.Book.day can’t be limited to at least 2021-01-01: 1 record has a lower value. Correct it, or add “fill:” with a value that fits.",
        "3.Book.time can’t be limited to at most P14D: 1 record has a higher value. Correct it, or add “fill:” with a value that fits.",
        "3.Book.marks can’t be limited to at most 5: 1 record has a higher value. Correct it, or add “fill:” with a value that fits.",
      ],
    );
    const fits = fields(wide.replace("max: 100", "max: 20").replace("max: 9", "max: 7"), "longest: 412");
    expect((await apply(fits)).done).toEqual([
      "3.Book.pages: allow at most 412",
      "3.Book.price: allow at most 20",
      "3.Book.marks: allow at most 7",
    ]);
    expect((await apply(fits.replace("longest: 412", "longest: 500"))).done).toEqual([]);
  });

  test("a narrower bound of a renamed field", async () => {
    await refusedWhole(changed("title:  text", "name:  { type: text, was: title, max: 3 }"), [
      "3.Book.name can’t be limited to at most 3 characters: 3 records are longer. Correct them, or add “fill:” with a value that fits.",
    ]);
  });

  test("several at once are all reported, and additions are not made either", async () => {
    const text = changed("    pages:  integer?\n", "    extra:  text?\n")
      .replace("[novel, poems]", "[novel]")
      .replace("[here, gone], transitions: { go: { from: here, to: gone } }", "[gone]");
    await store.query("update app.book set kind = 'poems' where title = 'Dune'");
    await refusedWhole(text, [/^3\.Book\.kind no longer allows poems/u, /^4\.Book no longer allows here/u]);
  });

  test("several that stored records break are all reported, each with its rows", async () => {
    const text = changed("title:  text", "title:  { type: text, unique: true }")
      .replace("pages:  integer?", "pages:  integer\n    shelf:  { type: text, unique: true }")
      .concat(`\n\n${document({ 5: `Book: [{ rule: "title != 'Emma'", else: WRONG }]`, 8: 'WRONG: "Wrong."' })}`);
    await refusedWhole(text, [
      "3.Book.pages can’t become required: 3 records have no value for it. Add “fill:” with their value.",
      "3.Book.shelf can’t be added as a required field: 3 records have no value for it. Make it optional, or add “fill:” with their value.",
      "5.Book.WRONG can’t take effect: 2 stored records violate it. Correct them, or check the rule only during some changes: “during: [create, update]”.",
      "3.Book.title can’t become unique: 1 value occurs more than once. Correct the records, or use a rule with “unique” and “where” to compare only some of them.",
    ]);
  });

  test("and the previous document still starts", async () => {
    await refusal(changed("integer?", "text"));
    expect(await apply(full)).toEqual({ version: 1, done: [] });
  });
});

describe("names that the database reserves", () => {
  /** Such a name is either refused by the checker or works; it never fails at the start. */
  test.each([
    ["a field with the name of a system column of Postgres", withField("xmin: text?")],
    ["a field with the name of another system column", withField("tableoid: integer?")],
    [
      "a field of a person with the name of a platform column",
      document({ 3: "User: { fields: { active: boolean } }" }),
    ],
    ["a field with the name of the other platform column", document({ 3: "User: { fields: { roles: text? } }" })],
    [
      "a table with the name of the index of a reference",
      document({ 3: "Loan: { fields: { book: User? } }\nLoanBook: { fields: { name: text } }" }),
    ],
    [
      "an error whose constraint has the name of a choice’s",
      document({
        3: "Book: { fields: { title: text, kind: { type: choice, values: [novel] } } }",
        5: `Book: [{ rule: "size(title) > 1", else: KIND_VALUES }]`,
        8: 'KIND_VALUES: "No."',
      }),
    ],
    [
      "two rules with one error, and an error with the name of the second",
      document({
        3: "Book: { fields: { title: text } }",
        5: `Book:\n  - { rule: "size(title) > 1", else: BAD }\n  - { rule: "size(title) > 2", else: BAD }\n  - { rule: "size(title) > 3", else: BAD_2 }`,
        8: 'BAD: "No."\nBAD_2: "No."',
      }),
    ],
    [
      "reserved words of SQL",
      document({
        3: "Order: { fields: { select: text?, table: integer?, where: Order?, group: { type: text, unique: true } } }",
      }),
    ],
    [
      "names of the maximum length",
      document({
        3: `${"E".repeat(63)}: { fields: { ${"f".repeat(63)}: { type: text, unique: true }, ${"g".repeat(63)}: User?, ${"h".repeat(63)}: { type: choice?, values: [a] } } }`,
      }),
    ],
    [
      "names with a long common prefix",
      document({
        3: `Book: { fields: { ${"f".repeat(62)}a: { type: text?, unique: true }, ${"f".repeat(62)}b: { type: text?, unique: true } } }`,
      }),
    ],
  ])("%s", async (_, text) => {
    const { findings, model } = compile({ file: "shelf.md", text });
    if (model === undefined) {
      expect(findings.map(({ code }) => code)).toSatisfy((codes: string[]) =>
        codes.every((code) => code === "RESERVED_NAME" || code === "NAME_TWICE"),
      );
      return;
    }
    expect((await apply(text)).version).toBe(1);
    expect(await apply(text)).toEqual({ version: 1, done: [] });
  });
});

describe("changes made in the database by hand", () => {
  beforeEach(async () => {
    await apply(shelf);
  });

  test("to a table of the document are reported: a foreign column, and a missing one that can’t be restored", async () => {
    await store.query("alter table app.book add column mine text");
    expect(await refusal(shelf)).toEqual([
      "The column mine of the table book was not created by Ninefold. Remove it, or add a field for it.",
    ]);
    await store.query("alter table app.book drop column mine");
    await books("Dune");
    await store.query("alter table app.book drop column title");
    expect(await refusal(shelf)).toEqual([
      expect.stringContaining("3.Book.title can’t be added as a required field: 1 record has"),
    ]);
  });

  test("are kept if they are an index or a constraint of their own", async () => {
    await store.query("create index mine on app.book (title, created_at)");
    await store.query("alter table app.book add constraint theirs check (title <> 'x')");
    expect(await apply(shelf)).toEqual({ version: 1, done: [] });
    const { rows } = await store.query(
      "select count(*)::int as n from pg_indexes where indexname = 'mine' union all select count(*)::int from pg_constraint where conname = 'theirs'",
    );
    expect(rows).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test("that removed one of our indexes are repaired", async () => {
    await store.query(`drop index app.user__unique_email`);
    expect((await apply(shelf)).done).toEqual(["3.User.email: add index user__unique_email"]);
  });
});

describe("a foreign database", () => {
  beforeEach(async () => {
    await store.end();
    store = await database();
  });
  const refusedBy = async (): Promise<DatabaseRefused> => {
    const thrown = await apply(shelf).catch((error: unknown) => error);
    if (!(thrown instanceof DatabaseRefused)) throw new Error("not refused", { cause: thrown });
    return thrown;
  };
  const schemas = async () =>
    (await store.query("select nspname from pg_namespace where nspname in ('app', 'ninefold') order by 1")).rows;

  test("is refused if its schema “app” contains tables, and they stay", async () => {
    await store.query("create schema app; create table app.invoice (id int); insert into app.invoice values (1)");
    expect((await refusedBy()).message).toBe(
      "The database has a schema “app” or “ninefold” that Ninefold did not create.",
    );
    expect(await schemas()).toEqual([{ nspname: "app" }]);
    expect((await store.query("select id from app.invoice")).rows).toEqual([{ id: 1 }]);
  });

  test("is refused if its schema “app” contains anything: a view, a sequence, a function", async () => {
    for (const [created, dropped] of [
      ["create view app.mine as select 1 as one", "drop view app.mine"],
      ["create materialized view app.mine as select 1 as one", "drop materialized view app.mine"],
      ["create sequence app.mine", "drop sequence app.mine"],
      ["create function app.mine() returns int language sql as 'select 1'", "drop function app.mine()"],
      ["create type app.mine as enum ('a')", "drop type app.mine"],
    ] as const) {
      await store.query(`create schema if not exists app; ${created}`);
      expect((await refusedBy()).message).toContain("that Ninefold did not create");
      await store.query(dropped);
    }
    expect((await apply(shelf)).version).toBe(1);
  });

  test("is accepted if its schema “app” is empty, or other schemas have tables", async () => {
    await store.query("create schema app; create table public.invoice (id int)");
    expect((await apply(shelf)).version).toBe(1);
    expect((await store.query("select count(*)::int as n from public.invoice")).rows).toEqual([{ n: 0 }]);
  });

  test("is refused if a newer release used it, and nothing changes", async () => {
    await apply(shelf);
    await store.query("update ninefold.release set steps = 1000");
    const before = await everything();
    expect(await refusedBy()).toMatchObject({
      message: "A newer release of Ninefold has used this database.",
      hint: "Start that release or a newer one.",
    });
    expect(await everything()).toEqual(before);
  });

  test("is refused if it is older than Postgres 18", async () => {
    // Postgres searches pg_catalog first by default; this function reports version 17.
    const name = new URL(store.url.replace("@/", "@x/")).pathname.slice(1);
    await store.query(
      `create function public.current_setting(text) returns text language sql as $$ select case $1 when 'server_version_num' then '170006' when 'server_version' then '17.6' else pg_catalog.current_setting($1) end $$`,
    );
    await store.query(`alter database ${name} set search_path = public, pg_catalog`);
    const refused = await refusedBy();
    expect(refused.message).toBe("The database is PostgreSQL 17.6, but Ninefold needs 18 or newer.");
    expect(await schemas()).toEqual([]);
  });

  test("is refused if its encoding is not UTF-8", async () => {
    const name = `${new URL(store.url.replace("@/", "@x/")).pathname.slice(1)}_latin`;
    await store.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
    try {
      const url = toConnectionUrl({ ...inject("postgres"), database: name });
      await expect(apply(shelf, { ...store, url, appUrl: url })).rejects.toThrow(
        "The database's encoding is LATIN1, not UTF8.",
      );
    } finally {
      await store.query(`drop database ${name} with (force)`);
    }
  });

  test("is unchanged by a document with an error", async () => {
    expect(() => compiled("# Shelf\n\n## 3. Entities\n```yaml\nBook: { feilds: {} }\n```\n")).toThrow("UNKNOWN_KEY");
    expect(await schemas()).toEqual([]);
  });
});

test("a change in the workbench has as much time for its records as one at the start", async () => {
  const opened = await opening(shelf);
  await store.query(`
    create table public.had (time text);
    create function public.had() returns trigger language plpgsql security definer as
      $$ begin insert into public.had values (current_setting('statement_timeout')); return new; end $$;
    create trigger had after insert on ninefold.version for each row execute function public.had();`);
  const compiled = compile({ file: "shelf.md", text: shelf });
  const authoring = authoringOf(opened, compiled, store.url);
  const files = [{ file: "shelf.md", text: shelf.replace("# Shelf", "# Shelves") }];
  const applied = await authoring.apply(
    { base: opened.applied.hash, files },
    { id: newId(new Date()), granted: new Set(["administrator"]) },
  );
  expect(applied).toMatchObject({ version: 2 });
  await opened.close();
  await apply(shelf);
  expect((await store.query("select time from public.had")).rows).toEqual([{ time: "10min" }, { time: "10min" }]);
});

test("saved views move with their list, and stay in place if two lists have joined", async () => {
  const listed = (...paths: readonly string[]) =>
    document({
      2: paths.map((path) => `${path}: { list: Book, columns: [title] }`).join("\n"),
      3: "Book: { fields: { title: text } }",
    });
  await apply(listed("/books"));
  const [ada, bob] = [newId(new Date()), newId(new Date())];
  await store.query(
    `insert into ninefold.view (person, screen, title, query, shared, made_at) values ('${ada}', '/books', 'A', 'title~=a', false, now());
     insert into ninefold.preference (person, name, value) values ('${ada}', '/books', '{"columns":["title","gone"]}'), ('${ada}', 'theme', '"dark"'),
       ('${bob}', '/books', '{"layout":"board"}'), ('${bob}', '/shelf', '{"layout":"table"}')`,
  );
  const readStored = async () => [
    (await store.query("select screen, query from ninefold.view")).rows,
    (await store.query("select name, value from ninefold.preference order by person, name")).rows,
  ];
  const [, before] = await readStored();
  await apply(listed("/shelf"));
  expect(await readStored()).toEqual([
    [{ screen: "/shelf", query: "title~=a" }],
    // Existing preferences under the new name stay.
    before?.map((row) => (String(row.value).includes("gone") ? { ...row, name: "/shelf" } : row)),
  ]);
  const moved = await readStored();
  await apply(listed("/all", "/some"));
  expect(await readStored()).toEqual(moved);
});
