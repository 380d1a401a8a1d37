const plain = (words: string): string => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The words of a text, without marks and in small letters. */
const toWords = (text: string): readonly string[] => plain(text).split(/\s+/u).filter(Boolean);

/** True if a text begins with what somebody typed. */
export const beginsWith = (text: string, typed: string): boolean => {
  const query = plain(typed.trim());
  return query !== "" && plain(text).startsWith(query);
};

/** Words of the reader's language that help to find what other words name. */
export interface SearchWords {
  /** Words that need not be found: “the of”. */
  readonly small: string;
  /** Groups of words for the same, with commas in a group and semicolons between groups: “sign, log; trash, bin”. */
  readonly synonyms: string;
}

/** Words of fewer letters begin too many others. */
const LEAST_LETTERS = 3;

/** The words that mean the same as the beginning of a word that somebody typed. */
const findSynonyms = (synonyms: string, word: string): readonly string[] =>
  word.length < LEAST_LETTERS
    ? []
    : plain(synonyms)
        .split(";")
        .map((group) => group.split(",").map((member) => member.trim()))
        .filter((group) => group.some((member) => member.startsWith(word)))
        .flat();

/**
 * The items whose text contains every word that somebody typed, in any order. If there are none, small words such as
 * “my” and “the” need not be found: “hand my work” finds “Hand over your work”. If there are still none, another word for
 * the same is enough: “log out” finds “Sign out”.
 */
export const findByWords = <Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  typed: string,
  { small, synonyms }: SearchWords,
): readonly Item[] => {
  const find = (words: readonly string[], wordsFor: (word: string) => readonly string[] = () => []) => {
    const alternatives = words.map((word) => ({ word, others: wordsFor(word) }));
    return items.filter((item) => {
      const text = plain(textOf(item));
      const begun = text.split(/[^\p{L}\p{N}]+/u);
      return alternatives.every(
        ({ word, others }) => text.includes(word) || others.some((other) => begun.some((one) => one.startsWith(other))),
      );
    });
  };
  const found = find(toWords(typed));
  if (found.length > 0) return found;
  const smallWords = new Set(toWords(small));
  // “l’ordre” is a small word and another one.
  const others = toWords(typed.replaceAll(/['’]/gu, " ")).filter((word) => !smallWords.has(word));
  if (others.length === 0) return found;
  const withoutSmall = find(others);
  return withoutSmall.length > 0 ? withoutSmall : find(others, (word) => findSynonyms(synonyms, word));
};
