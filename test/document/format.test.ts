import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { formatCommand as formatFiles } from "../../src/cli/format.ts";
import { compile } from "../../src/core/compile.ts";
import { format } from "../../src/core/format.ts";
import { cases, seedOr } from "../chance.ts";
import { withoutPlaces } from "./model.ts";
import { documentOf, randomFrom } from "./reading.ts";

const formatted = (text: string): string => format([{ file: "desk.md", text }]).sources[0]?.text ?? "";

const examples = new URL("../../examples/", import.meta.url);
const documents = readdirSync(examples)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => ({ name, text: readFileSync(new URL(name, examples), "utf8") }));

describe("formatting chooses one of several notations", () => {
  for (const [what, point, before, after] of [
    [
      "an expression that is more than a name, a number or a call is quoted",
      5,
      "T:\n  - { rule: a > b, else: X }",
      'T:\n  - { rule: "a > b", else: X }',
    ],
    [
      "a name is not",
      3,
      'T:\n  fields:\n    a: { type: date, default: "today" }',
      "T:\n  fields:\n    a: { type: date, default: today }",
    ],
    [
      "nor a path or a number",
      3,
      "T:\n  fields:\n    a: { type: integer, default: 'limits.most' }\n    b: { type: integer, default: \"5\" }",
      "T:\n  fields:\n    a: { type: integer, default: limits.most }\n    b: { type: integer, default: 5 }",
    ],
    [
      "a call stays as it was written",
      3,
      'T:\n  fields:\n    a: { type: date, default: today() }\n    b: { type: date, default: "today()" }',
      'T:\n  fields:\n    a: { type: date, default: today() }\n    b: { type: date, default: "today()" }',
    ],
    [
      "quotes are those that need the fewest escapes",
      5,
      "T:\n  - { rule: 'a > b', else: X }\n  - { rule: \"a == \\\"x\\\"\", else: X }\n  - { rule: 'a == ''x''', else: X }",
      'T:\n  - { rule: "a > b", else: X }\n  - { rule: \'a == "x"\', else: X }\n  - { rule: "a == \'x\'", else: X }',
    ],
    [
      "a text for people keeps the quotes it has",
      8,
      "LATE: 'Too late.'\nSOON: Too soon.\nFULL: { message: \"Full\" , status: 409 }",
      "LATE: 'Too late.'\nSOON: Too soon.\nFULL: { message: \"Full\" , status: 409 }",
    ],
    [
      "the main key alone is left out",
      3,
      "T:\n  fields:\n    a: { type: date }\n    b: { type: 'text' }",
      "T:\n  fields:\n    a: date\n    b: 'text'",
    ],
    [
      "and stays beside others, in lines of its own, and with nothing said",
      3,
      "T:\n  fields:\n    a: { type: date, once: true }\n    b:\n      type: date\n    c: { type: not shown }",
      "T:\n  fields:\n    a: { type: date, once: true }\n    b:\n      type: date\n    c: { type: not shown }",
    ],
    [
      "braces hold one space at either end, brackets none, and commas have one behind them",
      6,
      "permissions: {T: {read: [ a,b , c ], create:   [  ]}}",
      "permissions: { T: { read: [a, b , c], create:   [] } }",
    ],
    [
      "comments, empty lines and lines' beginnings stay",
      3,
      "# one\nT:   # two\n\n    fields: {\n        a: {type: date},   # three\n      # four\n    }",
      "# one\nT:   # two\n\n    fields: {\n        a: date,   # three\n      # four\n    }",
    ],
    ["what is decided to be absent is not confused with a name", 4, "none", "none"],
  ] as const)
    test(what, () => {
      expect(formatted(documentOf(point, before))).toBe(documentOf(point, after));
      expect(formatted(documentOf(point, after))).toBe(documentOf(point, after));
    });

  test("it does not shorten what two blocks say together", () => {
    const text =
      "# D\n\n## 3. E\n\n```yaml\nT: { fields: { a: { type: text } } }\n```\n\n```yaml\nT: { fields: { a: { max: 5 } } }\n```\n";
    expect(formatted(text)).toBe(text);
  });

  test("it leaves an unreadable document unchanged, and reports the problem", () => {
    const text = documentOf(5, "T:\n  - { rule: a > f(b, c), else: X }");
    expect(format([{ file: "desk.md", text }])).toMatchObject({
      sources: [{ text }],
      findings: [{ code: "NEEDS_QUOTES" }],
    });
  });
});

describe("the examples are formatted", () => {
  for (const { name, text } of documents) test(name, () => expect(formatted(text)).toBe(text));
});

describe("formatting keeps the meaning", () => {
  for (const { name, text } of documents)
    test(name, () => {
      const after = formatted(text);
      const [was, is] = [text, after].map((item) => compile({ file: name, text: item }));
      expect(is?.findings.map(({ code, message }) => `${code} ${message}`)).toEqual(
        was?.findings.map(({ code, message }) => `${code} ${message}`),
      );
      expect(withoutPlaces(is?.model)).toEqual(withoutPlaces(was?.model));
      expect(formatted(after)).toBe(after);
    });

  test("also of randomly edited documents; it is idempotent and keeps comments and prose", {
    timeout: 120_000,
  }, () => {
    const random = randomFrom(seedOr(3));
    const rounds = cases(40, 400);
    const outside = (text: string) => text.split(/^```(?:yaml)?$/mu).filter((_, index) => index % 2 === 0);
    const comments = (text: string) => Array.from(text.matchAll(/(?<=^|\s)# .*$/gmu), ([comment]) => comment);
    let changed = 0;
    for (let round = 0; round < rounds; round++) {
      const { name, text } = random.pick(documents as [(typeof documents)[number], ...typeof documents]);
      const edited = respelt(text, random);
      const [source] = format([{ file: name, text: edited }]).sources;
      const after = source?.text ?? "";
      if (after !== edited) changed++;
      expect(formatted(after)).toBe(after);
      expect(outside(after)).toEqual(outside(edited));
      expect(comments(after)).toEqual(comments(edited));
      if (round % 8 > 0) continue;
      const [was, is] = [edited, after].map((item) => compile({ file: name, text: item }).model);
      expect(withoutPlaces(is)).toEqual(withoutPlaces(was));
    }
    expect(changed).toBeGreaterThan(rounds / 4);
  });
});

/** A document with some blocks written differently (spaces, quotes, long forms), and sometimes another text. */
const respelt = (text: string, random: ReturnType<typeof randomFrom>): string => {
  const change = (line: string): string => {
    const kind = random.below(12);
    if (kind === 0) return line.replaceAll("{ ", "{").replaceAll(" }", "}");
    if (kind === 1) return line.replaceAll("{ ", "{   ");
    if (kind === 2) return line.replaceAll(", ", ",");
    if (kind === 3) return line.replace(/: ([a-z]+\??)$/u, ": { type: $1 }");
    if (kind === 4) return line.replace(/"([^"']*)"/gu, "'$1'");
    if (kind === 5) return line.replace(/: "([^"',:#{}[\]]*)"/gu, ": $1");
    if (kind === 6) return line.replace(/(default|rule|when|computed): ([a-z_.]+)(?=[ ,}])/gu, '$1: "$2"');
    if (kind === 8 && line.trim() !== "") return `${line} # remark ${random.below(1_000)}, "kept" { whole }`;
    if (kind === 7 && random.below(8) === 0) return line.replace(/\b[a-z_]{4,}\b/u, "other");
    return line;
  };
  return text
    .split(/(^```(?:yaml)?$)/mu)
    .map((part, index) => (index % 4 === 2 ? part.split("\n").map(change).join("\n") : part))
    .join("");
};

describe("ninefold format", () => {
  test("writes files that change, and with --check only lists them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ninefold-"));
    const reports: string[] = [];
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => reports.push(String(chunk)) > 0);
    try {
      const before = documentOf(3, "T:\n  fields: {a: {type: date}}");
      const after = documentOf(3, "T:\n  fields: { a: date }");
      writeFileSync(join(folder, "a.md"), before);
      writeFileSync(join(folder, "b.md"), documentOf(9, "page_size: 5"));
      expect(await formatFiles([folder, "--check"])).toBe(1);
      expect(readFileSync(join(folder, "a.md"), "utf8")).toBe(before);
      expect(await formatFiles([folder])).toBe(0);
      expect(readFileSync(join(folder, "a.md"), "utf8")).toBe(after);
      expect(await formatFiles([folder, "--check"])).toBe(0);
      expect(reports.map((line) => line.replace(/^.*\//u, ""))).toEqual([
        "a.md is not formatted\n",
        "a.md formatted\n",
      ]);
    } finally {
      spy.mockRestore();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
