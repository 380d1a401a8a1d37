import { describe, expect, test } from "vitest";
import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments } from "yaml";
import { applyEdits } from "../../src/core/document/edits.ts";
import { locate, type Tree } from "../../src/core/document/tree.ts";
import { cases, seedOr } from "../chance.ts";
import { pointed, type Random, randomFrom, readBlock, type Values } from "./reading.ts";

describe("every scalar is the text that was written", () => {
  for (const written of ["01234", "no", "yes", "on", "1.10", "08:30", "2026-01-01", "1e3", "0x1F", "0o7", "~", "null"])
    test(written, () => {
      expect(readBlock(`at: ${written}\nin: { braces: ${written}, list: [${written}] }`)).toMatchObject({
        findings: [],
        values: { "at:": written, "in:": { "braces:": written, "list:": [written] } },
      });
      expect(readBlock(`${written}: key`).values).toEqual({ [`${written}:`]: "key" });
    });

  test("a key without a value has an empty text, not the word null", () => {
    expect(readBlock("a:\nb: ''\nc: { d, e: }").values).toEqual({ "a:": "", "b:": "", "c:": { "d:": "", "e:": "" } });
  });

  test("names with a meaning in JavaScript are ordinary names", () => {
    expect(readBlock("__proto__: a\nconstructor: b\ntoString: { hasOwnProperty: c }").values).toEqual(
      Object.fromEntries([
        ["__proto__:", "a"],
        ["constructor:", "b"],
        ["toString:", { "hasOwnProperty:": "c" }],
      ]),
    );
  });
});

/** The text, its value, the code and position of the finding, and the text after the fix. */
interface Trap {
  readonly written: string;
  readonly finds: string;
  readonly read?: Values;
  readonly corrected?: string;
}

const traps: Readonly<Record<string, readonly Trap[]>> = {
  "an expression that a comma would cut": [
    {
      written: "r: { rule: size(a, b) > 1, else: X }",
      finds: "NEEDS_QUOTES size(a, b) > 1",
      read: { "r:": { "rule:": "size(a, b) > 1", "else:": "X" } },
      corrected: 'r: { rule: "size(a, b) > 1", else: X }',
    },
    {
      written: "r: { rule: status in [a, b], else: X }",
      finds: "NEEDS_QUOTES status in [a, b]",
      corrected: 'r: { rule: "status in [a, b]", else: X }',
    },
    {
      written: "r: [f('a, b') == \"c\", d]",
      finds: "NEEDS_QUOTES f('a, b') == \"c\"",
      read: { "r:": ["f('a, b') == \"c\"", "d"] },
      corrected: "r: ['f(''a, b'') == \"c\"', d]",
    },
    {
      written: "r: { label: Loan {name}, x: 1 }",
      finds: "NEEDS_QUOTES Loan {name}",
      corrected: 'r: { label: "Loan {name}", x: 1 }',
    },
  ],
  "a colon in a text": [
    {
      written: "text: The last day: before the first",
      finds: "NEEDS_QUOTES The last day: before the first",
      corrected: 'text: "The last day: before the first"',
    },
    {
      written: "r: { set: a ? b : c, x: d }",
      finds: "NEEDS_QUOTES a ? b : c",
      read: { "r:": { "set:": "a ? b : c", "x:": "d" } },
      corrected: 'r: { set: "a ? b : c", x: d }',
    },
    // A nested key or a missing comma: quotes might not be intended.
    { written: "a: b: c", finds: "NEEDS_QUOTES b: c" },
    { written: "r: { from: draft to: sent }", finds: "NEEDS_QUOTES draft to: sent" },
  ],
  "a # in a text": [
    { written: "text: see #4", finds: "COMMENT_CUTS #4", read: { "text:": "see" }, corrected: 'text: "see #4"' },
    { written: "accent: #006272", finds: "COMMENT_CUTS #006272", corrected: 'accent: "#006272"' },
    { written: "a: b #c", finds: "COMMENT_CUTS #c" },
    {
      written: "r: { text: see #4, x: y }",
      finds: "NEEDS_QUOTES see #4",
      read: { "r:": { "text:": "see #4", "x:": "y" } },
      corrected: 'r: { text: "see #4", x: y }',
    },
  ],
  "a first character that means something else": [
    { written: "when: !done", finds: "NEEDS_QUOTES !done", read: { "when:": "!done" }, corrected: 'when: "!done"' },
    { written: "- rule: !open\n  else: NO", finds: "NEEDS_QUOTES !open", corrected: '- rule: "!open"\n  else: NO' },
    { written: "when: !done && open", finds: "NEEDS_QUOTES !done && open", corrected: 'when: "!done && open"' },
    {
      written: "r: { when: !(a || b), x: y }",
      finds: "NEEDS_QUOTES !(a || b)",
      corrected: 'r: { when: "!(a || b)", x: y }',
    },
    { written: "text: *important*", finds: "NEEDS_QUOTES *important*", corrected: 'text: "*important*"' },
    { written: "text: & more", finds: "NEEDS_QUOTES & more", corrected: 'text: "& more"' },
    { written: "text: %5 of it", finds: "NEEDS_QUOTES %5 of it", corrected: 'text: "%5 of it"' },
    { written: "to: @ada", finds: "NEEDS_QUOTES @ada", corrected: 'to: "@ada"' },
    { written: "text: `code` here", finds: "NEEDS_QUOTES `code` here", corrected: 'text: "`code` here"' },
    { written: "when: > 5", finds: "NEEDS_QUOTES > 5", corrected: 'when: "> 5"' },
    { written: "r: [>= 5]", finds: "NEEDS_QUOTES >= 5", corrected: 'r: [">= 5"]' },
    { written: "'a': 'b' == c", finds: "NEEDS_QUOTES 'b' == c", corrected: "'a': \"'b' == c\"" },
    {
      written: "label: {employee.name}, {first_day}",
      finds: "NEEDS_QUOTES {employee.name}, {first_day}",
      read: { "label:": "{employee.name}, {first_day}" },
      corrected: 'label: "{employee.name}, {first_day}"',
    },
    { written: "text: [draft] a loan", finds: "NEEDS_QUOTES [draft] a loan", corrected: 'text: "[draft] a loan"' },
    { written: "r: { a: {b} of c, d: e }", finds: "NEEDS_QUOTES {b} of c", corrected: 'r: { a: "{b} of c", d: e }' },
    { written: "@a: b", finds: "NEEDS_QUOTES @a", read: { "@a:": "b" }, corrected: '"@a": b' },
  ],
  "features of YAML": [
    { written: "a: &x b", finds: "YAML_FEATURE &x", read: { "a:": "b" } },
    { written: "a: !!str 5", finds: "YAML_FEATURE !!str", read: { "a:": "5" } },
    { written: "a: !Ref thing", finds: "YAML_FEATURE !Ref", read: { "a:": "thing" } },
    { written: "a: !Map\n  b: c", finds: "YAML_FEATURE !Map", read: { "a:": { "b:": "c" } } },
    { written: "a: { <<: { b: c }, d: e }", finds: "YAML_FEATURE <<", read: { "a:": { "d:": "e" } } },
    {
      written: "a: b\n---\nc: d",
      finds: "YAML_FEATURE ---",
      read: { "a:": "b", "c:": "d" },
      corrected: "a: b\n\nc: d",
    },
    { written: "%YAML 1.2\n---\na: b", finds: "YAML_FEATURE %YAML 1.2", read: { "a:": "b" } },
    { written: "a: b\n...", finds: "YAML_FEATURE ...", read: { "a:": "b" } },
  ],
  "a key that is said twice": [
    { written: "a: 1\nb: 2\na: 3", finds: "KEY_TWICE a", read: { "a:": "1", "b:": "2" } },
    { written: "r: { a: 1, 'a': 3 }", finds: "KEY_TWICE 'a'", read: { "r:": { "a:": "1" } } },
  ],
  "what is never closed": [
    {
      written: 'a: "text\nb: c',
      finds: 'NOT_CLOSED "',
      read: { "a:": "text", "b:": "c" },
      corrected: 'a: "text"\nb: c',
    },
    {
      written: "a: { from: x, to: y\nb: { c: d }",
      finds: "NOT_CLOSED {",
      read: { "a:": { "from:": "x", "to:": "y" }, "b:": { "c:": "d" } },
      corrected: "a: { from: x, to: y }\nb: { c: d }",
    },
    {
      written: "a: [{ b: c, d: [e, f]\ng: h",
      finds: "NOT_CLOSED {",
      read: { "a:": [{ "b:": "c", "d:": ["e", "f"] }], "g:": "h" },
      corrected: "a: [{ b: c, d: [e, f] }]\ng: h",
    },
    {
      written: '- { rule: "a > b, else: X }\n- { rule: "c > d", else: Y }',
      finds: 'NOT_CLOSED "',
      read: [{ "rule:": "a > b, else: X }" }, { "rule:": "c > d", "else:": "Y" }],
    },
    // The quote closes in a later value: the finding is where it opens.
    { written: 'a: "text\n   goes on\nb: "more"', finds: 'NOT_CLOSED "', read: { "a:": "text", "b:": "more" } },
    {
      written: "a: [x, y}\nb: c",
      finds: "NOT_CLOSED [",
      read: { "a:": ["x", "y"], "b:": "c" },
      corrected: "a: [x, y]\nb: c",
    },
    { written: "a: [x, y}, z\nb: c", finds: "NOT_CLOSED [" },
    { written: "a: [{ b: [c, d }, { e: f }]", finds: "NOT_CLOSED [", corrected: "a: [{ b: [c, d] }, { e: f }]" },
    { written: "a: { b: [c, d} }", finds: "NOT_CLOSED [", corrected: "a: { b: [c, d] }" },
    {
      written: "a: { b: [x, y }\nc: d",
      finds: "NOT_CLOSED [",
      read: { "a:": { "b:": ["x", "y"] }, "c:": "d" },
      corrected: "a: { b: [x, y] }\nc: d",
    },
  ],
  indentation: [
    {
      written: "a:\n\tb: 1\n\tc:\n\t\td: 2",
      finds: "BAD_INDENT \t",
      read: { "a:": { "b:": "1", "c:": { "d:": "2" } } },
      corrected: "a:\n  b: 1\n  c:\n    d: 2",
    },
    { written: "a:\n  b: 1\n\tc: 2", finds: "BAD_INDENT \t" },
    { written: "a:\n    b: 1\n   c: 2", finds: "BAD_INDENT    c", read: { "a:": { "b:": "1", "c:": "2" } } },
    {
      written: "a: 1\n  b: 2\n  c: 3\nd: 4",
      finds: "BAD_INDENT   b",
      read: { "a:": "1", "b:": "2", "c:": "3", "d:": "4" },
    },
    { written: "a:\n  b: c\n- d", finds: "BAD_INDENT - d", read: { "a:": { "b:": "c" } } },
    { written: "a: x\n  - y", finds: "BAD_INDENT   -" },
  ],
  "what lacks a sign or has one too many": [
    { written: "a: b\nc:d", finds: "BAD_YAML :", read: { "a:": "b", "c:": "d" }, corrected: "a: b\nc: d" },
    {
      written: "r: { a:b, c: d }",
      finds: "BAD_YAML :",
      read: { "r:": { "a:": "b", "c:": "d" } },
      corrected: "r: { a: b, c: d }",
    },
    { written: 'r: { a: "b" c: d }', finds: "BAD_YAML c", corrected: 'r: { a: "b", c: d }' },
    { written: "r: { a: [b] c: d }", finds: "BAD_YAML c", corrected: "r: { a: [b], c: d }" },
    { written: 'r: ["a" "b"]', finds: 'BAD_YAML "', corrected: 'r: ["a", "b"]' },
    { written: "r: [a\n  b]", finds: "BAD_YAML a", read: { "r:": ["a", "b"] } },
    { written: "r: { a: b,, c: d }", finds: "BAD_YAML ,", corrected: "r: { a: b, c: d }" },
    { written: "r: { a: b }}", finds: "BAD_YAML }", corrected: "r: { a: b }" },
    { written: "r: [- a, b]", finds: "BAD_YAML -", corrected: "r: [a, b]" },
    { written: "r: - a", finds: "BAD_YAML -", read: { "r:": ["a"] } },
    { written: "a: b\nword\nc: d", finds: "BAD_YAML word", read: { "a:": "b", "c:": "d" } },
    {
      written: "a: \"matches(x, '\\d+')\"",
      finds: "BAD_YAML \\d",
      read: { "a:": "matches(x, '\\d+')" },
      corrected: "a: \"matches(x, '\\\\d+')\"",
    },
  ],
  "characters that nobody sees": [
    { written: "a: b\u200b", finds: "BAD_CHARACTER \u200b", corrected: "a: b" },
    { written: "a: \u202eb", finds: "BAD_CHARACTER \u202e", corrected: "a: b" },
    { written: "a:\n\u00a0 b: c", finds: "BAD_CHARACTER \u00a0 ", corrected: "a:\n  b: c" },
  ],
};

for (const [what, cases] of Object.entries(traps))
  describe(what, () => {
    for (const { written, finds, read, corrected } of cases)
      test(JSON.stringify(written), () => {
        const { findings, values } = readBlock(written);
        expect(pointed(written, findings)).toContain(finds);
        expect(pointed(written, findings).filter((item) => item === finds)).toHaveLength(1);
        if (read !== undefined) expect(values).toEqual(read);
        const [value] = findings.filter((finding) => pointed(written, [finding])[0] === finds);
        const fixed = applyEdits([{ file: "block", text: written }], value?.fix ?? [])[0]?.text;
        expect(fixed === written ? undefined : fixed).toBe(corrected);
        if (corrected !== undefined) expect(readBlock(corrected).findings).toEqual([]);
      });
  });

test("one mistake gives one finding", () => {
  for (const { written } of Object.values(traps).flat())
    if (!written.includes("\u00a0")) expect(pointed(written, readBlock(written).findings), written).toHaveLength(1);
});

test("no message uses the terms of YAML parsers", () => {
  const jargon =
    /scalar|flow|node|token|directive|alias|merge|sequence|indicator|implicit|collection|plain (?!space)/iu;
  for (const { written } of Object.values(traps).flat())
    for (const { message, hint } of readBlock(written).findings) expect(`${message} ${hint}`).not.toMatch(jargon);
});

test("an anchor with & is no text where it is used with *", () => {
  const { findings } = readBlock("a: &x b\nc: *x\nd: *y");
  expect(findings.map(({ code }) => code)).toEqual(["YAML_FEATURE", "YAML_FEATURE", "NEEDS_QUOTES"]);
});

test("an escaped half of a surrogate pair is a finding; two as in JSON are one character", () => {
  expect(readBlock('a: "\\ud83d\\ude00"')).toMatchObject({ findings: [], values: { "a:": "😀" } });
  for (const half of ["\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d\\ud83d"])
    expect(readBlock(`a: "${half}"`).findings[0]?.code, half).toBe("BAD_YAML");
});

test("a comment after spaces is a comment", () => {
  expect(readBlock("# one\na: b # two\nc: { d: e } #three\nf: # four\n  - g #\n#five")).toMatchObject({
    findings: [],
    values: { "a:": "b", "c:": { "d:": "e" }, "f:": ["g"] },
  });
});

test("a long text can use |, >, quotes over several lines, or none", () => {
  const { findings, values } = readBlock(
    'a: |\n  one\n    two\n\n  three\nb: >-\n  one\n  two\n\n  three\nc: "one\n  two"\nd: one\n  two\ne: |+\n  x\n\n',
  );
  expect(findings).toEqual([]);
  expect(values).toEqual({
    "a:": "one\n  two\n\nthree\n",
    "b:": "one two\nthree",
    "c:": "one two",
    "d:": "one two",
    "e:": "x\n\n",
  });
});

test("nesting beyond the depth of any clause is refused at that place only", () => {
  const { findings, values } = readBlock(`a: ${"[".repeat(40)}${"]".repeat(40)}\nb: c`);
  expect(findings.map(({ code }) => code)).toEqual(["TOO_DEEP"]);
  expect(values).toMatchObject({ "b:": "c" });
});

// --- Places

const scalarsIn = (tree: Tree | undefined): readonly (Tree & { kind: "scalar" })[] => {
  if (tree === undefined) return [];
  if (tree.kind === "scalar") return [tree];
  if (tree.kind === "list") return tree.items.flatMap(scalarsIn);
  return tree.entries.flatMap(({ key, value }) => [key, ...scalarsIn(value)]);
};

test("every character of a text has its position, through quotes, escapes and indentation", () => {
  const text = 'a: \'it\'\'s\'\nb: "x \\"y\\" \\u0041z"\nc: |\n    one\n      two\nd: >\n  p\n  q\ne: "m\n   n"';
  const scalars = scalarsIn(readBlock(text).tree);
  const found = (value: string, letter: string) => {
    const scalar = scalars.find((scalar) => scalar.text === value);
    return text[scalar === undefined ? -1 : locate(scalar, value.indexOf(letter))];
  };
  expect(found("it's", "s")).toBe("s");
  expect(found('x "y" Az', "y")).toBe("y");
  expect(found('x "y" Az', "A")).toBe("\\");
  expect(found('x "y" Az', "z")).toBe("z");
  expect(found("one\n  two\n", "w")).toBe("w");
  expect(found("p q\n", "q")).toBe("q");
  expect(found("m n", "n")).toBe("n");
});

// --- The same as YAML

const parts = [
  ..."ab{}[]|>?-\\:%@`#\"'",
  ..."a: |b: |c:|- |- a|, |: |\n|\n|\n  |\n  |\n    |\n- |\n  - |\n   |  | |\t".split("|"),
  ...[
    "|\n",
    "|-\n",
    ">\n",
    ">+\n",
    "|2\n",
    "# c",
    " # c",
    "#x",
    "!t ",
    "&z ",
    "*z",
    "? ",
    "\\n",
    "\n\n",
    "---",
    "\n---\n",
    "...",
  ],
  ...["key: value", "\n  key: v", "{ a: b, c }", "[a, b]", "(", ")", "a.b", "==", '"a b": ', "'it''s'", '"\\u0041"'],
  ...['"x"', "'y'", "<<: ", "text with words", "1.10", "~", "null", "{}", "[]"],
] as unknown as [string, ...string[]];

const soup = (random: Random): string =>
  Array.from({ length: 1 + random.below(14) }, () => random.pick(parts)).join("");

const valid = (random: Random, depth: number): string => {
  const indent = "  ".repeat(depth);
  const kind = random.next();
  if (depth > 3 || kind < 0.45)
    return ` ${random.pick([
      ..."a|b c|\"q\"|'s''s'|1.5|x.y(z)|{}|[]|[a, b]|{ a: 1, b }|{a: \"x\", b: [c, {d: e}]}|a # c|".split("|"),
      `multi\n${indent}  line`,
      `|\n${indent}  one\n\n${indent}   two`,
      `>-\n${indent}  one\n${indent}  two`,
    ] as unknown as [string, ...string[]])}`;
  const lead = (index: number) => (kind < 0.75 ? `k${index}:` : "-");
  return Array.from(
    { length: 1 + random.below(3) },
    (_, index) => `\n${indent}  ${lead(index)}${valid(random, depth + 1)}`,
  ).join("");
};

const mutated = (text: string, random: Random): string => {
  const at = random.below(text.length + 1);
  const kind = random.next();
  if (kind < 0.4) return text.slice(0, at) + text.slice(at + 1 + random.below(3));
  if (kind < 0.9) return text.slice(0, at) + random.pick(parts) + text.slice(at);
  return text.slice(0, at) + text.slice(at, at + 8) + text.slice(at);
};

const theirValues = (node: unknown): Values => {
  if (isScalar(node)) return typeof node.value === "string" ? node.value : "";
  if (isSeq(node)) return node.items.map(theirValues);
  if (isMap(node))
    return Object.fromEntries(
      node.items.map(({ key, value }) => [`${String((key as Node).toJSON?.() ?? "")}:`, theirValues(value)]),
    );
  return isAlias(node) ? "an alias" : "";
};

test("YAML parsers read a document without errors in the same way", { timeout: 180_000 }, () => {
  const random = randomFrom(seedOr(9));
  const rounds = cases(2_000, 8_000);
  let clean = 0;
  for (let round = 0; round < rounds; round++) {
    let text = random.next() < 0.15 ? soup(random) : valid(random, 0).trimStart();
    for (let times = random.next() < 0.5 ? 0 : random.below(3); times > 0; times--) text = mutated(text, random);
    const { tree, findings, values } = readBlock(text);
    for (const { span, fix = [] } of findings)
      for (const other of [span, ...fix.map((edit) => edit.span)])
        expect(other.start >= 0 && other.start <= other.end && other.end <= text.length, text).toBe(true);
    for (const scalar of scalarsIn(tree))
      for (const at of [0, scalar.text.length - 1, scalar.text.length])
        expect(locate(scalar, Math.max(0, at)) <= scalar.span.end, text).toBe(true);
    // A comment indented less than the text below it, where the library ends the text above.
    if (findings.some(({ severity }) => severity === "error") || /\n *#/u.test(text)) continue;
    clean++;
    const documents = parseAllDocuments(text, { schema: "failsafe", uniqueKeys: true, prettyErrors: false });
    expect(documents.length, JSON.stringify(text)).toBeLessThanOrEqual(1);
    const [document] = [...documents];
    expect(document?.errors ?? [], JSON.stringify(text)).toEqual([]);
    expect(values ?? "", JSON.stringify(text)).toEqual(theirValues(document?.contents));
  }
  expect(clean).toBeGreaterThan(0.3 * rounds);
});
