import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkText } from "../../src/cli/check.ts";
import { readSources } from "../../src/cli/document-file.ts";
import { applyFixes } from "../../src/core/autofix.ts";
import { compile } from "../../src/core/compile.ts";
import { applicable, applyEdits } from "../../src/core/document/edits.ts";
import { LARGEST } from "../../src/core/document/read.ts";
import { type Finding, type FindingCode, findingCodes, MOST_FINDINGS } from "../../src/core/findings.ts";

/*
 * For every code, the smallest document with that finding, and the output of `ninefold check`. `UPDATE=1 npx vitest run
 * test/specs/bad` rewrites the outputs, which then need review.
 */

const folder = new URL("bad/", import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .sort();

/** Documents too large to store. */
const made: { readonly [C in FindingCode]?: () => string } = {
  TOO_LARGE: () => "a".repeat(LARGEST + 1),
  TOO_MANY_FINDINGS: () => `## 3. Entities\n\n\`\`\`yaml\n[${",".repeat(MOST_FINDINGS + 1)}]\n\`\`\`\n`,
};

test("every code has a document that produces it", () => {
  const codes = Object.keys(findingCodes).filter((code) => !(code in made));
  expect(names).toEqual(codes.map((code) => `${code.toLowerCase()}.md`).sort());
});

describe.each(names)("%s", (name) => {
  const path = new URL(name, folder);
  const golden = new URL(name.replace(/md$/u, "txt"), folder);
  const read = async () => compile(await readSources(fileURLToPath(path)));

  test("produces its code", async () => {
    expect((await read()).findings.map(({ code }) => code)).toContain(name.replace(/\.md$/u, "").toUpperCase());
  });

  test("has the same findings as before", async () => {
    const text = checkText(await read(), false);
    if (process.env.UPDATE === "1") writeFileSync(golden, text);
    expect(text).toBe(existsSync(golden) ? readFileSync(golden, "utf8") : "");
  });
});

/** The parts of findings that do not depend on the preceding text: code, message, and number of occurrences. */
const tellings = (findings: readonly Finding[]): ReadonlyMap<string, number> => {
  const told = new Map<string, number>();
  for (const { code, message } of findings) told.set(`${code} ${message}`, (told.get(`${code} ${message}`) ?? 0) + 1);
  return told;
};

test("each offered fix removes its finding, and automatic fixes add none", async () => {
  const offered: Record<string, number> = {};
  const wrong: string[] = [];
  for (const name of names) {
    const sources = await readSources(fileURLToPath(new URL(name, folder)));
    const { findings } = compile(sources);
    const before = tellings(findings);
    const certain = applicable(sources, findings);
    for (const finding of findings) {
      const { fix, code, message } = finding;
      if (fix === undefined) continue;
      offered[code] = (offered[code] ?? 0) + 1;
      const after = tellings(compile(applyEdits(sources, fix)).findings);
      const key = `${code} ${message}`;
      if ((after.get(key) ?? 0) >= (before.get(key) ?? 0)) wrong.push(`${name}: ${key} is still there`);
      if (!certain.some((other) => other === finding)) continue;
      for (const [other, times] of after)
        if (times > (before.get(other) ?? 0)) wrong.push(`${name}: ${key} adds ${other}`);
    }
    const { compiled, done } = applyFixes(sources);
    expect(applicable(compiled.sources, compiled.findings), name).toEqual([]);
    expect(done.length).toBeGreaterThanOrEqual(certain.length);
  }
  expect(wrong).toEqual([]);
  expect(Object.keys(offered).length).toBeGreaterThanOrEqual(10);
});

test.each(Object.entries(made))("%s", (code, write) => {
  expect(compile({ file: "desk.md", text: write() }).findings.map((finding) => finding.code)).toContain(code);
});

test("every error has a document", () => {
  const answers = readdirSync(folder).filter((name) => !name.endsWith(".md"));
  expect(answers).toEqual(names.map((name) => name.replace(/md$/u, "txt")));
});
