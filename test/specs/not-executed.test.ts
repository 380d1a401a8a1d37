import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { type NotExecuted, notExecuted } from "../../src/core/model/not-executed.ts";

const golden = JSON.parse(readFileSync(new URL("not-executed.json", import.meta.url), "utf8")) as readonly string[];

const kinds = Object.keys(notExecuted) as readonly NotExecuted[];

test("the kinds of clauses that nothing executes yet are those of the golden file, which may only shrink", () => {
  expect(kinds).toEqual(golden);
});

/** One document that uses every construct which is understood and not executed. */
const text = readFileSync(new URL("not-executed.md", import.meta.url), "utf8");

test("each kind is reported where a document uses it, with its place and its clause", () => {
  const { findings } = compile({ file: "not-executed.md", text });
  expect(findings.filter((finding) => finding.severity === "error" || finding.severity === "warning")).toEqual([]);
  const reported = findings.filter((finding) => finding.code === "NOT_EXECUTED");
  for (const finding of reported) expect(finding.span.end).toBeGreaterThan(finding.span.start);
  for (const kind of kinds)
    expect(
      reported.filter((finding) => finding.message.startsWith(`${notExecuted[kind]}:`)).length,
      kind,
    ).toBeGreaterThan(0);
});

test("a clause that is not executed is not in force", () => {
  const { model } = compile({ file: "not-executed.md", text });
  const order = model?.entities.get("Order");
  expect([...(order?.fields.keys() ?? [])]).not.toContain("pictured");
  expect(order?.rules.length).toBe(4);
});
