import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { getScreens } from "../../src/core/derive/client/default-screens.ts";
import { stateIcons } from "../../src/core/derive/client/state-icons.ts";
import { conventionalRoutes } from "../../src/core/derive/http/routes.ts";
import type { Table } from "../../src/core/derive/tables/table.ts";
import { buildTables } from "../../src/core/derive/tables/tables.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { StateMarkJson } from "../../src/core/wire/entities.ts";

const modelOf = (points: { readonly [point: number]: string }): Model => {
  const text = `# T\n${Object.entries(points)
    .map(([point, yaml]) => `\n## ${point}. P\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`)
    .join("")}`;
  const { model, findings } = compile({ file: "t.md", text });
  if (model === undefined) throw new Error(JSON.stringify(findings, undefined, 1));
  return model;
};

const table = (points: { readonly [point: number]: string }, name: string): Table => {
  const found = buildTables(modelOf(points)).find((table) => table.name === name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
};

describe("the tables of a document", () => {
  test("include one for each entity, named after it, and one for people", () => {
    const tables = buildTables(
      modelOf({ 3: "ClaimLine: { fields: { text: text } }\nVATRate: { fields: { text: text } }" }),
    );
    expect(tables.map(({ name, clause }) => [name, clause])).toEqual([
      ["user", "3.User"],
      ["claim_line", "3.ClaimLine"],
      ["vatrate", "3.VATRate"],
    ]);
  });

  test("have the common columns first, then one column for each field in the document's order", () => {
    const fields = "b: text, a: integer?, flag: boolean, owner: User?";
    const { columns } = table(
      { 3: `Book: { fields: { ${fields} } }`, 4: "Book: { field: at, states: [in, out] }" },
      "book",
    );
    expect(columns).toEqual([
      { name: "id", type: "uuid", required: true, references: null, initial: null, clause: "3" },
      { name: "version", type: "integer", required: true, references: null, initial: "1", clause: "3" },
      {
        name: "created_at",
        type: "timestamp(3) with time zone",
        required: true,
        references: null,
        initial: null,
        clause: "3",
      },
      {
        name: "updated_at",
        type: "timestamp(3) with time zone",
        required: true,
        references: null,
        initial: null,
        clause: "3",
      },
      {
        name: "state_since",
        type: "timestamp(3) with time zone",
        required: true,
        references: null,
        initial: "now()",
        clause: "4.Book",
      },
      { name: "b", type: "text", required: true, references: null, initial: null, clause: "3.Book.b" },
      { name: "a", type: "bigint", required: false, references: null, initial: null, clause: "3.Book.a" },
      { name: "flag", type: "boolean", required: true, references: null, initial: "false", clause: "3.Book.flag" },
      { name: "owner", type: "uuid", required: false, references: "user", initial: null, clause: "3.Book.owner" },
      { name: "at", type: "text", required: true, references: null, initial: "'in'", clause: "4.Book" },
    ]);
  });

  test.each([
    ["text", "text"],
    ["long text", "text"],
    ["integer", "bigint"],
    ["decimal", "numeric(38,10)"],
    ["boolean", "boolean"],
    ["date", "date"],
    ["datetime", "timestamp(3) with time zone"],
    ["email", "text"],
    ["url", "text"],
    ["phone", "text"],
    ["{ type: choice, values: [a] }", "text"],
    ["Book", "uuid"],
  ])("keep %s as %s", (type, column) => {
    const { columns } = table({ 3: `Book: { fields: { f: ${type} } }` }, "book");
    expect(columns.at(-1)).toMatchObject({ name: "f", type: column, required: true });
  });

  test("have no column for a field that is not shown", () => {
    const { columns } = table({ 3: "Book: { fields: { title: text, price: not shown } }" }, "book");
    expect(columns.slice(4).map(({ name }) => name)).toEqual(["title"]);
  });

  test("store several references in a link table with two foreign keys", () => {
    const { columns, indexes, links } = table(
      { 3: "Book: { fields: { title: text, authors: { type: User, many: true } } }" },
      "book__links_authors",
    );
    expect(columns.map(({ name, references, goesWith }) => [name, references, goesWith])).toEqual([
      ["record", "book", true],
      ["refers", "user", undefined],
    ]);
    expect(indexes.map(({ on, unique }) => [on, unique])).toEqual([
      ['("record", "refers")', true],
      ['("refers", "record")', false],
    ]);
    expect(links).toEqual({ of: "book", column: "authors" });
  });

  test("check the values of choices and states", () => {
    const { checks } = table(
      {
        3: "Book: { fields: { kind: { type: choice?, values: [novel, poems] } } }",
        4: "Book: { states: [in, out], final: [in, out] }",
      },
      "book",
    );
    expect(checks.map(({ condition, values, clause }) => ({ condition, values, clause }))).toEqual([
      { condition: "\"kind\" in ('novel', 'poems')", values: ["novel", "poems"], clause: "3.Book.kind" },
      { condition: "\"state\" in ('in', 'out')", values: ["in", "out"], clause: "4.Book" },
    ]);
  });

  test("check a rule that reads only its own record, including missing values", () => {
    const { checks } = table(
      {
        3: "Book: { fields: { pages: integer?, least: integer } }",
        5: 'Book: [{ rule: "pages == null || pages >= least", else: NO }]',
        8: "NO: No.",
      },
      "book",
    );
    const [rule, ...more] = checks.filter((check) => check.of === "document");
    expect(more).toEqual([]);
    expect(rule).toMatchObject({ clause: "5.Book.NO", values: null });
    expect(rule?.condition).toMatch(/"pages" is null\)* or .*"pages" >= .*"least"/iu);
  });

  test.each([
    ["of one action", '{ rule: "pages > 1", during: create, else: NO }'],
    ["under a condition", '{ rule: "pages > 1", when: "title != \'x\'", else: NO }'],
    ["that reads the day", '{ rule: "lent_on <= today", else: NO }'],
    ["that reads the person", '{ rule: "owner == user", else: NO }'],
    ["that reads another record", "{ rule: \"owner.name != 'x'\", else: NO }"],
  ])("leave a rule %s to the server", (_, rule) => {
    const { checks } = table(
      {
        3: "Book: { fields: { title: text, pages: integer, lent_on: date, owner: User } }",
        5: `Book: [${rule}]`,
        8: "NO: No.",
      },
      "book",
    );
    expect(checks.filter(({ clause }) => clause === "5.Book.NO")).toEqual([]);
  });

  test("have an index for each unique field, each reference and the order of each list", () => {
    const { indexes } = table(
      {
        2: "/books: { list: Book, sort: [-day, title] }",
        3: "Book: { fields: { title: { type: text, unique: true }, mail: { type: email, unique: true }, day: date?, owner: User } }",
      },
      "book",
    );
    expect(indexes.map(({ on, unique, clause }) => ({ on, unique, clause }))).toEqual([
      { on: '("title") deferrable', unique: true, clause: "3.Book.title" },
      { on: '(lower("mail"))', unique: true, clause: "3.Book.mail" },
      {
        on: '("owner", "day" desc nulls last, ("title" COLLATE "und-x-icu") nulls last, "id" desc)',
        unique: false,
        clause: "3.Book.owner",
      },
      {
        on: '("day" desc nulls last, ("title" COLLATE "und-x-icu") nulls last, "id" desc)',
        unique: false,
        clause: "2./books",
      },
    ]);
  });

  test("include the fields that rules add up in the index of the reference", () => {
    const { indexes } = table(
      {
        3: "Book: { fields: { owner: User, pages: integer, day: date, title: text } }",
        5: "Book: [{ rule: 'Book.filter(b, b != this && b.owner == owner && b.day == day && b.title != title).map(b, b.pages).sum() + pages < 100', else: TOO_MUCH }]",
        8: "TOO_MUCH: Too much.",
      },
      "book",
    );
    expect(indexes.map(({ on }) => on)).toEqual([expect.stringMatching(/^\("owner", "id"\) include \([^t]*\)$/)]);
    expect(indexes[0]?.on).toContain('"pages"');
    expect(indexes[0]?.on).toContain('"day"');
  });

  test("have different names of at most 63 bytes, even for long names in the document", () => {
    const fields = Array.from({ length: 5 }, (_, i) => `${"f".repeat(62)}${i}: { type: text?, unique: true }`);
    const tables = buildTables(modelOf({ 3: `${"E".repeat(63)}: { fields: { ${fields.join(", ")} } }` }));
    const names = tables.flatMap(({ name, checks, indexes }) => [
      name,
      ...[...checks, ...indexes].map((item) => item.name),
    ]);
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are deterministic", () => {
    const points = { 3: "Book: { fields: { title: { type: text, unique: true }, owner: User } }" };
    expect(buildTables(modelOf(points))).toEqual(buildTables(modelOf(points)));
  });
});

describe("the calls of a document", () => {
  const calls = (points: { readonly [point: number]: string }) =>
    conventionalRoutes(modelOf(points)).map(({ method, path }) => `${method} ${path}`);

  test("include the conventional calls and transitions of each entity, and of people if the document mentions them", () => {
    const book = "Book: { path: tomes, fields: { title: text } }";
    const states =
      "Book: { states: [in, out], transitions: { lend: { from: in, to: out }, back: { from: out, to: in } } }";
    const own = [
      "GET /api/tomes",
      "POST /api/tomes",
      "GET /api/tomes/:id",
      "PATCH /api/tomes/:id",
      "DELETE /api/tomes/:id",
      "GET /api/tomes/:id/history",
      "POST /api/tomes/:id/lend",
      "POST /api/tomes/:id/back",
    ];
    expect(calls({ 3: book, 4: states })).toEqual(own);
    const spoken = calls({ 3: book, 4: states, 6: "permissions: { User: { read: administrator } }" });
    expect(spoken).toEqual([...own.slice(0, 6).map((call) => call.replace("tomes", "users")), ...own]);
  });

  test("are empty if point 7 says so or if there are no entities", () => {
    expect(calls({ 3: "Book: { fields: { title: text } }", 7: "conventional: none" })).toEqual([]);
    expect(calls({ 3: "none" })).toEqual([]);
  });
});

describe("the mark of a state", () => {
  const marks = (states: string, transitions: string, more: { accent?: string; initial?: string } = {}) => {
    const model = modelOf({
      1: `name: T${more.accent === undefined ? "" : `\naccent: "${more.accent}"`}`,
      3: "Thing: { fields: { name: text } }",
      4: `Thing: { ${more.initial === undefined ? "" : `initial: ${more.initial}, `}states: [${states}], transitions: { ${transitions} } }`,
    });
    const of = model.entities.get("Thing")?.states;
    if (of == null) throw new Error("no states");
    return stateIcons(of);
  };
  const plain = (mark: StateMarkJson | undefined) => `${mark?.hue} ${mark?.shape.kind}${mark?.ring ? " ringed" : ""}`;

  test("depends on order and transitions: dashed at first, then filling, a disc at the end", () => {
    const found = marks(
      "asked, checked, lent, returned, declined, lost",
      "a: { from: asked, to: checked }, b: { from: checked, to: lent }, c: { from: lent, to: returned }, d: { from: asked, to: declined }",
    );
    expect(Object.fromEntries(found)).toEqual({
      asked: { hue: "neutral", shape: { kind: "dashed" }, ring: false },
      checked: { hue: "blue", shape: { kind: "pie", part: 1 / 3 }, ring: false },
      lent: { hue: "amber", shape: { kind: "pie", part: 2 / 3 }, ring: false },
      returned: { hue: "teal", shape: { kind: "disc", cut: "none" }, ring: false },
      declined: { hue: "plum", shape: { kind: "disc", cut: "bar" }, ring: false },
      lost: { hue: "neutral", shape: { kind: "square" }, ring: false },
    });
  });

  test("does not depend on the names of states or the accent colour", () => {
    const first = marks("open, done, failed", "a: { from: open, to: done }, b: { from: open, to: failed }", {
      accent: "#006272",
    });
    const second = marks("failed, open, done", "a: { from: failed, to: open }, b: { from: failed, to: done }", {
      accent: "#c00000",
    });
    expect([...second.values()]).toEqual([...first.values()]);
  });

  test("is red or green only if the document says so", () => {
    const described = marks(
      "a, { b: { tone: bad } }, { c: { tone: good } }, { d: { tone: warning } }, { e: { tone: neutral } }",
      "x: { from: a, to: b }, y: { from: a, to: c }, z: { from: a, to: d }, w: { from: a, to: e }",
    );
    expect([...described.values()].map(({ hue }) => hue)).toEqual(["neutral", "red", "green", "amber", "neutral"]);
    const many = Array.from({ length: 12 }, (_, i) => `s${i}`);
    const silent = marks(
      many.join(", "),
      many
        .slice(1)
        .map((name, i) => `t${i}: { from: s0, to: ${name} }`)
        .join(", "),
    );
    expect([...silent.values()].map(({ hue }) => hue)).not.toContain("red");
    expect([...silent.values()].map(({ hue }) => hue)).not.toContain("green");
  });

  test("differs for eight final states and eight others", () => {
    const ends = Array.from({ length: 8 }, (_, i) => `e${i}`);
    const waiting = Array.from({ length: 8 }, (_, i) => `w${i}`);
    const found = marks(
      ["start", ...waiting, ...ends].join(", "),
      waiting
        .map((state, i) => `a${i}: { from: start, to: ${state} }, b${i}: { from: ${state}, to: ${ends[i]} }`)
        .join(", "),
    );
    const seen = [...found.entries()].map(([, { hue, shape, ring }]) => JSON.stringify([hue, shape, ring]));
    expect(new Set(seen).size).toBe(seen.length);
    expect(plain(found.get("w4"))).toBe("blue pie ringed");
    expect(plain(found.get("e4"))).toBe("teal disc ringed");
  });

  test("starts at the initial state and handles circles", () => {
    const found = marks("done, begun", "a: { from: begun, to: done }, b: { from: done, to: begun }", {
      initial: "begun",
    });
    expect(plain(found.get("begun"))).toBe("neutral dashed");
    expect(found.get("done")?.shape).toEqual({ kind: "pie", part: 7 / 8 });
  });
});

test("if point 2 is silent, the list of people comes last, so that it is not the start page", () => {
  const model = modelOf({
    3: "Claim: { fields: { text: text } }\nBill: { fields: { text: text } }",
    6: "roles: { staff: signed in }\npermissions: { User: { read: [staff] }, Claim: { read: [staff] }, Bill: { read: [staff] } }",
  });
  const lists = getScreens(model).filter(({ kind }) => kind === "list");
  expect(lists.map(({ path }) => path)).toEqual(["/claims", "/bills", "/users"]);
});
