/** Maximum number of search words. */
const MAX_WORDS = 8;

/** Matches `"moving house"` as one phrase, also if the closing quote is still missing. */
const each = /"([^"]+)(?:"|$)|\S+/gu;

/**
 * The words of a search, all of which a record must contain: in lower case, without duplicates, in order. A word
 * contained in another is dropped; of more than eight words, the longest eight remain.
 */
export const searchWords = (search: string): readonly string[] => {
  const words = [...search.matchAll(each)].map(([word, quoted]) => (quoted ?? word).trim().toLowerCase());
  const longest: string[] = [];
  for (const word of [...new Set(words)].sort((a, b) => b.length - a.length))
    if (word !== "" && longest.length < MAX_WORDS && !longest.some((item) => item.includes(word))) longest.push(word);
  return words.filter((word, i) => longest.includes(word) && words.indexOf(word) === i);
};

const isWithinWord = /[\p{L}\p{N}]/u;

/** True if the word matches the title at the start of one of its words: "pro" in "In progress", but not "gress". */
export const hasWord = (title: string, word: string): boolean => {
  const text = title.toLowerCase();
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isWithinWord.test(text.charAt(at - 1))) return true;
  return false;
};
