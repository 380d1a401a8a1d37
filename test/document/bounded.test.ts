import { describe, expect, test } from "vitest";
import { findingsText } from "../../src/cli/findings-text.ts";
import { compile } from "../../src/core/compile.ts";
import { LARGEST } from "../../src/core/document/read.ts";
import { type Finding, MOST_FINDINGS } from "../../src/core/findings.ts";
import { expectFast } from "../growth.ts";
import { documentOf } from "./reading.ts";

/** A text of a given length. */
const filled = (part: string, length = 300_000): string => part.repeat(Math.ceil(length / part.length));
const listed = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join("\n");

const hostile: Readonly<Record<string, () => string>> = {
  // Markdown
  brackets: () => filled("["),
  stars: () => filled("*a_"),
  "images that never end": () => filled("![a]("),
  backticks: () => listed(700, (index) => "`".repeat(index)),
  quotations: () => filled(">"),
  "lines of quotations": () => listed(500, () => ">".repeat(500)),
  lists: () => filled("- "),
  "lists that nest": () => listed(700, (index) => `${" ".repeat(index)}- a`),
  "blank lines in many lists": () => `${"- ".repeat(1_000)}${filled("\n")}`,
  "tags that never end": () => filled('<a b="\n'),
  "a heading": () => `## 3. ${filled("*_[`")}`,
  "one paragraph": () => filled("a\n"),
  "one sentence": () => `## 1. A\n${filled("no ")} is shown.`,
  "blanks, tabs and line ends": () => filled(" ") + filled("\t") + filled("\n") + filled("\r"),
  "blocks that never end": () => filled("```yaml\n## 3. X\n"),
  // YAML
  "brackets in a block": () => documentOf(3, filled("[")),
  "braces with keys": () => documentOf(3, filled("{a: ")),
  commas: () => documentOf(3, `[${filled(",")}`),
  quotes: () => documentOf(3, `a: ${filled('"')}`),
  "single quotes": () => documentOf(3, `a: [${filled("' ")}`),
  "calls that are cut": () => documentOf(3, `a: { b: ${filled("f(,b: ")}`),
  "texts that are cut": () => documentOf(3, `a: [${filled("f('x',")}`),
  colons: () => documentOf(3, filled("a: ")),
  comments: () => documentOf(3, `a: ${filled(" #")}`),
  "names and references": () => documentOf(3, filled("- &a b\n- *a\n")),
  "a billion laughs": () =>
    documentOf(
      3,
      listed(
        10,
        (index) =>
          `a${index}: &a${index} [${Array(9)
            .fill(`*a${index - 1}`)
            .join(", ")}]`,
      ),
    ),
  dashes: () => documentOf(3, filled("- ")),
  "dashes in lines": () => documentOf(3, filled("-\n")),
  "keys that nest": () =>
    documentOf(
      3,
      listed(700, (index) => `${" ".repeat(index)}a:`),
    ),
  "one key": () => documentOf(3, filled("a: b\n")),
  markers: () => documentOf(3, filled("---\n")),
  "a long text": () => documentOf(3, `a: |\n${filled("  x\n")}`),
  "a text over many lines": () => documentOf(3, `a: "b\n${filled("  x\n")}`),
  "a list over many lines": () => documentOf(3, `a: [b,\n${filled("  x,\n")}`),
  escapes: () => documentOf(3, `a: "${filled("\\d")}"`),
  "lines in no column": () =>
    documentOf(
      3,
      listed(30_000, (index) => `${" ".repeat(index % 7)}a${index}: b`),
    ),
  "what nobody sees": () => documentOf(3, `a: ${filled("\0")}`),
  tabs: () => documentOf(3, filled("\ta: b\n")),
  "a line of 100,000 characters": () => documentOf(5, `A:\n  - { rule: "${filled("a && ", 100_000)}b", else: X }`),
  "a name of 100,000 letters": () => documentOf(3, `${filled("A", 100_000)}: {}`),
  // The whole
  "ten thousand blocks of one thing": () =>
    `## 3. X\n\n${filled("```yaml\nE: { fields: { a: text } }\n```\n", 370_000)}`,
  "ten thousand points": () => filled("## 3. X\n\nNot shown.\n\n"),
  "ten thousand unknown keys": () => documentOf(3, `E: {${listed(10_000, (index) => `k${index}: x,`)}}`),
};

describe("a text is read in linear time, whatever it contains", () => {
  for (const [what, write] of Object.entries(hostile))
    test(what, async () => {
      const text = write();
      let findings: readonly Finding[] = [];
      // Quadratic time would take minutes.
      await expectFast(() => {
        ({ findings } = compile({ file: "desk.md", text }));
      }, 100);
      expect(findings.length).toBeLessThanOrEqual(MOST_FINDINGS + 1);
    });
});

test("reading stops at the maximum size of a document", () => {
  const { findings } = compile([
    { file: "a.md", text: filled("a", LARGEST / 2) },
    { file: "b.md", text: filled("a", LARGEST / 2 + 2) },
  ]);
  expect(findings).toMatchObject([{ code: "TOO_LARGE" }]);
});

test("at most ten thousand findings are collected, and a thousand of them shown", () => {
  const { sources, findings, model } = compile({ file: "desk.md", text: documentOf(3, `[${filled(",", 50_000)}`) });
  expect(model).toBeUndefined();
  expect(findings).toHaveLength(MOST_FINDINGS + 1);
  expect(findings.at(-1)?.code).toBe("TOO_MANY_FINDINGS");
  expect(findingsText(sources, findings.slice(0, MOST_FINDINGS), false).split("\n\n").at(-1)).toBe("And 9,000 more.");
});

test("output to a terminal contains no control sequences", () => {
  const { sources, findings } = compile({ file: "desk.md", text: documentOf(3, "\u001b[31mThing\u202e: {}") });
  expect(findings.length).toBeGreaterThan(0);
  expect(findingsText(sources, findings, false)).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});
