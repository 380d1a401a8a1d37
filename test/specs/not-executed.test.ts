import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { type NotExecuted, notExecuted } from "../../src/core/model/not-executed.ts";
import { placesIn } from "../../src/core/source-text.ts";
import { serveText } from "../app/program.ts";

const golden = JSON.parse(readFileSync(new URL("not-executed.json", import.meta.url), "utf8")) as readonly string[];

const kinds = Object.keys(notExecuted) as readonly NotExecuted[];

test("the unexecuted kinds of clauses are those of the golden file, which may only shrink", () => {
  expect(kinds).toEqual(golden);
});

/** A document that reads a field of undecided type in every place where expressions are possible. */
const text = readFileSync(new URL("not-executed.md", import.meta.url), "utf8");
const { model, findings, source } = compile({ file: "not-executed.md", text });
const reported = findings.filter((finding) => finding.code === "NOT_EXECUTED");
const at = placesIn(source);

test("an unexecuted clause is no error, and each kind is reported with its place and clause", () => {
  expect(findings.filter((finding) => finding.severity === "error" || finding.severity === "warning")).toEqual([]);
  for (const finding of reported) expect(finding.span.end).toBeGreaterThan(finding.span.start);
  for (const kind of kinds)
    expect(
      reported.filter((finding) => finding.message.startsWith(`${notExecuted[kind]}:`)).length,
      kind,
    ).toBeGreaterThan(0);
});

test("it is reported on every line that reads it; a field without a type has no column, as its open point says", () => {
  const said = new Set(reported.map((finding) => at(finding.span).line));
  const [, blocks = ""] = text.split(/(?=## 2\.)/u);
  const before = text.slice(0, -blocks.length).split("\n").length;
  const silent = blocks.split("\n").flatMap((line, i) => {
    const reads = /\b(?:need|wish|twice|order_day)\b/u.test(line);
    return reads && !said.has(before + i) ? [line.trim()] : [];
  });
  expect(silent).toEqual([
    "columns: [note, need, status]",
    "filters: [need]",
    "sort: [need]",
    "layouts: [table, { board: need }, { calendar: [need] }]",
    "fields: [kind, note, need]",
    "need:    not shown",
    "wish:    { type: not shown, min: 3, help: What is wished for. }",
    "address: { type: slug?, from: need }",
    "create: [{ role: staff, fields: [kind, note, need] }]",
    // For rules that are not in force.
    'TOO_MANY: { status: 409, message: "{need} is too much.", at: need }',
  ]);
});

test("it is not in force, and permits nothing", async () => {
  const order = model?.entities.get("Order");
  expect([...(order?.fields.keys() ?? [])]).toEqual(["buyer", "kind", "note", "helper", "address", "lines", "status"]);
  expect([...(order?.rules ?? []), ...(order?.uniquenessRules ?? [])]).toEqual([]);
  expect(model?.calls.map(({ name }) => name)).toEqual([]);

  const served = await serveText(text);
  const buyer = await served.person("Ada");
  const clerk = await served.person("Ben", ["clerk"]);
  const made = await buyer.post("/api/orders", { kind: "goods", note: "Paper" });
  expect(made.record()).toMatchObject({ kind: "goods", note: "Paper" });
  const path = `/api/orders/${made.record().id}`;
  expect((await clerk.get(path)).status).toBe(404);
  expect((await buyer.patch(path, { note: "Pens" })).status).toBe(403);
  expect((await buyer.delete(path)).status).toBe(403);
  expect((await buyer.get("/api/rows")).problem().code).toBe("FORBIDDEN");
  await served.stop();
});
