/** Longer words are looked for by nobody, and an address that holds them is refused on its way. */
export const MOST_SEARCHED = 200;

/**
 * Text that was pasted, as the one line of words that can be looked for: lines, tabs and control characters are spaces; halves
 * of surrogate pairs and marks that turn the direction are nothing that a record could hold or anybody could see.
 */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cs}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu, "")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ");

/** What stays of `pasted` where there is room for so many more letters: a letter is there as a whole or not at all. */
export const fitting = (pasted: string, room: number): string => {
  let kept = "";
  for (const letter of oneLine(pasted.slice(0, 10 * MOST_SEARCHED)))
    if (kept.length + letter.length <= room) kept += letter;
    else break;
  return kept;
};
