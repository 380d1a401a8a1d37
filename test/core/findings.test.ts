import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { applyEdits } from "../../src/core/document/edits.ts";
import { LARGEST } from "../../src/core/document/read.ts";
import { type Finding, type FindingCode, findingCodes, MOST_FINDINGS } from "../../src/core/findings.ts";

/** A document with one block per point. */
const points = (blocks: { readonly [point: number]: string }): string =>
  `# T\n${Object.entries(blocks)
    .map(([point, yaml]) => `\n## ${point}. P\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`)
    .join("")}`;

/** A text with ⟦…⟧ around the expected position of a finding. */
const marked = (text: string): { readonly text: string; readonly start: number; readonly end: number } => {
  const start = text.indexOf("⟦");
  const end = text.indexOf("⟧") - 1;
  if (start < 0 || end < start) throw new Error(`no place is marked in ${text}`);
  return { text: text.replace("⟦", "").replace("⟧", ""), start, end };
};

const found = (text: string): readonly Finding[] =>
  compile({ file: "t.md", text }).findings.filter(({ severity }) => severity !== "open");

/** One mistake with one finding at its position; `more` are codes of its consequences. */
const at = (code: FindingCode, document: string, more: readonly FindingCode[] = []): void => {
  const { text, start, end } = marked(document);
  const findings = compile({ file: "t.md", text }).findings.filter(
    (finding) => finding.severity !== "open" || finding.code === code,
  );
  expect(findings.map((finding) => finding.code).sort(), JSON.stringify(findings, undefined, 1)).toEqual(
    [code, ...more].sort(),
  );
  const other = findings.find((each) => each.code === code);
  expect({ ...other?.span, shows: text.slice(other?.span.start, other?.span.end) }).toEqual({
    file: "t.md",
    start,
    end,
    shows: text.slice(start, end),
  });
  expect(other?.severity).toBe(findingCodes[code].severity);
  for (const sentence of [other?.message, other?.hint]) expect(sentence).toMatch(/^\S.*[.?!]”?$/su);
};

const book = "Book: { fields: { title: text } }";
const pages = "Book: { fields: { pages: integer } }";
const entry = "NO: No.";
/** The only finding of the points. */
const item = (blocks: { readonly [point: number]: string }): string => {
  const [finding, ...more] = found(points(blocks));
  expect(more).toEqual([]);
  return `${finding?.code}: ${finding?.message} ${finding?.hint}`;
};
const moves = (keys: string) =>
  points({ 3: book, 4: `Book: { states: [a, b], final: b, transitions: { go: { ${keys} } } }` });
const rule = (text: string, fields = "title: text, pages: integer") =>
  points({ 3: `Book: { fields: { ${fields} } }`, 5: `Book:\n  - rule: ${text}\n    else: NO`, 8: entry });

/** For each code, a document with this mistake and no other. */
const documents: readonly (readonly [FindingCode, string, (readonly FindingCode[])?])[] = [
  ["EMPTY_DOCUMENT", "⟦ ⟧\n\t\n"],
  ["NOT_UTF8", points({ 1: "name: Sh⟦\ufffd⟧lf" })],
  ["NO_POINTS", "⟦#⟧ T\n\nWords.\n"],
  ["POINT_TWICE", "# T\n\n## 3. One\n\n⟦## 3. Two⟧\n"],
  ["NOT_A_POINT", "# T\n\n## 3. One\n\n## More\n\n⟦```yaml\na: b\n```⟧\n"],
  ["NOT_A_POINT", "# T\n\n⟦```yaml\na: b\n```⟧\n\n## 3. One\n"],
  [
    "MISPLACED_BLOCK",
    "# T\n\n## 1. One\n\n⟦```⟧yaml\nBook: { fields: { a: text } }\nShelf: { fields: { a: text } }\n```\n",
  ],
  ["BAD_INDENT", points({ 3: "Book:\n  fields:\n    title: text\n⟦   p⟧ages: integer" })],
  ["BAD_INDENT", points({ 3: "Book:\n⟦\t⟧fields: { title: text }" })],
  ["NEEDS_QUOTES", rule("⟦!open⟧", "open: boolean")],
  ["NOT_CLOSED", points({ 1: 'name: ⟦"⟧Shelf' })],
  ["NOT_CLOSED", `# T\n\n## 3. P\n\n⟦\`\`\`⟧yaml\n${book}\n`],
  ["COMMENT_CUTS", points({ 1: "name: Shelf ⟦#4⟧" })],
  ["BAD_CHARACTER", points({ 1: "name: Sh⟦\u200b⟧elf" })],
  ["YAML_FEATURE", points({ 3: "Book: ⟦&b⟧ { fields: { title: text } }" })],
  ["YAML_FEATURE", points({ 3: "Book: { fields: { title: ⟦!!str⟧ text } }" })],
  ["YAML_FEATURE", points({ 3: "Book:\n  ⟦<<⟧: { a: b }\n  fields: { title: text }" })],
  ["YAML_FEATURE", points({ 3: `${book}\n⟦---⟧\nShelf: { fields: { name: text } }` })],
  ["KEY_TWICE", points({ 3: `${book}\n⟦Book⟧: { fields: { name: text } }` })],
  ["KEY_TWICE", "# T\n\n## 1. P\n\n```yaml\nname: A\n```\n\n```yaml\nname: ⟦B⟧\n```\n"],
  ["TOO_DEEP", points({ 1: `name: ${"[".repeat(32)}⟦[⟧]${"]".repeat(32)}` }), ["WRONG_SHAPE"]],
  ["WRONG_SHAPE", points({ 3: "Book: { fields: ⟦[title]⟧ }" })],
  ["WRONG_SHAPE", points({ 3: "Book: { fields: { title:⟦⟧ } }" })],
  ["WRONG_SHAPE", points({ 3: "⟦- Book⟧" })],
  ["UNKNOWN_KEY", points({ 3: "Book: { ⟦feilds⟧: { title: text } }" })],
  ["UNKNOWN_KEY", points({ 7: "⟦signin⟧: { password: true }" })],
  ["MISSING_KEY", points({ 3: book, 4: "⟦Book⟧: { initial: a }" })],
  ["BAD_NAME", points({ 3: "Book: { fields: { ⟦firstDay⟧: date } }" })],
  ["BAD_NAME", points({ 3: "⟦book⟧: { fields: { title: text } }" })],
  ["BAD_NAME", points({ 3: `Book: { fields: { ⟦${"x".repeat(64)}⟧: date } }` })],
  ["RESERVED_NAME", points({ 3: "Book: { fields: { title: text, ⟦version⟧: integer } }" })],
  ["BAD_VALUE", points({ 3: "Book: { fields: { pages: { type: integer, ⟦discloses⟧: true } } }" })],
  ["BAD_VALUE", points({ 1: "timezone: ⟦Berlin/Europe⟧" })],
  ["BAD_VALUE", points({ 1: 'accent: ⟦"petrol"⟧' })],
  ["BAD_VALUE", points({ 9: "page_size: ⟦many⟧" })],
  ["BAD_VALUE", points({ 3: "Book: { fields: { pages: { type: integer, max: ⟦lots⟧ } } }" })],
  ["BAD_VALUE", points({ 3: "Book: { path: ⟦My Books⟧, fields: { title: text } }" })],
  ["BAD_VALUE", points({ 2: "⟦/api/books⟧: { list: Book }", 3: book })],
  ["UNKNOWN_NAME", points({ 3: "Book: { fields: { title: ⟦txt⟧ } }" })],
  ["UNKNOWN_NAME", points({ 2: "/books: { list: ⟦Bok⟧ }", 3: book })],
  ["UNKNOWN_NAME", points({ 2: "/books: { list: Book, columns: [title, ⟦author⟧] }", 3: book })],
  ["UNKNOWN_NAME", points({ 3: book, 6: "permissions: { Book: { read: ⟦keeper⟧ } }" })],
  ["UNKNOWN_NAME", points({ 3: book, 4: "⟦Shelf⟧: { states: [a] , final: a }" })],
  [
    "NAME_TWICE",
    points({ 3: `Book: { path: a, fields: { title: text } }\n⟦Shelf⟧: { path: a, fields: { name: text } }` }),
  ],
  ["BAD_RENAMING", points({ 3: `Book: { fields: { title: text, name: { type: text, was: ⟦title⟧ } } }` })],
  ["BAD_EXPRESSION", rule('"size(title) >⟦⟧"')],
  ["TYPES_DIFFER", rule('"⟦title > 3⟧"')],
  ["OPTIONAL_UNGUARDED", rule('"⟦pages⟧ > 3"', "pages: integer?")],
  [
    "MAY_BE_MISSING",
    points({ 3: "Book: { fields: { pages: integer?, twice: { type: ⟦integer⟧, computed: pages * 2 } } }" }),
  ],
  ["AMBIGUOUS_NAME", rule('"kind == ⟦lent⟧"', "kind: { type: choice, values: [novel, lent] }, lent: boolean")],
  ["NO_ERROR_ENTRY", points({ 3: pages, 5: 'Book:\n  - rule: "pages > 3"\n    else: ⟦NO⟧' })],
  ["UNUSED_ERROR", points({ 8: "⟦NO⟧: No." })],
  ["UNUSED_CALL", points({ 3: pages, 7: "outgoing: { ⟦board⟧: { post: APP_BOARD } }" })],
  ["UNUSED_LIMIT", points({ 9: "⟦usual_wait⟧: 2 weeks" })],
  ["UNUSED_ROLE", points({ 6: "roles: { ⟦keeper⟧: granted }" })],
  [
    "UNREACHABLE_STATE",
    points({
      3: book,
      4: "Book: { states: [a, b, ⟦c⟧], final: [b, c], transitions: { go: { from: a, to: b, by: administrator } } }",
    }),
  ],
  [
    "DEAD_END",
    points({ 3: book, 4: "Book: { states: [a, ⟦b⟧], transitions: { go: { from: a, to: b, by: administrator } } }" }),
  ],
  [
    "MISSING_KEY",
    moves("from: a, by: administrator").replace("{ from: a, by: administrator }", "⟦{ from: a, by: administrator }⟧"),
  ],
  ["UNKNOWN_NAME", moves("from: ⟦x⟧, to: b, by: administrator")],
  ["BAD_VALUE", points({ 3: book, 4: "Book: { states: [{ a: { deadline: ⟦title⟧ } }] }" })],
  ["NOBODY_MAY", moves("from: a, to: b, ⟦by⟧: []")],
  ["BAD_VALUE", moves("from: a, to: b, timeout: 2 days, main: ⟦true⟧")],
  ["BAD_VALUE", points({ 3: book, 5: "Book: [⟦{ unique: [], else: NO }⟧]", 8: 'NO: "No."' })],
  [
    "BAD_VALUE",
    points({
      3: `${book}\nPage: { fields: { book: Book } }`,
      6: "permissions:\n  Book: { read: administrator }\n  Page: { read: { role: administrator, ⟦like⟧: book } }",
    }),
  ],
  [
    "NEVER_TRUE",
    points({
      3: `${book}\nPage: { fields: { book: Book } }`,
      6: "permissions:\n  Book: { read: { role: administrator, fields: [title] } }\n  Page: { read: { like: ⟦book⟧ } }",
    }),
  ],
  [
    "NEVER_TRUE",
    points({
      3: `${book}\nPage: { fields: { book: Book } }`,
      6: "permissions:\n  Book: { read: none }\n  Page: { read: { like: ⟦book⟧ } }",
    }),
  ],
  [
    "CYCLE",
    points({
      3: "Part: { fields: { whole: Part } }",
      6: "permissions: { Part: { read: { like: ⟦whole⟧ } } }",
    }),
  ],
  [
    "CYCLE",
    points({
      3: "Book: { fields: { a: { type: integer, computed: ⟦b + 1⟧ }, b: { type: integer, computed: a + 1 } } }",
    }),
  ],
  [
    "CALL_TWICE",
    points({ 3: book, 7: "calls:\n  GET /books/{id}: { read: Book }\n  ⟦GET /books/{title}⟧: { read: Book }" }),
  ],
  ["SCREENS_CALL_IT", points({ 3: book, 7: "calls:\n  ⟦GET /books⟧: { list: Book }" })],
  [
    "BAD_VALUE",
    points({
      3: pages,
      6: "roles: { staff: signed in }\npermissions: { User: { read: { role: staff, fields: [⟦roles⟧] } } }",
    }),
  ],
  ["NO_SUCH_PARAMETER", points({ 3: book, 7: "calls:\n  GET /books/{⟦isbn⟧}: { read: Book }" })],
  ["SECRET_IN_DOCUMENT", points({ 7: "outgoing: { post_office: { post: ⟦https://example.com⟧ } }" })],
  [
    "NOT_EXECUTED",
    points({ 3: "Book: { fields: { risk: not shown, risky: { type: boolean, computed: ⟦risk⟧ > 3 } } }" }),
  ],
  [
    "UNKNOWN_NAME",
    points({
      3: "Book: { fields: { title: text } }",
      5: "Book: [{ rule: ⟦keeper⟧ && size(title) > 2, else: NO }]",
      6: "roles: { keeper: granted }",
      8: "NO: No.",
    }),
  ],
  ["LOOKS_OPEN", "# T\n\n## 1. One\n\n⟦Who pays?⟧ Salaries are not shown to staff. Who signs is not shown.\n"],
  ["LOOKS_OPEN", "# T\n\n## 1. One\n\nA shop. ⟦The colour isn’t shown yet.⟧\n"],
  ["LOOKS_OPEN", "# T\n\n## 1. One\n\nA shop. ⟦Not shown: the price.⟧\n"],
  ["LOOKS_OPEN", "# T\n\n## 1. One\n\nA shop. ⟦The price is to be decided.⟧\n"],
  ["NOT_SHOWN", points({ 3: "Book: { fields: { title: text, pages: ⟦not shown⟧ } }" })],
];

describe("a mistake gives one finding with its position and a hint", () => {
  test.each(documents.map(([code, text, more], i) => [code, i, text, more] as const))(
    "%s (%i)",
    (code, _, text, more) => {
      at(code, text, more);
    },
  );

  test("every code has a document above, except those tested below", () => {
    const core = fileURLToPath(new URL("../../src/core/", import.meta.url));
    const files = ["document", "sections"].flatMap((folder) =>
      readdirSync(join(core, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(core, folder, name), "utf8")),
    );
    const reported = new Set(
      files.flatMap((text) => [...text.matchAll(/"([A-Z][A-Z0-9_]+)"/gu)].map(([, code]) => code ?? "")),
    );
    const shown = new Set<string>(documents.map(([code]) => code));
    const missing = Object.keys(findingCodes).filter((code) => reported.has(code) && !shown.has(code));
    expect(missing).toEqual(["TOO_LARGE", "BAD_YAML"]);
  });

  test("BAD_YAML: an unknown escape", () => {
    at("BAD_YAML", points({ 1: 'name: "a ⟦\\q⟧ b"' }));
  });

  test("TOO_LARGE: a document of more than five million characters is not read", () => {
    const text = `# T\n\n## 3. P\n\n${"words ".repeat(LARGEST / 6 + 1)}\n`;
    expect(found(text)).toMatchObject([{ code: "TOO_LARGE", span: { start: 0, end: 1 } }]);
  });

  test("TOO_MANY_FINDINGS: the check stops after the maximum", () => {
    const many = Array.from({ length: MOST_FINDINGS + 500 }, (_, i) => `    f${i}: txt`).join("\n");
    const findings = found(points({ 3: `Book:\n  fields:\n${many}` }));
    expect(findings).toHaveLength(MOST_FINDINGS + 1);
    expect(findings.at(-1)?.code).toBe("TOO_MANY_FINDINGS");
  });

  test("several mistakes are found in the order of the text", () => {
    const text = points({
      1: "timezone: Mars",
      3: "Book: { fields: { title: txt, version: integer, Upper: text } }",
      9: "page_size: many",
    });
    const findings = found(text);
    expect(findings.map(({ code }) => code)).toEqual([
      "BAD_VALUE",
      "UNKNOWN_NAME",
      "RESERVED_NAME",
      "BAD_NAME",
      "BAD_VALUE",
    ]);
    const places = findings.map(({ span }) => span.start);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe("the position of a name in an expression", () => {
  test.each([
    ["bare", "size(⟦titel⟧) > 2"],
    ["in double quotes", '"size(⟦titel⟧) > 2"'],
    ["behind an escape", '"title != \\"a\\" && size(⟦titel⟧) > 2"'],
    ["in single quotes, behind a doubled one", "'title != ''a'' && size(⟦titel⟧) > 2'"],
    ["in a block of lines", "|\n      title != 'a'\n        && size(⟦titel⟧) > 2"],
    ["in a block of joined lines", ">\n      title != 'a'\n      && size(⟦titel⟧) > 2"],
    ["in a block that keeps its last line", "|-\n      size(title) > 1 &&\n\n      size(⟦titel⟧) > 2"],
    ["in quotes over two lines", "\"title != 'a' &&\n      size(⟦titel⟧) > 2\""],
    ["without quotes over two lines", "title != null &&\n      size(⟦titel⟧) > 2"],
    ["behind what takes two code units", "\"title != '😀' && size(⟦titel⟧) > 2\""],
  ])("%s", (_, text) => {
    at("UNKNOWN_NAME", rule(text));
  });

  test("in braces, on one line", () => {
    at("UNKNOWN_NAME", points({ 3: book, 5: 'Book: [{ rule: "size(⟦titel⟧) > 2", else: NO }]', 8: entry }));
  });

  test("in a label and in a message, after a literal brace", () => {
    at("UNKNOWN_NAME", points({ 3: 'Book: { label: "{ {x} {⟦titel⟧}", fields: { title: text } }' }));
    at(
      "UNKNOWN_NAME",
      points({ 3: book, 5: 'Book: [{ rule: "size(title) > 2", else: NO }]', 8: 'NO: "“{title}” and {⟦titel⟧}."' }),
    );
  });

  test("with Windows line endings", () => {
    const { text } = marked(rule("|\n      title != 'a'\n      && size(⟦titel⟧) > 2"));
    const windows = text.replaceAll("\n", "\r\n");
    const [finding] = found(windows);
    expect(windows.slice(finding?.span.start, finding?.span.end)).toBe("titel");
  });
});

describe("suggestions", () => {
  test("name a similar word, and the fix changes exactly that word", () => {
    const text = points({ 3: "Book: { feilds: { title: txt? } }\nShelf: { fields: { first: Boook } }" });
    const mended = found(text)
      .flatMap(({ fix }) => fix ?? [])
      .toSorted((a, b) => b.span.start - a.span.start)
      .reduce((now, { span, text: replacement }) => now.slice(0, span.start) + replacement + now.slice(span.end), text);
    expect(mended).toBe(points({ 3: "Book: { fields: { title: txt? } }\nShelf: { fields: { first: Book } }" }));
    expect(found(mended)).toMatchObject([{ code: "UNKNOWN_NAME", nearest: "text" }]);
  });

  test.each([
    ["Book: { fields: { title: txet } }", "text"],
    ["Book: { fields: { title: intger } }", "integer"],
    ["Book: { lable: x, fields: { title: text } }", "label"],
    ["Book: { fields: { title: TEXT } }", "text"],
  ])("%s → %s", (block, expected) => {
    expect(found(points({ 3: block })).map(({ nearest }) => nearest)).toContain(expected);
  });

  test("are missing if nothing is similar", () => {
    const [finding] = found(points({ 3: "Book: { fields: { title: zebra } }" }));
    expect(finding).not.toHaveProperty("nearest");
    expect(finding?.hint).toContain("The types are text, long text, rich text, integer");
  });

  test("name the position of the first definition", () => {
    const text = points({ 3: `${book}\nBook: { fields: { name: text } }` });
    const [finding] = found(text);
    expect(finding).toMatchObject({ code: "KEY_TWICE", also: { start: text.indexOf("Book") } });
  });
});

describe("a key with an unreadable value is not reported as missing", () => {
  const shelf = "Book: { fields: { title: text, pages: integer } }";
  test.each<[string, FindingCode, { readonly [point: number]: string }]>([
    ["a call to another program", "WRONG_SHAPE", { 7: "outgoing: { board: { post: ⟦[APP_BOARD]⟧, sends: {} } }" }],
    [
      "what an effect sets",
      "TYPES_DIFFER",
      {
        3: `${shelf}\nPage: { fields: { text: text, number: integer } }`,
        4: `Book: { after: { create: { create: Page, set: { text: title, number: "⟦title⟧" } } } }`,
      },
    ],
    [
      "the key of what is put",
      "TYPES_DIFFER",
      {
        3: `${shelf}\nPage: { fields: { text: text? , number: { type: integer, unique: true } } }`,
        4: `Book: { after: { create: { put: Page, key: number, set: { number: "⟦title⟧" } } } }`,
      },
    ],
    [
      "the fields by which a record is put",
      "BAD_NAME",
      {
        3: `${shelf}\nPage: { fields: { number: { type: integer, unique: true } } }`,
        4: `Book: { after: { create: { put: Page, key: ⟦Number⟧, set: { number: pages } } } }`,
      },
    ],
    [
      "what an effect tells",
      "WRONG_SHAPE",
      { 3: shelf, 4: `Book: { after: { create: { notify: user, text: ⟦[Hello]⟧ } } }` },
    ],
    ["an error's code", "UNKNOWN_KEY", { 3: shelf, 5: `Book: [{ rule: pages > 1, ⟦esle⟧: NO }]` }],
    ["a rule", "UNKNOWN_KEY", { 3: shelf, 5: `Book: [{ ⟦ruel⟧: pages > 1, else: NO }]`, 8: entry }],
    ["a screen", "UNKNOWN_KEY", { 2: "/books: { ⟦liste⟧: Book }", 3: shelf }],
    ["a field's type", "UNKNOWN_KEY", { 3: "Book: { fields: { title: { ⟦typ⟧: text } } }" }],
    [
      "a choice's values",
      "WRONG_SHAPE",
      { 3: "Book: { fields: { kind: { type: choice, values: ⟦{ a: 1, b: 2 }⟧ } } }" },
    ],
    ["a permission's role", "BAD_NAME", { 3: shelf, 6: "permissions: { Book: { read: [{ role: ⟦The clerk⟧ }] } }" }],
    ["a tile's entity", "BAD_NAME", { 2: "/: { tiles: [{ count: ⟦book⟧ }] }", 3: shelf }],
    [
      "a chart's groups",
      "WRONG_SHAPE",
      { 2: "/: { tiles: [{ chart: bars, from: Book, per: ⟦{ a: pages }⟧ }] }", 3: shelf },
    ],
    ["a call's condition", "WRONG_SHAPE", { 3: shelf, 7: "calls:\n  GET /one: { read: Book, where: ⟦{ a: b }⟧ }" }],
    ["a call's steps", "WRONG_SHAPE", { 3: shelf, 7: "calls:\n  POST /one: { do: ⟦Book⟧ }" }],
    ["a provider", "UNKNOWN_NAME", { 7: "sign in: { password: false, providers: [⟦gogle⟧] }" }],
    ["the states", "WRONG_SHAPE", { 3: shelf, 4: "Book: { states: ⟦{ draft: a, done: b }⟧ }" }],
  ])("%s", (_, code, blocks) => at(code, points(blocks)));
});

describe("one mistake gives one finding, also if other clauses depend on it", () => {
  const notes =
    "Book: { fields: { title: text, notes: { list: Note.book } } }\nNote: { fields: { book: { type: Book, part of: true } } }";
  test.each<[string, FindingCode, { readonly [point: number]: string }]>([
    [
      "an unknown function in a shape that calls apply, also by way of another",
      "UNKNOWN_NAME",
      {
        3: notes,
        7: `calls:
  GET /one/{id}: { read: Book, gives: Book.short(this) }
  GET /all: { list: Book, gives: { books: Book.long(page) } }
  POST /one: { create: Book, gives: Book.long(this) }
  PUT /one/{id}: { update: Book, gives: { book: Book.short(this) } }
shapes:
  Book: { long: { it: Book.short(this) }, short: { title, loud: "⟦shout⟧(title)" } }`,
      },
    ],
    [
      "an unknown function in a permission that others follow",
      "UNKNOWN_NAME",
      {
        3: notes,
        6: `roles: { staff: signed in }
permissions:
  Book: { read: [{ role: staff, when: "⟦old⟧(title)" }], create: staff }
  Note: { read: [{ like: book }], create: [{ like: book }], update: [{ like: book }], delete: [{ like: book }] }`,
      },
    ],
    [
      "an unknown role in a permission that others follow",
      "UNKNOWN_NAME",
      {
        3: notes,
        6: `permissions:
  Book: { read: ⟦keeper⟧, create: administrator }
  Note: { read: [{ like: book }], create: [{ like: book }] }`,
      },
    ],
    [
      "an unknown function in a computed field that everything reads",
      "UNKNOWN_NAME",
      {
        2: "/books: { list: Book, columns: [title, loud], where: loud == 'x' }",
        3: `Book: { label: "{loud}", fields: { title: text, loud: { type: text, computed: "⟦shout⟧(title)" }, twice: { type: text, computed: "loud" } } }`,
        4: `Book: { states: [a, b], final: b, transitions: { go: { from: a, to: b, by: administrator, when: "loud != title" } } }`,
        5: "Book: [{ rule: loud != title, else: NO }]",
        7: "calls:\n  GET /all: { list: Book, where: loud == 'x' }",
        8: `NO: "{loud} is no title."`,
      },
    ],
  ])("%s", (_, code, blocks) => at(code, points(blocks)));

  test("an undecided field is still reported for each call that uses the shape", () => {
    const text = points({
      3: "Book: { fields: { title: text, risk: not shown } }",
      7: "calls:\n  GET /one/{id}: { read: Book, gives: Book.short(this) }\nshapes: { Book: { short: { title, risk } } }",
    });
    expect(found(text).map(({ code, clause }) => `${code} ${clause}`)).toEqual([
      "NOT_EXECUTED 7.GET /one/{id}",
      "NOT_EXECUTED 7.shapes.Book.short",
    ]);
  });
});

describe("a value that is not allowed in its place", () => {
  const calls = (call: string) => ({ 3: book, 7: `calls:\n  ${call}` });

  test.each<[string, { readonly [point: number]: string }]>([
    [
      "BAD_VALUE: “calendar” is not allowed here. Write “table”, { board: status }, { calendar: first_day } or { pivot: status, by: priority }.",
      { 2: "/books: { list: Book, layouts: [calendar] }", 3: book },
    ],
    [
      "BAD_VALUE: “comments” is not allowed here. Write “history”, { fields: [name] } or { list: comments }.",
      { 2: "/books/{id}: { record: Book, sections: [comments] }", 3: book },
    ],
    [
      "BAD_VALUE: “closed” is not allowed here. Write “open”, or who may register: “emails”, “roles”, “asks” and “verify email”, or none.",
      { 7: "sign in: { sign up: closed }" },
    ],
    [
      "WRONG_SHAPE: “all” is not allowed here. Write a token with its keys: by, longest, header, scheme, cookie, or none.",
      { 7: "token: all" },
    ],
    [
      "BAD_VALUE: “green” is not allowed here. Did you mean “good”?",
      { 3: book, 4: "Book: { states: [{ a: { tone: green } }] }" },
    ],
    [
      "WRONG_SHAPE: “none” is not allowed here. Write a mapping from methods and paths to calls. To have none, omit the key.",
      { 7: "calls: none" },
    ],
    [
      "WRONG_SHAPE: A value is missing here. Write a list, each a name in lower case (first_day).",
      { 2: "/books: { list: Book, columns: }", 3: book },
    ],
    [
      "BAD_VALUE: Only a call that writes can have an empty response. Remove “gives” for the usual response, or write “gives: {}” for an empty object.",
      calls("GET /one: { list: Book, gives: none }"),
    ],
    [
      "BAD_VALUE: The status of a response with a body is from 200 to 299, but not 204. Write “gives: none” for a response without a body.",
      calls("POST /one: { create: Book, status: 204 }"),
    ],
    [
      "MISSING_KEY: This call does not say what it replaces of Book. Add “takes” with the fields that a request gives. Those that it does not send are cleared.",
      calls("'PUT /one/{id}': { replace: Book }"),
    ],
    [
      "MISSING_KEY: The path of this call does not identify one Book, so it could create another each time. Use a unique field, all fields of a “unique” rule in point 5, or {id} in the path.",
      calls("'PUT /one/{title}': { put: Book, takes: { title } }"),
    ],
    [
      "BAD_VALUE: The call asks for title, but does not take it. Add it to “takes”.",
      calls("POST /one: { create: Book, takes: {}, set: { title: \"'x'\" }, asks: title }"),
    ],
    [
      "MISSING_KEY: Members can only be ignored if “takes” names the others. Add “takes” with the members that the call reads.",
      calls("POST /one: { create: Book, unknown: ignored }"),
    ],
    [
      "MISSING_KEY: “missing” is about the members that “gives” names, and this call has none. Add “gives” with the members of the response, or remove “missing”.",
      calls("GET /one: { list: Book, missing: omitted }"),
    ],
    [
      "BAD_VALUE: “selectable” is only for calls that list or read records and have “gives”. Remove it.",
      calls("GET /one: { list: Book, selectable: title }"),
    ],
    [
      "UNKNOWN_NAME: There is no member of the response “titel”. Did you mean “title”?",
      calls("'GET /one/{id}': { read: Book, gives: { title }, selectable: titel }"),
    ],
    [
      "RESERVED_NAME: “fields” is reserved for calls with “selectable”. Choose another word.",
      calls(
        "'GET /one/{id}': { read: Book, gives: { title }, selectable: title, query: { fields: { type: text, where: title == input.fields } } }",
      ),
    ],
    [
      "BAD_VALUE: A token can’t be in the header “Cookie”. Write “Authorization”, or a header of your own such as “X-Auth-Token”.",
      { 7: "token: { header: Cookie }" },
    ],
    [
      "BAD_VALUE: “of.title” does not identify one record. Write a reference and a unique field of its entity, such as section.code, or the reference alone for its id.",
      {
        3: "Book: { fields: { title: text, of: Book? } }",
        7: "calls: { POST /one: { create: Book, takes: { title, of: of.title } } }",
      },
    ],
    [
      "UNKNOWN_NAME: There is no call “GET /ones/{id}”. Did you mean “GET /one/{id}”?",
      calls("'GET /one/{id}': { read: Book, gives: { url: 'GET /ones/{id}' } }"),
    ],
    [
      'BAD_VALUE: Names appear in the response as you write them, so the response would contain “{at}” itself. Write { "{field}": { message, value } } for an object with the name of each field and nothing else, or [{ at, message }] for a list.',
      { 7: 'error shape: { errors: { "{at}": message } }' },
    ],
    [
      'BAD_VALUE: Names appear in the response as you write them, so the response would contain “{field}” itself. Write { "{field}": { message, value } } for an object with the name of each field and nothing else, or [{ at, message }] for a list.',
      { 7: 'error shape: { errors: { "{field}": message, also: code } }' },
    ],
    [
      'BAD_VALUE: Names appear in the response as you write them, so the response would contain “{field}” itself. Write { "{field}": { message, value } } for an object with the name of each field and nothing else, or [{ at, message }] for a list.',
      { 8: 'TOO_LONG: { message: Too long., shape: [{ "{field}": message }] }' },
    ],
    [
      "UNKNOWN_NAME: An error response has no “value”. It has code, status, title, message, clause, help, request, errors, messages. For the text itself, write \"'value'\".",
      { 8: "TOO_LONG: { message: Too long., shape: { value } }" },
    ],
    ["BAD_VALUE: NOT_FOUND has no value {value}. Remove it.", { 3: book, 8: 'Book.NOT_FOUND: "{value} is gone."' }],
    [
      "BAD_VALUE: TAKEN has no value {values}. It has {field}, {member}, {value}.",
      { 3: book, 8: 'Book.title.TAKEN: "{values} is taken."' },
    ],
    [
      "WRONG_SHAPE: A list stands for all errors, so it has one item: the form of each error. Write for example [{ at, message }], or [message].",
      { 7: "error shape: { errors: [at, message] }" },
    ],
    [
      "WRONG_SHAPE: A list of errors can’t be inside another one. Remove the inner brackets.",
      { 7: "error shape: { errors: [[message]] }" },
    ],
    [
      "UNKNOWN_NAME: An error response has no “fail”. It has code, status, title, message, clause, help, request, errors, messages. For the text itself, write \"'fail'\".",
      { 7: "error shape: { status: fail }" },
    ],
    [
      "BAD_VALUE: A value of an error is a text, a whole number, true, false, null or “now”. Put a text in two pairs of quotes, such as \"'fail'\".",
      { 7: "error shape: { status: 1.5 }" },
    ],
    [
      "BAD_VALUE: NOT_FOUND belongs to no field, so “at” only has an effect in an “error shape”. Remove “at”, or write an “error shape” in point 7.",
      { 8: "NOT_FOUND: { message: None., at: thing }" },
    ],
    [
      "UNKNOWN_NAME: There is no built-in error “NOT_FOUN”. Did you mean “NOT_FOUND”?",
      {
        3: book,
        7: "calls: { 'GET /one/{id}': { read: Book, errors: { NOT_FOUN: GONE, FORBIDDEN: GONE } } }",
        8: "GONE: It is gone.",
      },
    ],
    [
      "NO_ERROR_ENTRY: There is no error in point 8 called “GONE”. Add “GONE” with its status and message to point 8.",
      { 3: book, 7: "calls: { 'GET /one/{id}': { read: Book, errors: { NOT_FOUND: GONE } } }" },
    ],
    [
      "BAD_VALUE: NOT_FOUND has no value {title}. Remove it.",
      {
        3: book,
        7: "calls: { 'GET /one/{id}': { read: Book, errors: { NOT_FOUND: GONE } } }",
        8: 'GONE: "{title} is gone."',
      },
    ],
  ])("%s", (expected, blocks) => expect(item(blocks)).toBe(expected));

  test.each<[string, { readonly [point: number]: string }]>([
    [
      "sign-in as usual, and a role of visitors",
      { 3: book, 6: "roles: { visitor: anyone }\npermissions: { Book: { read: visitor } }" },
    ],
    ["an empty object as the answer", calls("POST /one: { create: Book, gives: {} }")],
    ["an answer without a body", calls("POST /one: { create: Book, gives: none, status: 204 }")],
    ["errors and messages in the author's words", { 7: "error shape: { errors: messages, all: errors }" }],
    [
      "an object with the form of each field",
      { 8: 'TOO_LONG: { message: "{member} {value}", shape: { "{field}": { value, all: [message] } } }' },
    ],
    ["a list with the form of each error", { 7: "error shape: { errors: [{ at, message }], texts: [message] }" }],
    ["a text in two pairs of quotes", { 7: `error shape: { status: "'fail'", message }` }],
    [
      "layouts and sections",
      {
        2: "/books: { list: Book, layouts: [table, { board: kind }] }\n/books/{id}: { record: Book, sections: [{ fields: [title] }, history] }",
        3: "Book: { fields: { title: text, kind: { type: choice, values: [a, b] } } }",
      },
    ],
  ])("what the hints offer is taken: %s", (_, blocks) => expect(found(points(blocks))).toEqual([]));
});

describe("a pivot", () => {
  const books =
    "Book: { fields: { title: text, kind: { type: choice, values: [a, b] }, lent: boolean, tags: { type: text, many: true }, price: integer } }";
  const list = (layout: string) => ({ 2: `/books: { list: Book, layouts: [table, ${layout}] }`, 3: books });
  const tile = (text: string) => ({ 2: `/: { tiles: [{ from: Book, ${text} }] }`, 3: books });
  test.each<[string, { readonly [point: number]: string }]>([
    [
      "MISSING_KEY: A pivot needs “by”. Add the field of its columns: “{ pivot: status, by: priority }”.",
      list("{ pivot: kind }"),
    ],
    [
      "BAD_VALUE: A pivot can’t have a line for each value of title. Use a choice, the state, a reference, a boolean, or a date by month, quarter_of(day) or year_of(day).",
      list("{ pivot: kind, by: title }"),
    ],
    [
      "BAD_VALUE: A pivot can’t have a line for each value of tags. Use a choice, the state, a reference, a boolean, or a date by month, quarter_of(day) or year_of(day).",
      tile("pivot: tags, by: kind"),
    ],
    [
      "BAD_VALUE: A pivot has two different fields. Choose another field for its columns.",
      list("{ pivot: kind, by: kind }"),
    ],
    ["UNKNOWN_NAME: There is no field of Book “kin”. Did you mean “kind”?", tile("pivot: lent, by: kin")],
    [
      "BAD_EXPRESSION: A pivot counts records, or adds up one field. Write count() or sum(cost).",
      tile("pivot: kind, by: lent, value: avg(price)"),
    ],
    [
      "BAD_EXPRESSION: sum() needs a number. Use a number, or write count().",
      list("{ pivot: kind, by: lent, value: sum(title) }"),
    ],
    [
      "BAD_VALUE: Only a pivot has “by” and “value”. Write “pivot” with the field of its rows, or remove them.",
      list("{ board: kind, by: lent }"),
    ],
    [
      "BAD_VALUE: Only a pivot has “by”. Write “pivot” with the field of its rows, or remove “by”.",
      tile("count: Book, by: kind"),
    ],
  ])("%s", (expected, blocks) => expect(item(blocks)).toBe(expected));

  test("counts, or adds up a number", () => {
    for (const blocks of [
      list("{ pivot: kind, by: lent }"),
      list("{ pivot: kind, by: lent, value: sum( price ) }"),
      tile("pivot: kind, by: lent, value: count()"),
    ])
      expect(found(points(blocks))).toEqual([]);
  });
});

describe("the groups of a list", () => {
  const books =
    "Book: { fields: { title: text, kind: { type: choice, values: [a, b] }, lent: boolean, bought: date, owner: User? } }";
  const list = (group: string) => ({ 2: `/books: { list: Book, group: ${group} }`, 3: books });
  test.each<[string, string]>([
    [
      "BAD_VALUE: A list can’t be grouped by title. Use a choice, the state, a reference, a boolean, or a date by month, quarter_of(day) or year_of(day).",
      "[title]",
    ],
    ["UNKNOWN_NAME: There is no field of Book “kin”. Did you mean “kind”?", "[quarter_of(bought), kin]"],
    ["BAD_VALUE: A list is grouped by one or two different fields. Remove this one.", "[kind, lent, owner]"],
    ["BAD_VALUE: A list is grouped by one or two different fields. Remove this one.", "[bought, quarter_of(bought)]"],
  ])("%s", (expected, group) => expect(item(list(group))).toBe(expected));

  test("are one or two fields, of a date by a period", () => {
    for (const group of ["[kind]", "[owner, quarter_of(bought)]"]) expect(found(points(list(group)))).toEqual([]);
  });
});

describe("the fix of an expression removes its finding in every YAML notation", () => {
  const fields = "lent: boolean, kind: { type: choice, values: [novel, lent] }";
  const mended = (text: string): string => {
    const [finding] = found(text);
    expect(finding).toHaveProperty("fix");
    return applyEdits([{ file: "t.md", text }], finding?.fix ?? [])
      .map((applyEdit) => applyEdit.text)
      .join("");
  };

  test.each([
    ["without quotes", "kind == lent", "kind == 'lent'"],
    ["at its beginning", "lent == kind", `"'lent' == kind"`],
    ["at its beginning, before double quotes", `lent == kind && kind != "novel"`, undefined],
    ["in double quotes", `"lent == kind"`, `"'lent' == kind"`],
    ["in single quotes", "'lent == kind'", "'''lent'' == kind'"],
    ["behind a doubled quote", "'kind != ''novel'' && lent == kind'", "'kind != ''novel'' && ''lent'' == kind'"],
    ["in a block of lines", "|\n      lent == kind", "|\n      'lent' == kind"],
    ["a sign at its beginning", "not lent", `"! lent"`],
    ["a sign within", "kind == novel and !lent", "kind == novel && !lent"],
  ])("%s", (_, written, expected) => {
    if (expected === undefined) expect(found(rule(written, fields))[0]).not.toHaveProperty("fix");
    else {
      expect(mended(rule(written, fields))).toBe(rule(expected, fields));
      expect(found(rule(expected, fields))).toEqual([]);
    }
  });

  test("a label in single quotes", () => {
    const labelled = (label: string) =>
      points({ 3: `Book: { label: '${label}', fields: { title: text, ${fields} } }` });
    expect(mended(labelled("{title} {lent == kind ? 1 : 2}"))).toBe(labelled("{title} {''lent'' == kind ? 1 : 2}"));
  });
});

describe("AMBIGUOUS_NAME suggests a comparable value and names the other meaning", () => {
  test.each([
    ["a field of another type", "lent: boolean", "kind == lent", "the field lent", "Write 'lent' for the value."],
    [
      "a field before “in”",
      "lent: boolean, kinds: { type: choice, values: [novel, lent], many: true }",
      "lent in kinds",
      "the field lent",
      "Write 'lent' for the value.",
    ],
    [
      "a field that could be meant",
      "lent: { type: choice, values: [novel, lent] }",
      "kind == lent",
      "the field lent",
      "Write 'lent' for the value, or this.lent for the field lent.",
    ],
    ["a constant", "size: integer", "kind == most", "the constant most", "Write 'most' for the value."],
    ["the day", "size: integer", "kind == today", "the word today of this language", "Write 'today' for the value."],
  ])("%s", (_, fields, text, what, hint) => {
    const kind = "kind: { type: choice, values: [novel, lent, most, today] }";
    const document = `${rule(`"${text}"`, `${kind}, ${fields}`)}\n## 9. P\n\n\`\`\`yaml\nmost: 3\n\`\`\`\n`;
    const errors = (of: string) => found(of).filter(({ severity }) => severity === "error");
    const [finding, ...more] = errors(document);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ code: "AMBIGUOUS_NAME", message: expect.stringContaining(` and ${what}.`), hint });
    const [after] = applyEdits([{ file: "t.md", text: document }], finding?.fix ?? []);
    expect(errors(after?.text ?? "")).toEqual([]);
  });
});

describe("“not shown” and “none”", () => {
  const open = (text: string) =>
    compile({ file: "t.md", text }).open.map((point) => [point.point, point.statement, point.default]);
  const model = (text: string) => compile({ file: "t.md", text }).model;

  test("“not shown” instead of a block leaves the point open", () => {
    const text = points({ 3: book, 6: "not shown" });
    expect(found(text)).toEqual([]);
    expect(model(text)?.defaults).toContain("ADMINISTRATORS_ONLY");
    expect(open(text)).toContainEqual([6, "not shown", "ADMINISTRATORS_ONLY"]);
  });

  test("“not shown” as a value leaves only that value open", () => {
    const text = points({ 3: "Book: { fields: { title: text, pages: not shown } }" });
    expect([...(model(text)?.entities.get("Book")?.fields.keys() ?? [])]).toEqual(["title"]);
    expect(open(text)).toContainEqual([3, "not shown", expect.any(String)]);
  });

  test("“not shown” in quotes is an ordinary text", () => {
    const text = points({ 1: 'name: "not shown"' });
    expect(model(text)?.name).toBe("not shown");
    expect(open(text).map(([, statement]) => statement)).not.toContain("not shown");
  });

  test("“none” for screens means that there are none, and closes the point", () => {
    const text = points({ 2: "none", 3: book });
    expect(found(text)).toEqual([]);
    expect(model(text)?.screens).toEqual([]);
    expect(model(text)?.defaults).not.toContain("SCREENS_OF_ENTITIES");
    expect(open(text).map(([point]) => point)).not.toContain(2);
  });

  test("“none” as a permission excludes everyone, including administrators", () => {
    const text = points({ 3: book, 6: "permissions: { Book: { read: administrator, delete: none } }" });
    expect(model(text)?.entities.get("Book")?.permissions?.actions.delete).toEqual([]);
    expect(open(text).map(([point]) => point)).not.toContain(6);
  });

  test("a document with empty points runs, and everything is open", () => {
    const text = "# T\n\n## 3. Entities\n";
    expect(model(text)).toBeDefined();
    expect(open(text).map(([point]) => point)).toEqual([3, 1, 2, 4, 5, 6, 7, 8, 9]);
  });
});
