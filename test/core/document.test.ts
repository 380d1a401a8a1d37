import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { readDocument } from "../../src/core/document/read.ts";
import { locate, type Scalar, type Tree } from "../../src/core/document/tree.ts";
import type { Finding } from "../../src/core/findings.ts";
import { placesIn } from "../../src/core/source-text.ts";
import fc, { cases } from "../chance.ts";
import { expectLinear } from "../growth.ts";

const read = (text: string) => readDocument([{ file: "t.md", text }]);
const point3 = (text: string) => read(text).value.points.get(3);

/** A tree without positions. */
const withoutPositions = (tree: Tree | undefined): unknown => {
  if (tree === undefined) return undefined;
  if (tree.kind === "scalar") return tree.text;
  if (tree.kind === "list") return tree.items.map(withoutPositions);
  return tree.entries.map(({ key, value }) => [key.text, withoutPositions(value)]);
};

const scalarsOf = (tree: Tree): readonly Scalar[] => {
  if (tree.kind === "scalar") return [tree];
  if (tree.kind === "list") return tree.items.flatMap(scalarsOf);
  return tree.entries.flatMap(({ key, value }) => [key, ...scalarsOf(value)]);
};

/** Every character of every scalar has the position that the scalar reports, within its span. */
const expectPlaces = (text: string, tree: Tree | undefined): void => {
  if (tree === undefined) throw new Error("no tree");
  for (const scalar of scalarsOf(tree)) {
    const { span } = scalar;
    for (let i = 0; i < scalar.text.length; i++) {
      const sign = scalar.text[i] ?? "";
      if (/\s/u.test(sign)) continue;
      const place = locate(scalar, i);
      // The character of an escape has the position where the escape begins.
      if (text[place] !== "\\") expect([scalar.text, i, text[place]]).toEqual([scalar.text, i, sign]);
      expect(place).toBeGreaterThanOrEqual(span.start);
      expect(place).toBeLessThan(span.end);
    }
    expect(locate(scalar, scalar.text.length)).toBeLessThanOrEqual(span.end);
    if (!scalar.quoted) expect(text.slice(span.start, span.start + 1)).toBe(scalar.text.slice(0, 1));
  }
};

const block = `# a remark
Book:                       # and another
  fields:
    title: "a \\"b\\" c"
    other: 'it''s'
    plain: over two
      lines of text
    long: |
      one
        two

      three
    joined: >-
      one
      two
    list: [a, "b c", { d: e }]
    - odd: ümläut 😀 end
`.replace("    - odd", "    odd");

const documents = [
  [
    "Book",
    [
      [
        "fields",
        [
          ["title", 'a "b" c'],
          ["other", "it's"],
          ["plain", "over two lines of text"],
          ["long", "one\n  two\n\nthree\n"],
          ["joined", "one two"],
          ["list", ["a", "b c", [["d", "e"]]]],
          ["odd", "ümläut 😀 end"],
        ],
      ],
    ],
  ],
];

const lines = block.trimEnd().split("\n");
const indented = (by: string) => lines.map((line) => (line === "" ? "" : by + line)).join("\n");

/** One block in different surroundings. */
const surroundings: readonly (readonly [string, string])[] = [
  ["alone", `## 3. P\n\n\`\`\`yaml\n${block}\`\`\`\n`],
  ["called yml", `## 3. P\n\n\`\`\`yml\n${block}\`\`\`\n`],
  ["called YAML, with words behind it", `## 3. P\n\n\`\`\`YAML title="x"\n${block}\`\`\`\n`],
  ["between tildes", `## 3. P\n\n~~~yaml\n${block}~~~\n`],
  ["between five backticks", `## 3. P\n\n\`\`\`\`\`yaml\n${block}\`\`\`\`\`\n`],
  ["with a fence that is indented", `## 3. P\n\n   \`\`\`yaml\n${indented("   ")}\n   \`\`\`\n`],
  ["in a list", `## 3. P\n\n- So:\n\n  \`\`\`yaml\n${indented("  ")}\n  \`\`\`\n`],
  ["in a numbered list", `## 3. P\n\n1. So:\n   \`\`\`yaml\n${indented("   ")}\n   \`\`\`\n`],
  ["in a list in a list", `## 3. P\n\n- So:\n  - And so:\n\n    \`\`\`yaml\n${indented("    ")}\n    \`\`\`\n`],
  ["in a quotation", `## 3. P\n\n> So:\n>\n> \`\`\`yaml\n${lines.map((line) => `> ${line}`).join("\n")}\n> \`\`\`\n`],
  [
    "in a quotation in a list",
    `## 3. P\n\n- > \`\`\`yaml\n${lines.map((line) => `  > ${line}`).join("\n")}\n  > \`\`\`\n`,
  ],
  ["in a list that tabs indent", `## 3. P\n\n-\tSo:\n\n\t\`\`\`yaml\n${indented("\t")}\n\t\`\`\`\n`],
  ["behind text of two code units to a sign", `# 😀😀\n\n## 3. P 😀\n\n😀 is shown.\n\n\`\`\`yaml\n${block}\`\`\`\n`],
  ["at the end, without a line's end", `## 3. P\n\n\`\`\`yaml\n${block}\`\`\``],
  [
    "among other blocks and prose",
    `## 2. P\n\n## 3. P\n\nA.\n\n\`\`\`json\n{}\n\`\`\`\n\n\`\`\`yaml\n${block}\`\`\`\n\n    yaml: no\n\nB.\n\n## 4. P\n`,
  ],
];

describe("a block is read in the same way, with exact positions, in any surroundings", () => {
  test.each(surroundings)("%s", (_, text) => {
    const { value, findings } = read(text);
    expect(findings).toEqual([]);
    const [tree, ...more] = value.points.get(3)?.blocks ?? [];
    expect(more).toEqual([]);
    expect(withoutPositions(tree)).toEqual(documents);
    expectPlaces(text, tree);
  });

  test.each(surroundings)("%s, with the line ends of Windows", (_, given) => {
    const text = given.replaceAll("\n", "\r\n");
    const { value, findings } = read(text);
    expect(findings).toEqual([]);
    const tree = value.points.get(3)?.blocks[0];
    expect(withoutPositions(tree)).toEqual(documents);
    expectPlaces(text, tree);
  });

  test("positions are lines and columns from one, with columns in code units", () => {
    const text = "# T\n\n## 3. P\n\n- x\n\n  ```yaml\n  Book: { fields: { 😀: text, title: txt } }\n  ```\n";
    const at = placesIn({ file: "t.md", text });
    const places = compile({ file: "t.md", text })
      .findings.filter(({ severity }) => severity === "error")
      .map(({ code, span }) => [code, at(span)]);
    expect(places).toEqual([
      ["BAD_NAME", { file: "t.md", line: 8, column: 21, endLine: 8, endColumn: 23 }],
      ["UNKNOWN_NAME", { file: "t.md", line: 8, column: 38, endLine: 8, endColumn: 41 }],
    ]);
  });
});

describe("headings", () => {
  test.each([
    "## 3. Entities",
    "## 3) Entities",
    "## 3: Entities",
    "## 3 Entities",
    "## 3",
    "##  3. *Entities*",
    "   ## 3. Entities",
    "## 3. Entities ##",
    "## **3. Entities**",
    "## 3.",
  ])("open point 3: %j", (heading) => {
    expect([...read(`# T\n\n${heading}\n\nWords.\n`).value.points.keys()]).toEqual([3]);
  });

  test.each([
    "## 30. Entities",
    "## 3rd",
    "## 0. Entities",
    "## 10. Entities",
    "### 3. Entities",
    "# 3. Entities",
    "## three",
    "## Entities 3",
    "##3. Entities",
    "    ## 3. Entities",
    "\\## 3. Entities",
    "## -3. Entities",
    "## 3-4. Entities",
    // In CommonMark this is a list, whatever follows.
    "3. Entities\n---",
  ])("open no point: %j", (heading) => {
    expect([...read(`${heading}\n\nWords.\n`).value.points.keys()]).toEqual([]);
  });

  test("inside a block are ignored", () => {
    const text = "# T\n\n## 3. P\n\n```markdown\n## 4. P\n```\n\n```yaml\na: |\n  ## 5. P\n```\n";
    expect([...read(text).value.points.keys()]).toEqual([3]);
    expect(withoutPositions(point3(text)?.blocks[0])).toEqual([["a", "## 5. P\n"]]);
  });

  test("can be in any order with any words", () => {
    const { points } = read("# T\n\n## 9. Zahlen\n\n## 1. Worum es geht\n").value;
    expect([...points.keys()]).toEqual([9, 1]);
  });

  test("without a number end the previous point", () => {
    const { value } = read("# T\n\n## 3. P\n\nOne.\n\n## Appendix\n\nTwo.\n");
    expect(value.points.get(3)?.prose.map(({ text }) => text)).toEqual(["One."]);
  });

  test("of lower levels belong to their point", () => {
    const { value } = read("# T\n\n## 3. P\n\n### Books\n\nOne.\n\n```yaml\na: b\n```\n\n#### More\n\nTwo.\n");
    expect(value.points.get(3)?.prose.map(({ text }) => text)).toEqual(["One.", "Two."]);
    expect(value.points.get(3)?.blocks).toHaveLength(1);
  });

  test("of level 1 give the title, or else the file name does", () => {
    expect(read("# A *fine* `desk`\n\n## 3. P\n").value.title).toBe("A fine desk");
    expect(readDocument([{ file: "folder/my-desk.md", text: "## 3. P\n" }]).value.title).toBe("my-desk");
  });
});

describe("prose", () => {
  const sentences = (text: string) => {
    const document = `## 3. P\n\n${text}\n`;
    return (point3(document)?.prose ?? []).map(({ text: words, span }) => [
      words,
      document.slice(span.start, span.end),
    ]);
  };

  test("is split into sentences with positions, across lines, lists and quotations", () => {
    expect(sentences("One is\nshown. Two? Three!\n\n- Four.\n- Five\n\n> Six\n> goes on.")).toEqual([
      ["One is shown.", "One is\nshown."],
      ["Two?", "Two?"],
      ["Three!", "Three!"],
      ["Four.", "Four."],
      ["Five", "Five"],
      ["Six goes on.", "Six\n> goes on."],
    ]);
  });

  test("ends a sentence before white space, not inside a number or an address", () => {
    expect(sentences("Up to 1.5 of www.example.com are shown. Yes.").map(([words]) => words)).toEqual([
      "Up to 1.5 of www.example.com are shown.",
      "Yes.",
    ]);
  });

  test("excludes blocks, headings, comments and tables", () => {
    expect(
      sentences("```\nNo fees are shown.\n```\n\n<!-- No roles are shown. -->\n\n    No code is shown.\n\n---\n\n***"),
    ).toEqual([]);
  });

  test.each([
    "Not shown.",
    "**Not shown.**",
    "*Not* shown.",
    "No roles are shown.",
    "No `role` is shown.",
    "Nothing is shown.",
    "The price is not shown.",
  ])("that says something is not shown is an open point: %s", (sentence) => {
    const { open } = compile({ file: "t.md", text: `# T\n\n## 6. P\n\n${sentence}\n` });
    expect(open.filter(({ point }) => point === 6).map(({ statement }) => statement)).toEqual([sentence]);
  });
});

describe("several blocks of a point", () => {
  const two = (first: string, second: string) =>
    compile({
      file: "t.md",
      text: `# T\n\n## 3. P\n\n\`\`\`yaml\n${first}\n\`\`\`\n\nAnd:\n\n\`\`\`yaml\n${second}\n\`\`\`\n`,
    });

  test("are merged at any depth", () => {
    const { model, findings } = two(
      "Book: { fields: { title: text } }",
      "Book: { fields: { pages: integer } }\nShelf: { fields: { name: text } }",
    );
    expect(findings.filter(({ severity }) => severity !== "open")).toEqual([]);
    expect([...(model?.entities.get("Book")?.fields.keys() ?? [])]).toEqual(["title", "pages"]);
    expect(model?.entities.has("Shelf")).toBe(true);
  });

  test("with the same key give a finding at the second one that names the first", () => {
    const { findings, source } = two("Book: { fields: { title: text } }", "Book: { fields: { title: integer } }");
    const [finding] = findings.filter(({ severity }) => severity === "error");
    expect(finding).toMatchObject({ code: "KEY_TWICE" });
    expect(source.text.slice(finding?.span.start, finding?.span.end)).toBe("integer");
    expect(source.text.slice(finding?.also?.start, finding?.also?.end)).toBe("text");
  });
});

describe("reading any file ends without an error, with positions inside the file", () => {
  const examples = ["lending", "founding"].map((name) =>
    readFileSync(new URL(`../../examples/${name}.md`, import.meta.url), "utf8"),
  );
  const sound = (text: string) => {
    const { findings, open } = compile({ file: "t.md", text });
    const within = ({ start, end }: Finding["span"]) => 0 <= start && start <= end && end <= text.length;
    for (const finding of findings) {
      expect([finding.code, finding.span.file, within(finding.span)]).toEqual([finding.code, "t.md", true]);
      for (const edit of finding.fix ?? []) expect([finding.code, within(edit.span)]).toEqual([finding.code, true]);
    }
    for (const { span } of open) expect(within(span)).toBe(true);
  };

  test("with a piece removed, doubled or replaced", () => {
    const odd = [
      "",
      "```",
      "\t",
      "\r",
      "\r\n",
      ":",
      "{",
      "}",
      "[",
      "]",
      "'",
      '"',
      "|",
      ">",
      "&a ",
      "*a",
      "!!x ",
      "<<: ",
      "- ",
      "# ",
      "---\n",
      "\u0000",
      "\ufeff",
      "\ud800",
      "😀",
      "\n\n## 3. P\n",
      "not shown",
      "none",
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...examples),
        fc.nat(),
        fc.nat({ max: 60 }),
        fc.constantFrom(...odd),
        fc.boolean(),
        (text, from, length, inserted, twice) => {
          const at = from % text.length;
          sound(text.slice(0, at) + inserted + (twice ? text.slice(at) : "") + text.slice(at + length));
        },
      ),
      { numRuns: cases(100, 400) },
    );
  });

  test("with syntax characters in any order", () => {
    const sign = fc.constantFrom(
      "## 3. P\n",
      "```yaml\n",
      "```\n",
      "a",
      ": ",
      "\n",
      "  ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      ",",
      '"',
      "'",
      "|\n",
      "#",
      " ",
      "\t",
      "&",
      "*",
      "!",
      "x",
      "é",
      "😀",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 80 }), (signs) => sound(`## 3. P\n\`\`\`yaml\n${signs.join("")}`)),
      { numRuns: cases(200, 600) },
    );
  });

  test("in time proportional to its length", async () => {
    for (const make of [
      (n: number) => `## 3. P\n\n\`\`\`yaml\n${"a: [".repeat(n)}`,
      (n: number) => `## 3. P\n\n\`\`\`yaml\n${Array.from({ length: n }, (_, i) => `k${i}: v`).join("\n")}\n\`\`\`\n`,
      (n: number) => `## 3. P\n\n${"> ".repeat(n)}x`,
      (n: number) => `## 3. P\n\n${"- ".repeat(n)}x`,
      (n: number) => `## 3. P\n\n${"*".repeat(n)}a${"_".repeat(n)}`,
      (n: number) => `## 3. P\n\n${"No a is shown. ".repeat(n)}`,
      (n: number) => `## 3. P\n\n\`\`\`yaml\na: "${"\\".repeat(n)}\n\`\`\`\n`,
      (n: number) => `## 3. P\n\n${"`".repeat(n)}yaml\na: b\n`,
    ]) {
      sound(make(1_000));
      await expectLinear(10_000, make, (text) => compile({ file: "t.md", text }));
    }
  });
});
