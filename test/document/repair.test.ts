import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { placesIn } from "../../src/core/source-text.ts";
import { cases, seed } from "../chance.ts";

/** A document with one mistake, and the line in which it is, from 1. */
interface Mutation {
  readonly line: number;
  readonly text: string;
}

type Mutate = (line: string) => string | undefined;

const shift =
  (by: number): Mutate =>
  (line) =>
    by > 0
      ? " ".repeat(by) + line
      : line.startsWith(" ".repeat(1 - by)) || line.startsWith("  ")
        ? line.slice(-by)
        : undefined;

/** Every kind of slip, as a change of one line of a block. */
const slips: Readonly<Record<string, Mutate>> = {
  "a space too many": shift(1),
  "two spaces too many": shift(2),
  "a space too few": shift(-1),
  "two spaces too few": shift(-2),
  "a tab": (line) => (/^ {2}/u.test(line) ? line.replace(/^ +/u, (all) => "\t".repeat(all.length / 2)) : undefined),
  "a lost colon": (line) => (/^\s*(?:- )?[\w/ ]+:/u.test(line) ? line.replace(":", "") : undefined),
  "a lost dash": (line) => (/^\s*- /u.test(line) ? line.replace("- ", "") : undefined),
  "a lost opening bracket": (line) => (/[[{]/u.test(line) ? line.replace(/[[{]/u, "") : undefined),
  "a lost closing bracket": (line) => (/[\]}]/u.test(line) ? line.replace(/[\]}](?=[^\]}]*$)/u, "") : undefined),
};

const example = readFileSync(new URL("../../examples/lending.md", import.meta.url), "utf8");
const lines = example.split("\n");

const isInBlock: readonly boolean[] = (() => {
  let inside = false;
  return lines.map((line) => {
    if (line.startsWith("```")) {
      inside = line.startsWith("```yaml");
      return false;
    }
    return inside && !/^\s*(?:#|$)/u.test(line);
  });
})();

const mutationsOf = (mutate: Mutate): readonly Mutation[] =>
  lines.flatMap((line, row) => {
    const changed = isInBlock[row] ? mutate(line) : undefined;
    return changed === undefined ? [] : [{ line: row + 1, text: lines.toSpliced(row, 1, changed).join("\n") }];
  });

/** Everything but open points: code and line. */
const findingsOf = (text: string) => {
  const { findings, sources } = compile({ file: "lending.md", text });
  const at = placesIn(sources);
  return findings
    .filter(({ severity }) => severity !== "open")
    .map(({ code, severity, span, fix }) => ({ code, severity, line: at(span).line, fix }));
};

/** Some of the lines, others on each day; `npm run prove` tries all. */
const some = (all: readonly Mutation[]): readonly Mutation[] => {
  const step = cases(12, 1);
  return all.filter((_, index) => index % step === seed % step);
};

describe("one slip is one mistake", () => {
  test.each(Object.entries(slips))("%s", (_, mutate) => {
    const wrong = some(mutationsOf(mutate)).flatMap(({ line, text }) => {
      const found = findingsOf(text);
      // Some slips change nothing, such as a space in front of the only line of a block.
      const isFine = found.length === 0 || (found.length <= 3 && found[0]?.line === line);
      return isFine ? [] : [`line ${line}, ${lines[line - 1]}: ${found.map((one) => `${one.code} ${one.line}`)}`];
    });
    expect(wrong).toEqual([]);
  });

  test("a lost heading is one finding at the block below it", () => {
    for (const [row, line] of lines.entries()) {
      if (!/^## [2-7]/u.test(line)) continue;
      const next = isInBlock.indexOf(true, row);
      const found = findingsOf(lines.toSpliced(row, 1).join("\n"));
      expect(found.length, line).toBeLessThanOrEqual(1);
      for (const { line: at } of found) expect(Math.abs(at - next), line).toBeLessThanOrEqual(3);
    }
  });
});

test("two slips in different points are both found, each at its line, before the findings that are no consequence", () => {
  const [one, other] = [lines.indexOf("  fields:"), lines.indexOf("  field: status")];
  const text = lines
    .map((line, row) => (row === one ? `  ${line}` : row === other ? line.slice(2) : line))
    .join("\n")
    .replace("initial: asked", "initial: askd");
  expect(findingsOf(text).map(({ code, line }) => `${code} ${line}`)).toEqual([
    `BAD_INDENT ${one + 1}`,
    `BAD_INDENT ${other + 1}`,
    `UNKNOWN_NAME ${lines.findIndex((line) => line.includes("initial: asked")) + 1}`,
  ]);
});

test("the correction is offered if it is the only one, and never made unasked", () => {
  const row = lines.indexOf("  fields:");
  const { findings } = compile({ file: "lending.md", text: lines.with(row, "  fields").join("\n") });
  const [first] = findings;
  expect(first).toMatchObject({
    code: "BAD_YAML",
    hint: "Write a colon after “fields”.",
    isGuess: true,
    fix: [{ text: ":" }],
  });
});
