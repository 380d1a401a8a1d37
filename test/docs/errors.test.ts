import { describe, expect, test } from "vitest";
import { exits } from "../../src/cli/exit-codes.ts";
import { findingCodes } from "../../src/core/findings.ts";
import { builtInErrors } from "../../src/core/model/errors.ts";
import { examplesOf, told } from "./examples.ts";
import { fencesOf, headingsOf, rowsOf, textOf } from "./pages.ts";

const page = textOf("docs/errors.md");

/** The examples of both pages, since those here extend documents of the other. */
const examples = examplesOf([...fencesOf(textOf("docs/language.md")), ...fencesOf(page)]);

/** The headings below another, of one level. */
const below = (title: string, depth: number): readonly string[] => {
  const headings = headingsOf(page);
  const from = headings.findIndex((heading) => heading.text === title);
  const to = headings.findIndex((heading, i) => i > from && heading.depth <= (headings[from]?.depth ?? 0));
  return headings
    .slice(from + 1, to < 0 ? undefined : to)
    .filter((heading) => heading.depth === depth)
    .map((heading) => heading.text);
};

/** The text under a heading, up to the next one. */
const under = (title: string): string => {
  const [, after = ""] = page.split(new RegExp(`^#+ ${title}$`, "mu"));
  return after.split(/^#/mu)[0] ?? "";
};

describe("findings", () => {
  test("every code of a finding has a heading, in order, and no other code has one", () => {
    expect(below("Findings", 4)).toEqual(Object.keys(findingCodes));
  });

  test.each(Object.entries(findingCodes))("%s has its severity", (code, { severity }) => {
    expect(under(code).trim().split(".")[0]?.replace("*", "").toLowerCase()).toBe(severity);
  });

  const own = examples.slice(examples.length - examplesWithin(page));
  test.each(own.map((example) => [example.fence.line, example] as const))(
    "the example at line %i produces it",
    (_, example) => {
      // Several mistakes can cause one finding; the documented one is among them.
      expect(example.finds).toEqual([headingBefore(example.fence.line)]);
      expect(example.found, told(example)).toContain(example.finds[0]);
    },
  );
});

/** The number of compiled fences on the page; a fence joined to the next counts with it. */
function examplesWithin(text: string): number {
  return fencesOf(text).filter(({ marks }) => marks !== undefined && !("and" in marks)).length;
}

function headingBefore(line: number): string {
  const lines = page.split("\n").slice(0, line);
  return (
    lines
      .findLast((candidate) => candidate.startsWith("#### "))
      ?.slice(5)
      .trim() ?? ""
  );
}

test("every built-in error is in the table with its status and message", () => {
  expect(rowsOf(page, "built-in errors").map((row) => row.slice(0, 3))).toEqual(
    Object.entries(builtInErrors).map(([code, { status, message }]) => [code, String(status), message]),
  );
});

test("the errors that no document can change are those of the server", () => {
  const answered = ["error-handler.ts", "unavailable.ts"].flatMap((file) =>
    [...textOf(`src/server/http/${file}`).matchAll(/(?:\bcode: |with503\(\s*)"([A-Z_]+)"/gu)].map(([, code]) => code),
  );
  expect(below("Errors in responses", 3).toSorted()).toEqual([...new Set(answered)].toSorted());
});

test("every exit code is in the table with its name, and on the page of the command line", () => {
  const codes = Object.entries(exits).map(([name, code]) => [String(code), name]);
  expect(rowsOf(page, "exits").map((row) => row.slice(0, 2))).toEqual(codes);
  expect(rowsOf(textOf("docs/command-line.md"), "exits").map(([code]) => code)).toEqual(codes.map(([code]) => code));
});
