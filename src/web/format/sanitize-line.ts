/** Maximum length of a search word; longer addresses are refused on the way. */
export const MOST_SEARCHED = 200;

/**
 * Turns pasted text into one line: line breaks, tabs and control characters become spaces; lone surrogates and
 * bidirectional marks are removed.
 */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cs}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu, "")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ");

/** Truncates pasted text to the available space, without splitting a character. */
export const truncatePasted = (pasted: string, room: number): string => {
  let line = "";
  for (const letter of oneLine(pasted.slice(0, 10 * MOST_SEARCHED)))
    if (line.length + letter.length <= room) line += letter;
    else break;
  return line;
};
