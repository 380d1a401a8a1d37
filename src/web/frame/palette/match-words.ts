const plain = (words: string): string => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The words of a text, without marks and in small letters. */
const toWords = (text: string): readonly string[] => plain(text).split(/\s+/u).filter(Boolean);

/** True if a text begins with what somebody typed. */
export const beginsWith = (text: string, typed: string): boolean => {
  const query = plain(typed.trim());
  return query !== "" && plain(text).startsWith(query);
};

/**
 * The items whose text contains every word that somebody typed, in any order. If there are none, small words such as
 * “my” and “the” need not be found: “hand my work” finds “Hand over your work”.
 */
export const findByWords = <Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  typed: string,
  smallWords: string,
): readonly Item[] => {
  const find = (words: readonly string[]) =>
    items.filter((item) => {
      const text = plain(textOf(item));
      return words.every((word) => text.includes(word));
    });
  const found = find(toWords(typed));
  if (found.length > 0) return found;
  const small = new Set(toWords(smallWords));
  // “l’ordre” is a small word and another one.
  const others = toWords(typed.replaceAll(/['’]/gu, " ")).filter((word) => !small.has(word));
  return others.length === 0 ? found : find(others);
};
