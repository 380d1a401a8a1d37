import { diffLines } from "diff";
import { findChangedRange } from "../../../core/document/changed-range.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";

/** Above this number of added and removed lines, the texts have nothing to do with each other, and are not compared. */
const MOST_EDITS = 4_000;

/** Number of changed lines in a draft: added, removed or edited. */
export const countChangedLines = (before: readonly SourceJson[], after: readonly SourceJson[]): number =>
  after.reduce((sum, { text }, i) => sum + changedBetween(before[i]?.text ?? "", text), 0);

/** The lines that differ, without those at the beginning and the end that do not: one edit of a long text is quick. */
const cutEqualEnds = (before: string, after: string): readonly [string, string] => {
  const range = findChangedRange(before, after);
  if (range === undefined) return ["", ""];
  const from = before.lastIndexOf("\n", range.from - 1) + 1;
  const end = before.indexOf("\n", range.to);
  const rest = end < 0 ? 0 : before.length - end - 1;
  return [before.slice(from, before.length - rest), after.slice(from, after.length - rest)];
};

const changedBetween = (wholeBefore: string, wholeAfter: string): number => {
  if (wholeBefore === wholeAfter) return 0;
  const [before, after] = cutEqualEnds(wholeBefore, wholeAfter);
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return Math.max(before.split("\n").length, after.split("\n").length);
  let [sum, removed, added] = [0, 0, 0];
  for (const part of parts) {
    if (part.removed) removed += part.count;
    else if (part.added) added += part.count;
    else {
      // A run of changes: lines that were edited are both removed and added.
      sum += Math.max(removed, added);
      [removed, added] = [0, 0];
    }
  }
  return sum + Math.max(removed, added);
};
