import { diffLines, diffWordsWithSpace } from "diff";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";

/** A piece of a line; `changed` if the other side does not have it. */
export interface LinePiece {
  readonly text: string;
  readonly changed: boolean;
}

/** A line of one side, with its number counted from 1. */
export interface DiffLine {
  readonly number: number;
  readonly pieces: readonly LinePiece[];
}

/** Two lines side by side. A line that was added has no `before`, a deleted one no `after`. */
export interface DiffRow {
  readonly kind: "same" | "changed";
  readonly before: DiffLine | null;
  readonly after: DiffLine | null;
}

/** Rows that are shown, or a run of unchanged rows that is folded away. */
export interface DiffSection {
  readonly kind: "shown" | "folded";
  readonly rows: readonly DiffRow[];
}

/** The comparison of one file. */
export interface FileDiff {
  readonly file: string;
  readonly added: number;
  readonly removed: number;
  readonly sections: readonly DiffSection[];
}

const toLines = (text: string): readonly string[] => text.replace(/\n$/u, "").split("\n");

const unchangedPiece = (text: string): readonly LinePiece[] => [{ text, changed: false }];

/** A removed line and the added line that replaces it, with the words that differ. */
interface Pair {
  readonly before: readonly LinePiece[];
  readonly after: readonly LinePiece[];
  /** Characters that both have. */
  readonly common: number;
}

/** The pair that two lines make; undefined if they have too little in common to be the same line, changed. */
const findPair = (before: string, after: string): Pair | undefined => {
  const parts = diffWordsWithSpace(before, after);
  const common = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (common * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  return {
    before: parts.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, changed: removed })),
    after: parts.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, changed: added })),
    common,
  };
};

/** Above this number of comparisons, lines are paired by position. */
const MOST_COMPARISONS = 900;

/** For each removed line, the added line that replaces it, in order: the pairs with most in common. */
const pairLines = (
  deleted: readonly string[],
  inserted: readonly string[],
): ReadonlyMap<number, readonly [number, Pair]> => {
  const found = new Map<number, readonly [number, Pair]>();
  if (deleted.length * inserted.length > MOST_COMPARISONS) {
    deleted.forEach((line, i) => {
      const now = inserted[i];
      const pair = now === undefined ? undefined : findPair(line, now);
      if (pair !== undefined) found.set(i, [i, pair]);
    });
    return found;
  }
  const pairs = deleted.map((line) => inserted.map((now) => findPair(line, now)));
  // best[i][j]: characters in common of the lines from i and from j on.
  const best = Array.from({ length: deleted.length + 1 }, () => new Array<number>(inserted.length + 1).fill(0));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const likenessAt = (i: number, j: number): number => {
    const pair = pairs[i]?.[j];
    return pair === undefined ? -1 : pair.common + at(i + 1, j + 1);
  };
  for (let i = deleted.length - 1; i >= 0; i--)
    for (let j = inserted.length - 1; j >= 0; j--) {
      const row = best[i];
      if (row !== undefined) row[j] = Math.max(at(i + 1, j), at(i, j + 1), likenessAt(i, j));
    }
  for (let i = 0, j = 0; i < deleted.length && j < inserted.length; ) {
    const pair = pairs[i]?.[j];
    if (pair !== undefined && likenessAt(i, j) === at(i, j)) found.set(i++, [j++, pair]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
};

/** Both texts line by line, changed lines beside each other. */
export const alignLines = (before: string, after: string): readonly DiffRow[] => {
  const rows: DiffRow[] = [];
  let [left, right] = [1, 1];
  const push = (kind: DiffRow["kind"], old: readonly LinePiece[] | null, now: readonly LinePiece[] | null): void => {
    rows.push({
      kind,
      before: old === null ? null : { number: left++, pieces: old },
      after: now === null ? null : { number: right++, pieces: now },
    });
  };
  /** Unrelated lines are shown beside each other too, to save space. */
  const pushPairs = (deleted: readonly string[], inserted: readonly string[]): void => {
    for (let i = 0; i < Math.max(deleted.length, inserted.length); i++) {
      const [old, now] = [deleted[i], inserted[i]];
      push("changed", old === undefined ? null : unchangedPiece(old), now === undefined ? null : unchangedPiece(now));
    }
  };
  const replace = (deleted: readonly string[], inserted: readonly string[]): void => {
    let [i, j] = [0, 0];
    for (const [at, [to, { before: old, after: now }]] of pairLines(deleted, inserted)) {
      pushPairs(deleted.slice(i, at), inserted.slice(j, to));
      push("changed", old, now);
      [i, j] = [at + 1, to + 1];
    }
    pushPairs(deleted.slice(i), inserted.slice(j));
  };
  let removedLines: readonly string[] = [];
  for (const { added, removed, value } of diffLines(before, after)) {
    const lines = toLines(value);
    if (removed) removedLines = lines;
    else {
      replace(removedLines, added ? lines : []);
      removedLines = [];
      if (!added) for (const text of lines) push("same", unchangedPiece(text), unchangedPiece(text));
    }
  }
  replace(removedLines, []);
  return rows;
};

/** Lines shown around each change. */
const AROUND = 3;

/** Folds runs of unchanged rows, except for the lines around each change. */
export const foldUnchanged = (rows: readonly DiffRow[]): readonly DiffSection[] => {
  const near = rows.map((_, at) =>
    rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind === "changed"),
  );
  const sections: { kind: DiffSection["kind"]; rows: DiffRow[] }[] = [];
  rows.forEach((row, at) => {
    const kind = near[at] ? "shown" : "folded";
    const last = sections.at(-1);
    if (last?.kind === kind) last.rows.push(row);
    else sections.push({ kind, rows: [row] });
  });
  // Folding a line or two would save nothing.
  return sections.map((section) =>
    section.kind === "folded" && section.rows.length < AROUND ? { ...section, kind: "shown" } : section,
  );
};

/** The files of two versions, compared. Files that are the same in both are left out. */
export const compareFiles = (before: readonly SourceJson[], after: readonly SourceJson[]): readonly FileDiff[] => {
  const names = [...new Set([...before, ...after].map(({ file }) => file))];
  return names.flatMap((file): readonly FileDiff[] => {
    const textIn = (files: readonly SourceJson[]) => files.find((source) => source.file === file)?.text ?? "";
    const [old, now] = [textIn(before), textIn(after)];
    if (old === now) return [];
    const rows = alignLines(old, now);
    const changed = rows.filter(({ kind }) => kind === "changed");
    return [
      {
        file,
        added: changed.filter((row) => row.after !== null).length,
        removed: changed.filter((row) => row.before !== null).length,
        sections: foldUnchanged(rows),
      },
    ];
  });
};
