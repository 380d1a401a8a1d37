import { expect, test } from "vitest";
import {
  alignLines,
  compareFiles,
  type DiffLine,
  foldUnchanged,
} from "../../../src/web/workbench/versions/text-diff.ts";
import fc from "../../chance.ts";

const textOf = (line: DiffLine | null): string | null =>
  line === null ? null : line.pieces.map(({ text }) => text).join("");
const file = fc.array(fc.constantFrom("a", "b: 1", "b: 2", "", "  c"), { maxLength: 12 });
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

test("each side of a comparison is its whole text, in order and numbered", () => {
  fc.assert(
    fc.property(file, file, (before, after) => {
      const rows = alignLines(text(before), text(after));
      for (const [side, lines] of [
        ["before", before],
        ["after", after],
      ] as const) {
        const shown = rows.flatMap((row) => (row[side] === null ? [] : [row[side]]));
        expect(shown.map(textOf)).toEqual(lines);
        expect(shown.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
      }
      for (const { kind, before: old, after: now } of rows) if (kind === "same") expect(textOf(old)).toBe(textOf(now));
    }),
  );
});

test("a changed line is shown beside the new one, with the words that differ", () => {
  const [row] = alignLines("  max: 80, type: text\n", "  max: 120, type: text\n");
  const changed = (line: DiffLine | null | undefined) =>
    line?.pieces.filter((one) => one.changed).map((one) => one.text);
  expect([changed(row?.before), changed(row?.after)]).toEqual([["80"], ["120"]]);
});

test("a line inserted before a changed one is shown alone", () => {
  const rows = alignLines("  name: { type: text, max: 80 }\n", "  shelf: text?\n  name: { type: text, max: 120 }\n");
  expect(rows.map((row) => [textOf(row.before), textOf(row.after)])).toEqual([
    [null, "  shelf: text?"],
    ["  name: { type: text, max: 80 }", "  name: { type: text, max: 120 }"],
  ]);
});

test("unchanged lines are folded, and none is lost", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  const rows = alignLines(text(lines), text(lines.with(20, "another")));
  const sections = foldUnchanged(rows);
  expect(sections.map(({ kind, rows: { length } }) => [kind, length])).toEqual([
    ["folded", 17],
    ["shown", 7],
    ["folded", 16],
  ]);
  expect(sections.flatMap((section) => section.rows)).toEqual(rows);
});

test("equal files are omitted, and a new file has only added lines", () => {
  const [a, b] = [
    { file: "a.md", text: "one\n" },
    { file: "b.md", text: "two\n" },
  ];
  expect(compareFiles([a], [a])).toEqual([]);
  expect(compareFiles([a], [a, b])).toMatchObject([{ file: "b.md", added: 1, removed: 0 }]);
});
