import { describe, expect, test } from "vitest";
import { splitLines } from "../../src/core/document/lines.ts";
import type { Tree } from "../../src/core/document/tree.ts";
import { readYaml } from "../../src/core/document/yaml/read.ts";
import type { Finding } from "../../src/core/findings.ts";
import { expectFast } from "../growth.ts";

const read = (text: string) => {
  const findings: Finding[] = [];
  const tree = readYaml({ file: "t.md", text, lines: splitLines(text) }, findings);
  return { tree, findings: findings.map(({ code, span }) => [code, text.slice(span.start, span.end)]) };
};

/** A tree as plain values; duplicate keys are visible. */
const plainValues = (tree: Tree | undefined): unknown => {
  if (tree === undefined) return undefined;
  if (tree.kind === "scalar") return tree.text;
  if (tree.kind === "list") return tree.items.map(plainValues);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [key.text, plainValues(value)]));
};
const plain = (text: string) => {
  const { tree, findings } = read(text);
  expect(findings).toEqual([]);
  return plainValues(tree);
};

describe("every value is read as text", () => {
  test.each([
    "no",
    "yes",
    "on",
    "off",
    "true",
    "null",
    "~",
    "01234",
    "0x1F",
    "1e3",
    "1.10",
    "08:30",
    "2026-03-29",
    "2026-03-29T08:30:00Z",
    "1_000",
    ".5",
    "+1",
    ".inf",
    ".nan",
    "=",
    "0o17",
    "12e03",
    "1,5",
    "@x",
  ])("%s", (value) => {
    if (value === "@x") return expect(read(`a: ${value}`).findings).not.toEqual([]);
    return expect(plain(`a: ${value}`)).toEqual({ a: value });
  });

  test("also in lists and as keys", () => {
    expect(plain("1: [no, 1.10, 08:30]\nyes: off")).toEqual({ "1": ["no", "1.10", "08:30"], yes: "off" });
  });

  test("special JavaScript keys are ordinary keys", () => {
    const { tree } = read("__proto__: a\nconstructor: b\ntoString: c");
    expect(tree?.kind === "mapping" ? tree.entries.map(({ key }) => key.text) : []).toEqual([
      "__proto__",
      "constructor",
      "toString",
    ]);
  });
});

describe("YAML features with hidden meaning give a finding at their sign", () => {
  test.each([
    ["an anchor", "a: &x { b: c }", [["YAML_FEATURE", "&x"]]],
    ["an anchor on a text", "a: &x b", [["YAML_FEATURE", "&x"]]],
    ["an anchor on a key", "&x a: b", [["YAML_FEATURE", "&x"]]],
    ["an anchor in a list", "a: [&x b]", [["YAML_FEATURE", "&x"]]],
    ["a tag", "a: !!int 3", [["YAML_FEATURE", "!!int"]]],
    ["a tag of one's own", "a: !thing { b: c }", [["YAML_FEATURE", "!thing"]]],
    [
      "a tag that would run a program",
      "a: !!python/object/apply:os.system [ls]",
      [["NEEDS_QUOTES", "!!python/object/apply:os.system [ls]"]],
    ],
    ["a merge key", "a: { <<: { b: c } }", [["YAML_FEATURE", "<<"]]],
    ["a second document", "a: b\n---\nc: d", [["YAML_FEATURE", "---"]]],
    ["a directive", "%YAML 1.1\n---\na: b", [["YAML_FEATURE", "%YAML 1.1"]]],
    ["a key that is no word", "? [a, b]\n: c", [["YAML_FEATURE", "?"]]],
  ] as const)("%s", (_, text, expected) => {
    const { findings } = read(text);
    expect(findings.slice(0, expected.length)).toEqual(expected);
  });

  test("an alias", () => {
    const { tree, findings } = read("a: &x { big: [1, 2] }\nb: *x");
    expect(findings.map(([code]) => code)).toContain("YAML_FEATURE");
    expect(findings.length).toBeGreaterThanOrEqual(2);
    expect(plainValues(tree)).not.toMatchObject({ b: { big: ["1", "2"] } });
  });

  test("a document with exponential aliases is read fast", async () => {
    const levels = Array.from(
      { length: 60 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(", ")}]`,
    );
    const text = `l0: &l0 [x]\n${levels.join("\n")}`;
    expect(read(text).findings.map(([code]) => code)).toContain("YAML_FEATURE");
    await expectFast(() => read(text), 10);
  });
});

describe("a repeated key", () => {
  test.each([
    ["a: 1\na: 2", "a"],
    ["a: { b: 1, b: 2 }", "b"],
    ['a: 1\n"a": 2', '"a"'],
    ["a:\n  b: 1\n  c: 2\n  b: 3", "b"],
    ["constructor: 1\nconstructor: 2", "constructor"],
  ])("is found at the second: %j", (text, at) => {
    const { findings } = read(text);
    expect(findings).toEqual([["KEY_TWICE", at]]);
  });

  test("in two mappings is allowed", () => {
    expect(plain("a: { c: 1 }\nb: { c: 2 }")).toEqual({ a: { c: "1" }, b: { c: "2" } });
  });
});

describe("nesting", () => {
  test("of 32 levels is read, and deeper nesting gives one finding", () => {
    const deep = (levels: number) => `a: ${"[".repeat(levels)}x${"]".repeat(levels)}\nb: c`;
    expect(read(deep(31)).findings).toEqual([]);
    const { tree, findings } = read(deep(40));
    expect(findings.map(([code]) => code)).toEqual(["TOO_DEEP"]);
    expect(plainValues(tree)).toMatchObject({ b: "c" });
  });

  test.each([
    ["brackets", (n: number) => "[".repeat(n)],
    ["braces", (n: number) => "{a: ".repeat(n)],
    ["dashes", (n: number) => "- ".repeat(n)],
    ["indentation", (n: number) => Array.from({ length: n }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
  ])("of thousands of %s is a finding, and no fault", (_, make) => {
    const { findings } = read(make(5_000));
    expect(findings.map(([code]) => code)).toContain("TOO_DEEP");
  });
});

describe("text that YAML would cut or misread gives a finding", () => {
  test.each([
    ["a colon in a text", "a: b: c"],
    ["a text that begins with a bracket and goes on", "a: [x] y"],
    ["a text that begins with a quote and goes on", "a: 'x' y"],
    ["a comma in braces", "a: { b: f(x, y) }"],
    ["an exclamation mark", "a: { b: !x }"],
    ["a star", "a: *x"],
    ["a backtick", "a: `x`"],
    ["a percent sign", "a: %x"],
    ["an at sign", "a: @x"],
  ])("%s", (_, text) => {
    expect(read(text).findings.map(([code]) => code)).toEqual(["NEEDS_QUOTES"]);
  });

  test("text in quotes is unchanged", () => {
    expect(plain(`a: "b: c"\nb: "[x] y"\nc: "f(x, y) # z"\nd: '!x'\ne: "*x"`)).toEqual({
      a: "b: c",
      b: "[x] y",
      c: "f(x, y) # z",
      d: "!x",
      e: "*x",
    });
  });

  test("a # after a space starts a comment, but not inside a word", () => {
    expect(plain("a: b # remark\nc: d#e\n# whole line\nf: 'g # h'")).toEqual({ a: "b", c: "d#e", f: "g # h" });
  });
});

describe("quotes", () => {
  test.each([
    ['"\\t\\n\\"\\\\\\/\\u00e9\\x41\\U0001F600"', '\t\n"\\/éA😀'],
    ["'it''s \\n'", "it's \\n"],
    ['"a\n  b"', "a b"],
    ['"a\n\n  b"', "a\nb"],
    ['"a\\\n  b"', "ab"],
    ['""', ""],
    ["''", ""],
  ])("%j is %j", (written, text) => {
    expect(plain(`a: ${written}`)).toEqual({ a: text });
  });

  test.each(["\\q", "\\u12", "\\ud800", "\\0", "\\x00", "\\U00110000"])("do not support %s", (written) => {
    expect(read(`a: "${written}"`).findings.map(([code]) => code)).toEqual(["BAD_YAML"]);
  });

  test("without an end give one finding, and the next lines are read", () => {
    const { tree, findings } = read('a: "b\nc: d');
    expect(findings).toEqual([["NOT_CLOSED", '"']]);
    expect(plainValues(tree)).toMatchObject({ c: "d" });
  });
});

describe("a block of lines", () => {
  test.each([
    ["|\n  a\n   b\n\n  c\n", "a\n b\n\nc\n"],
    ["|-\n  a\n  b\n", "a\nb"],
    ["|+\n  a\n\n", "a\n\n"],
    [">\n  a\n  b\n\n  c\n", "a b\nc\n"],
    [">-\n  a\n    b\n  c\n", "a\n  b\nc"],
    ["|2\n    a\n", "  a\n"],
    ["| # remark\n  a # none\n", "a # none\n"],
  ])("%j is %j", (written, text) => {
    expect(plain(`k: ${written}`)).toEqual({ k: text });
  });
});

describe("invisible characters", () => {
  test.each(["\u0000", "\u0007", "\u200b", "\u202e", "\u2066", "\ufeff", "\u007f"])(
    "are a finding, so that the text means what it shows: %j",
    (sign) => {
      const { findings } = read(`name: Sh${sign}elf`);
      expect(findings).toEqual([["BAD_CHARACTER", sign]]);
    },
  );

  test("that belong to a script or an emoji are allowed", () => {
    expect(plain("a: 👩‍👩‍👧 می‌خواهم é")).toEqual({ a: "👩‍👩‍👧 می‌خواهم é" });
  });
});

test("an empty block gives no tree", () => {
  for (const text of ["", "\n\n", "# remark\n", "   "]) expect(read(text)).toEqual({ tree: undefined, findings: [] });
});

test("an omitted value is empty and has its position after the colon", () => {
  const { tree } = read("a:\nb: c");
  const value = tree?.kind === "mapping" ? tree.entries[0]?.value : undefined;
  expect(value).toMatchObject({ kind: "scalar", text: "", quoted: false, span: { start: 2, end: 2 } });
});
