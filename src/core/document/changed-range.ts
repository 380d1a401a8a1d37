/** The smallest range of a text that an edit replaces, with the new text. */
export interface ChangedRange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Texts are compared in pieces of this length first: most of a large text is the same. */
const PIECE = 4_096;

const countEqualStart = (before: string, after: string, most: number): number => {
  let at = 0;
  while (at + PIECE <= most && before.slice(at, at + PIECE) === after.slice(at, at + PIECE)) at += PIECE;
  while (at < most && before[at] === after[at]) at++;
  return at;
};

const countEqualEnd = (before: string, after: string, most: number): number => {
  const [b, a] = [before.length, after.length];
  let count = 0;
  while (
    count + PIECE <= most &&
    before.slice(b - count - PIECE, b - count) === after.slice(a - count - PIECE, a - count)
  )
    count += PIECE;
  while (count < most && before[b - 1 - count] === after[a - 1 - count]) count++;
  return count;
};

/** The one edit that turns a text into another; undefined if they are equal. */
export const findChangedRange = (before: string, after: string): ChangedRange | undefined => {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  const from = countEqualStart(before, after, most);
  const tail = countEqualEnd(before, after, most - from);
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
};

/**
 * The edits that turn a text into another, one for each line that differs if only words in lines changed, as a renaming
 * does. A cursor between them stays where it is.
 */
export const findChangedRanges = (before: string, after: string): readonly ChangedRange[] => {
  const wholeRange = findChangedRange(before, after);
  if (wholeRange === undefined) return [];
  const [lines, others] = [before, after].map((text) => text.split("\n")) as [string[], string[]];
  if (lines.length !== others.length) return [wholeRange];
  let start = 0;
  return lines.flatMap((line, i) => {
    const from = start;
    start += line.length + 1;
    const range = findChangedRange(line, others[i] ?? "");
    return range === undefined ? [] : [{ ...range, from: from + range.from, to: from + range.to }];
  });
};
