/** The label of a name: "first_day" becomes "First day". */
export const toTitle = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The label of a value: `in-progress` and `inProgress` as "In progress". Words in capitals stay: "HIGH". */
export const toValueTitle = (value: string): string =>
  toTitle(
    value
      .replaceAll("-", " ")
      .replaceAll(/(?<=[a-z0-9])([A-Z])(?=[a-z])/gu, (_, letter: string) => ` ${letter.toLowerCase()}`),
  );

/** The words of an entity name: "ClaimLine" becomes "claim line". */
export const entityWords = (entity: string): string => entity.replace(/(?<=[a-z0-9])(?=[A-Z])/gu, " ").toLowerCase();

/** The table of an entity: `ClaimLine` → `claim_line`. */
export const toTableName = (entity: string): string => entityWords(entity).replaceAll(" ", "_");

/** Irregular English plurals that names of entities and roles have. */
export const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ["person", "people"],
  ["child", "children"],
  ["man", "men"],
  ["woman", "women"],
  ["species", "species"],
  ["series", "series"],
  ["staff", "staff"],
]);

/** “craftsman”, but not “human”. */
const isMan = (word: string): boolean => /(?<!hu|ger|nor|otto|ro|sha|talis)man$/u.test(word);

/** The irregular plural of a word in small letters, if it has one. */
const findIrregularPlural = (word: string): string | undefined =>
  irregularPlurals.get(word) ?? (isMan(word) ? `${word.slice(0, -"an".length)}en` : undefined);

const pluralizeRegularly = (word: string): string => {
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
};

/** English plurals, by the last word; `title:` overrides them. */
export const pluralize = (words: string): string => {
  const start = words.search(/[a-z]+$/iu);
  const last = words.slice(start);
  const plural = start < 0 ? undefined : findIrregularPlural(last.toLowerCase());
  return plural === undefined ? pluralizeRegularly(words) : words.slice(0, start) + last.charAt(0) + plural.slice(1);
};

/** "a loan", "an item": chosen by the first letter. */
export const withArticle = (words: string): string => `${/^[aeio]/iu.test(words) ? "an" : "a"} ${words}`;

/** The default path of an entity: `ClaimLine` → `claim-lines`. Always regular, because programs know the addresses. */
export const toPathName = (entity: string): string => pluralizeRegularly(entityWords(entity)).replaceAll(" ", "-");
