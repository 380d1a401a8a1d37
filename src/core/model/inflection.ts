/** "first_day" is shown to people as "First day". */
export const titleOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** "ClaimLine" in running text is "claim line". */
export const wordsOf = (entity: string): string => entity.replace(/(?<=[a-z0-9])(?=[A-Z])/gu, " ").toLowerCase();

/** The table of an entity: `ClaimLine` → `claim_line`. */
export const tableNameOf = (entity: string): string => wordsOf(entity).replaceAll(" ", "_");

/** English plurals as far as they are regular; `path:` and `title:` say others. */
export const pluralOf = (word: string): string => {
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
};

/** "a loan", "an item": by the letter it begins with, as far as that tells. */
export const withArticle = (words: string): string => `${/^[aeio]/iu.test(words) ? "an" : "a"} ${words}`;

/** What an entity is called in addresses, where it does not say so itself: `ClaimLine` → `claim-lines`. */
export const pathNameOf = (entity: string): string => pluralOf(wordsOf(entity)).replaceAll(" ", "-");
