/** A search in the text of a file. */
export interface TextSearch {
  readonly words: string;
  /** Only where no letter, digit or underscore is beside it. */
  readonly isWhole: boolean;
  /** True if upper and lower case differ, as they do in names. */
  readonly isExact: boolean;
}

export interface TextMatch {
  readonly from: number;
  readonly to: number;
}

/** More are not counted. */
const MOST_MATCHES = 10_000;

/** Matches in order, without overlap. */
export const findInText = (text: string, { words, isWhole, isExact }: TextSearch): readonly TextMatch[] => {
  if (words === "") return [];
  const escaped = words.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  const pattern = isWhole ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
  const matches: TextMatch[] = [];
  for (const { index, 0: found } of text.matchAll(new RegExp(pattern, isExact ? "gu" : "giu"))) {
    matches.push({ from: index, to: index + found.length });
    if (matches.length === MOST_MATCHES) break;
  }
  return matches;
};

/** Index of the first match from a place on, or of the last one before it, around the ends; -1 if there is none. */
export const nextMatch = (matches: readonly TextMatch[], at: TextMatch, direction: 1 | -1): number => {
  const index =
    direction === 1 ? matches.findIndex(({ from }) => from >= at.to) : matches.findLastIndex(({ to }) => to <= at.from);
  if (index >= 0) return index;
  return direction === 1 ? Math.min(0, matches.length - 1) : matches.length - 1;
};
