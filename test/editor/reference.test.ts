import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pointNumbers } from "../../src/core/document/read.ts";
import { keysAllowedEverywhere } from "../../src/core/document/shape/record.ts";
import type { Step } from "../../src/core/editor/cursor.ts";
import { createEditor } from "../../src/core/editor/editor.ts";
import { findReferenceEntry, type LanguageReference } from "../../src/core/editor/reference.ts";
import { shapesAt } from "../../src/core/editor/shapes-at.ts";

const { readReference } = (await import(new URL("../../scripts/language-reference.mjs", import.meta.url).href)) as {
  readonly readReference: (page: string) => LanguageReference;
};
const page = readFileSync(new URL("../../docs/language.md", import.meta.url), "utf8");
const reference = readReference(page);

/** Names for keys that the author chooses: an address, a call, an entity, an error, a field. */
const names = ["/probe/{id}", "GET /probe", "Probe", "PROBE", "probe"];

/** Deeper constructs repeat those above. */
const DEEPEST = 8;

const asText = (path: readonly Step[]): string =>
  path.map((step) => (step.kind === "key" ? step.name : "-")).join(" / ");

test("every key that completion can offer has its sentence in the reference", () => {
  const missing: string[] = [];
  const seen = new Set<object>();
  let known = 0;
  for (const point of pointNumbers) {
    const visit = (path: readonly Step[]): void => {
      for (const { form } of shapesAt({ point, path })) {
        if (form.kind === "list" && path.length < DEEPEST) visit([...path, { kind: "item" }]);
        if (seen.has(form)) continue;
        if (form.kind === "mapping") {
          seen.add(form);
          for (const name of names) visit([...path, { kind: "key", name }]);
        }
        if (form.kind !== "keys" && (form.kind !== "mapping" || form.offers === undefined)) continue;
        seen.add(form);
        const keys = form.kind === "keys" ? Object.keys({ ...form.parts, ...keysAllowedEverywhere }) : form.offers;
        for (const key of keys ?? []) {
          known++;
          if (findReferenceEntry(reference, point, path, key) === undefined)
            missing.push(`${point}: ${asText(path)} / ${key}`);
          visit([...path, { kind: "key", name: key }]);
        }
      }
    };
    visit([]);
  }
  expect(missing).toEqual([]);
  expect(known).toBeGreaterThan(300);
});

test("the heading of each sentence is on the page", () => {
  const slugs = new Set(
    [...page.matchAll(/^#{2,4} (.+)$/gmu)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
  for (const { id, heading } of Object.values(reference.keys).flatMap((table) => Object.values(table)))
    expect(slugs, id).toContain(heading);
});

test("a hover shows the sentence, the default and the place", () => {
  const text = "# Desk\n\n## 2. Screens\n\n```yaml\n/loans:\n  list: Loan\n  filters: [thing]\n```\n";
  const editor = createEditor(() => reference);
  editor.open([{ file: "desk.md", text }]);
  expect(editor.hover({ file: "desk.md", offset: text.indexOf("filters") + 2 })).toMatchObject({
    lines: [
      expect.stringContaining("**filters** takes"),
      "Of a list: the fields that are offered as filters first; people can add others.",
      "Default: none.",
    ],
    reference: { id: "L2.9", heading: "l2-screens-and-routes" },
  });
});
