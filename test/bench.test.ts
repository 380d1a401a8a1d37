import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compile } from "../src/core/compile.ts";

const bench = fileURLToPath(new URL("../bench", import.meta.url));

const hashOf = (folder: string, changed: (name: string, text: Buffer) => Buffer = (_, text) => text): string => {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort())
    hash
      .update(name)
      .update("\0")
      .update(changed(name, readFileSync(join(folder, name))));
  return hash.digest("hex");
};

// A change of the hand-written reference server has to be confirmed here.
test("the hand-written server is the one that was measured", () => {
  const folder = join(bench, "by-hand");
  const known = "cbf9aa6243508048137c27d74d0900c8e1e778863b49a7d3f67299a27c1c9c45";
  expect(hashOf(folder)).toBe(known);
  const slower = (name: string, text: Buffer) =>
    name === "schema.sql" ? Buffer.from(text.toString().replace("create index request_employee", "-- ")) : text;
  expect(hashOf(folder, slower)).not.toBe(known);
});

test("the document of the benchmark needs no fix", () => {
  const file = join(bench, "leave.md");
  const { findings, model } = compile({ file, text: readFileSync(file, "utf8") });
  expect(findings.filter(({ severity }) => severity === "error" || severity === "warning")).toEqual([]);
  expect([...(model?.entities.keys() ?? [])]).toEqual(["User", "Request"]);
});
