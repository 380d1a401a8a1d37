/** More words than these are not looked for one by one. */
const MOST = 8;

/** `"moving house"` is one, and so is what stands behind a quotation mark that is not closed yet. */
const each = /"([^"]+)(?:"|$)|\S+/gu;

/**
 * The words that a search looks for, each of which is to stand somewhere in a record: in small letters, each once, in the order
 * in which they were written. A word within another is found with it; of more than eight the longest eight are looked for.
 */
export const searchWords = (search: string): readonly string[] => {
  const words = [...search.matchAll(each)].map(([whole, quoted]) => (quoted ?? whole).trim().toLowerCase());
  const longest: string[] = [];
  for (const word of [...new Set(words)].sort((a, b) => b.length - a.length))
    if (word !== "" && longest.length < MOST && !longest.some((one) => one.includes(word))) longest.push(word);
  return words.filter((word, i) => longest.includes(word) && words.indexOf(word) === i);
};

const isWithinWord = /[\p{L}\p{N}]/u;

/** Whether one of a title's words, or what follows from there, begins so: "pro" in "In progress", and not "gress". */
export const hasWord = (title: string, word: string): boolean => {
  const text = title.toLowerCase();
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isWithinWord.test(text.charAt(at - 1))) return true;
  return false;
};
