/** The parts of two texts that differ, with the words around them. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
  /** True if something was left out. */
  readonly isShortened: boolean;
}

/** Texts up to this length are shown whole. */
const SHORT = 160;
/** Characters before and after a difference that are shown. */
const AROUND = 40;
/** Characters of a difference that are shown. */
const MOST = 320;

/**
 * Leaves out what two long texts have in common, and the end of a long difference: "… at night. It began on Monday.".
 * A text that was missing before is only cut.
 */
export const shortenChange = (before: string, after: string): TextChange => {
  if (Math.max(before.length, after.length) <= SHORT) return { before, after, isShortened: false };
  const start = before === "" || after === "" ? 0 : findStart(before, after);
  const end = before === "" || after === "" ? 0 : findEnd(before, after, start);
  const from = start <= AROUND ? 0 : toWordStart(before, start - AROUND);
  const shorten = (text: string): string => {
    const to = end <= AROUND ? text.length : text.length - end + AROUND;
    const isCut = to - from > MOST;
    return `${from > 0 ? "…" : ""}${text.slice(from, isCut ? from + MOST : to)}${isCut || to < text.length ? "…" : ""}`;
  };
  const shown = { before: shorten(before), after: shorten(after) };
  return { ...shown, isShortened: shown.before !== before || shown.after !== after };
};

/** Length of the common beginning. */
const findStart = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at += 1;
  return at;
};

/** Length of the common end, without the common beginning. */
const findEnd = (one: string, other: string, start: number): number => {
  const most = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
};

const toWordStart = (text: string, at: number): number => {
  const space = text.indexOf(" ", at);
  return space >= 0 && space - at < AROUND ? space + 1 : at;
};
