import { diffArrays } from "diff";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";

/** A text that contains the changes of both sides. */
export interface Merged {
  readonly files: readonly SourceJson[];
  /** Places that both sides changed differently. They have the lines of the draft. */
  readonly collisions: readonly Collision[];
}

/** Lines of one text. */
export interface LineRange {
  /** The number of the first line, counted from 1. */
  readonly number: number;
  readonly lines: readonly string[];
}

/** A place that both sides changed differently. */
export interface Collision {
  readonly file: string;
  readonly base: LineRange;
  readonly draft: LineRange;
  readonly live: LineRange;
}

/** Lines of the base, half-open, that one side replaces. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

const findHunks = (base: readonly string[], side: readonly string[]): readonly Hunk[] => {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { from: number; to: number; lines: readonly string[] } | undefined;
  for (const { added, removed, value } of diffArrays([...base], [...side])) {
    if (!added && !removed) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      at += value.length;
      continue;
    }
    open ??= { from: at, to: at, lines: [] };
    if (added) open = { ...open, lines: [...open.lines, ...value] };
    else {
      at += value.length;
      open = { ...open, to: at };
    }
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
};

/** True if two hunks replace a common line, or both insert at the same place. */
const meet = (a: Hunk, b: Hunk): boolean =>
  (a.from < b.to && b.from < a.to) || a.from === b.from || (a.from === a.to && a.from > b.from && a.from < b.to);

/** The lines of one side for a range of the base. */
const applyHunks = (base: readonly string[], hunks: readonly Hunk[], from: number, to: number): readonly string[] => {
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...lines, ...base.slice(at, to)];
};

const mergeText = (
  base: string,
  draft: string,
  live: string,
): { readonly text: string; readonly collisions: readonly Omit<Collision, "file">[] } => {
  if (draft === base || draft === live) return { text: live, collisions: [] };
  if (live === base) return { text: draft, collisions: [] };
  const lines = base.split("\n");
  const [ours, theirs] = [[...findHunks(lines, draft.split("\n"))], [...findHunks(lines, live.split("\n"))]];
  const merged: string[] = [];
  const collisions: Omit<Collision, "file">[] = [];
  let at = 0;
  // How many lines each side has more than the base, before the current place.
  let [moreInDraft, moreInLive] = [0, 0];
  while (ours.length > 0 || theirs.length > 0) {
    const own: Hunk[] = [];
    const other: Hunk[] = [];
    const isOwnFirst = (ours[0]?.from ?? Number.POSITIVE_INFINITY) <= (theirs[0]?.from ?? Number.POSITIVE_INFINITY);
    const first = (isOwnFirst ? ours : theirs).shift();
    if (first === undefined) break;
    (isOwnFirst ? own : other).push(first);
    let { from, to } = first;
    // Hunks that meet form one place.
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false;
      for (const [queue, taken] of [
        [ours, own],
        [theirs, other],
      ] as const) {
        const next = queue[0];
        if (next === undefined || !meet({ from, to, lines: [] }, next)) continue;
        queue.shift();
        taken.push(next);
        [from, to] = [Math.min(from, next.from), Math.max(to, next.to)];
        isGrowing = true;
      }
    }
    const [mine, changed] = [applyHunks(lines, own, from, to), applyHunks(lines, other, from, to)];
    const isBoth = own.length > 0 && other.length > 0;
    if (isBoth && mine.join("\n") !== changed.join("\n"))
      collisions.push({
        base: { number: from + 1, lines: lines.slice(from, to) },
        draft: { number: from + moreInDraft + 1, lines: mine },
        live: { number: from + moreInLive + 1, lines: changed },
      });
    moreInDraft += mine.length - (to - from);
    moreInLive += changed.length - (to - from);
    merged.push(...lines.slice(at, from), ...(own.length > 0 ? mine : changed));
    at = to;
  }
  return { text: [...merged, ...lines.slice(at)].join("\n"), collisions };
};

/** Brings a draft up to date: `base` is the text that it was made from, `live` a later version of that text. */
export const mergeTexts = (
  base: readonly SourceJson[],
  draft: readonly SourceJson[],
  live: readonly SourceJson[],
): Merged => {
  const textIn = (files: readonly SourceJson[], name: string) => files.find(({ file }) => file === name)?.text;
  const collisions: Collision[] = [];
  const files = live.map(({ file, text }) => {
    const before = textIn(base, file) ?? "";
    const merged = mergeText(before, textIn(draft, file) ?? before, text);
    collisions.push(...merged.collisions.map((collision) => ({ file, ...collision })));
    return { file, text: merged.text };
  });
  return { files, collisions };
};
