import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, test } from "vitest";
import { isYaml, readMarkdown } from "../../src/core/document/markdown.ts";
import { readDocument } from "../../src/core/document/read.ts";
import { cases, seedOr } from "../chance.ts";
import { documentOf, randomFrom } from "./reading.ts";

const read = (text: string) => {
  const { value, findings } = readDocument([{ file: "desk.md", text }]);
  return { document: value, findings, codes: findings.map(({ code }) => code) };
};

describe("a heading of level 2 with a number opens a point", () => {
  for (const heading of [
    "## 3. Entities",
    "## 3 Entities",
    "## 3: Entities",
    "## **3.** Entities ##",
    "3: Entities\n---",
  ])
    test(JSON.stringify(heading), () => {
      expect([...read(`# Desk\n\n${heading}\n\nNot shown.`).document.points.keys()]).toEqual([3]);
    });

  for (const heading of [
    "# 3. Entities",
    "### 3. Entities",
    "##3. Entities",
    "## 10. More",
    "## Entities",
    "    ## 3. E",
  ])
    test(`${JSON.stringify(heading)} does not`, () => {
      expect(read(`${heading}\n\nNot shown.`).codes).toEqual(["NO_POINTS"]);
    });

  test("nor does one in a comment, or in a block of another language", () => {
    const text = "<!--\n## 3. Entities\n-->\n\n```text\n## 4. States\n```\n\n## 5. Rules\n\nNone.";
    expect([...read(text).document.points.keys()]).toEqual([5]);
  });
});

describe("a block without an end", () => {
  const desk = "# Desk\n\n## 3. Entities\n\n```yaml\nThing: {}\n";

  test("ends before the next point", () => {
    const { document, findings } = read(`${desk}\n## 4. States\n\n\`\`\`yaml\nnone\n\`\`\`\n`);
    expect(findings).toMatchObject([{ code: "NOT_CLOSED", span: { start: desk.indexOf("```") } }]);
    expect([...document.points.keys()]).toEqual([3, 4]);
    expect(document.points.get(4)?.blocks).toHaveLength(1);
  });

  test("ends before the next block", () => {
    const { document, codes } = read(`${desk}\n\`\`\`yaml\nOther: {}\n\`\`\`\n`);
    expect(codes).toEqual(["NOT_CLOSED"]);
    expect(document.points.get(3)?.blocks).toHaveLength(2);
  });

  test("ends at the end of the file", () => {
    expect(read(desk).codes).toEqual(["NOT_CLOSED"]);
  });

  test("in another language does too", () => {
    const { document, codes } = read("# Desk\n\n```sh\nls\n\n## 3. Entities\n\nNot shown.\n");
    expect(codes).toEqual(["NOT_CLOSED"]);
    expect([...document.points.keys()]).toEqual([3]);
  });

  test("a comment that looks like a point stays a comment in a closed block", () => {
    expect(read(documentOf(3, "## 1. things\nThing: {}")).codes).toEqual([]);
  });
});

test("a block in a list or a quotation has the positions of the file", () => {
  const text =
    "# Desk\n\n## 3. Entities\n\n- first\n\n  ```yaml\n  Thing:\n    label: x\n  ```\n\n> ```YML\n> Other: {}\n> ```\n";
  const { document, codes } = read(text);
  expect(codes).toEqual([]);
  const [first, other] = document.points.get(3)?.blocks ?? [];
  expect(text.slice(first?.span.start, first?.span.end)).toBe("Thing:\n    label: x");
  expect(text.slice(other?.span.start, other?.span.end)).toBe("Other: {}");
});

test("a carriage return alone is a finding, and its fix changes every such line", () => {
  const { findings } = read("# Desk\r\r## 3. Entities\r\rNot shown.\r");
  expect(findings).toMatchObject([{ code: "BAD_CHARACTER", fix: { length: 5 } }, { code: "NO_POINTS" }]);
  expect(read("# Desk\r\n\r\n## 3. Entities\r\n\r\nNot shown.\r\n").codes).toEqual([]);
});

test("sentences are found in paragraphs, lists and quotations, and not in comments and tables of contents", () => {
  const text =
    "# Desk\n\n## 2. Screens\n\nNo routes\nare shown. Screens are *not* shown.\n\n- No menus are shown.\n\n> No tiles\n> are shown.\n\n<!-- Not shown. -->\n\n[a]: http://example.com\n";
  const { document } = read(text);
  const prose = document.points.get(2)?.prose ?? [];
  expect(prose.map(({ text }) => text)).toEqual([
    "No routes are shown.",
    "Screens are *not* shown.",
    "No menus are shown.",
    "No tiles are shown.",
  ]);
  expect(prose.map(({ span }) => text.slice(span.start, span.end))[3]).toBe("No tiles\n> are shown.");
});

// --- The same as CommonMark

const lines = [
  ...["", "", "", "# Title", "## 3. Entities", "## 4. States #", "##", "##5. x", "text", "more text", "  indented"],
  ...["```yaml", "```", "````", "~~~yml", "~~~", "```", "a: 1", "  b: 2", "- item", "  - nested", "* star", "1. one"],
  ...[
    "2) two",
    "> quote",
    "> > deep",
    "> ```yaml",
    "> a: 1",
    "> ```",
    "  ```yaml",
    "  ```",
    "   ```yaml",
    "---",
    "===",
  ],
  ...["***", "- - -", "<!-- c", "-->", "<div>", "</div>", "<b>x</b>", "[a](b)", "-\ttab", "> - x", "- > y", "-", "1."],
  ...[
    "10. ten",
    "   text",
    "+ plus",
    "- ```yaml",
    "## *7*. Calls",
    "Setext",
    "## `8` Errors",
    "> ## 2. q",
    "- ## 6. l",
  ],
  ...["|a|b|", "> lazy", "\\# no", "####### seven", "&amp; x", "<?php", "```yaml x", "``` a`b"],
] as [string, ...string[]];

type Node = ReturnType<typeof fromMarkdown>["children"][number];

const squeezed = (text: string): string => text.replace(/[\s>]+/gu, " ").trim();

/** The library's reading of a text, as far as a document needs it. */
const libraryText = (nodes: readonly Node[], text: string): readonly string[] =>
  nodes.flatMap((node) => {
    const start = node.position?.start.offset ?? 0;
    if (node.type === "heading") return node.depth > 2 ? [] : [`heading ${node.depth} at ${start}`];
    if (node.type === "code") return isYaml(node.lang ?? "") ? [`yaml ${node.value.trimEnd()}`] : [];
    if (node.type === "paragraph") return [`text ${squeezed(text.slice(start, node.position?.end.offset))}`];
    return "children" in node ? libraryText(node.children as readonly Node[], text) : [];
  });

const ownText = (text: string): readonly string[] =>
  readMarkdown(text).flatMap((part) => {
    if (part.kind === "heading") return part.level > 2 ? [] : [`heading ${part.level} at ${part.start}`];
    const content = part.lines.map(({ start, end }) => text.slice(start, end)).join("\n");
    if (part.kind === "paragraph") return [`text ${squeezed(content)}`];
    return isYaml(part.language) ? [`yaml ${content.trimEnd()}`] : [];
  });

test("headings, paragraphs and blocks follow CommonMark", () => {
  const random = randomFrom(seedOr(4));
  const rounds = cases(1_000, 4_000);
  let compared = 0;
  for (let round = 0; round < rounds; round++) {
    const text = Array.from({ length: 1 + random.below(9) }, () => random.pick(lines)).join("\n");
    if (readMarkdown(text).some((part) => part.kind === "fence" && part.missing !== undefined)) continue;
    compared++;
    expect(ownText(text), JSON.stringify(text)).toEqual(libraryText(fromMarkdown(text).children, text));
  }
  expect(compared).toBeGreaterThan(0.3 * rounds);
});
