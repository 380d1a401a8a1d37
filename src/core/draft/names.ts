import { entityWords, irregularPlurals, pluralize, toPathName, toTitle, toValueTitle } from "../model/inflection.ts";
import { isReservedField } from "../sections/entities/reserved-names.ts";

/** Plain words of a header: "UnitPrice", "unit_price" and "Unit price (€)" have the words unit and price. */
export const toWords = (text: string): readonly string[] =>
  text
    .replace(/\be-mail/giu, "email")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/gu, " ")
    .replace(/ß/gu, "ss")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/gu) ?? [];

const LONGEST_NAME = 48;

/** A name that is not taken, with a number appended if necessary. */
const notTaken = (name: string, taken: ReadonlySet<string>, separator: string): string => {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}${separator}${count}`;
    if (!taken.has(candidate)) return candidate;
  }
};

/** "Unit price (€)" → `unit_price`. Reserved names are changed: `id` → `original_id`. */
export const toFieldName = (words: readonly string[], taken: ReadonlySet<string>): string => {
  const joined = words.join("_").slice(0, LONGEST_NAME).replace(/_+$/u, "");
  const named = joined === "" ? "column" : /^\d/u.test(joined) ? `column_${joined}` : joined;
  return notTaken(isReservedField(named) ? `original_${named}` : named, taken, "_");
};

const irregularSingulars: ReadonlyMap<string, string> = new Map(
  [...irregularPlurals].map(([singular, plural]) => [plural, singular]),
);

/** The singular of an English plural; other words are unchanged. */
const toSingular = (word: string): string => {
  const known = irregularSingulars.get(word);
  if (known !== undefined) return known;
  if (word.length < 4 || /(?:ss|us|is)$/u.test(word)) return word;
  const candidates = [word.replace(/ies$/u, "y"), word.replace(/es$/u, ""), word.replace(/s$/u, "")];
  return candidates.find((candidate) => candidate !== word && pluralize(candidate) === word) ?? word;
};

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The irregular plural of the entity's last word: `StaffPerson` → staff people. Undefined if it is regular. */
export const irregularPlural = (entity: string): string | undefined => {
  const words = wordsOfEntity(entity);
  const plural = irregularPlurals.get(words.at(-1) ?? "");
  return plural === undefined ? undefined : [...words.slice(0, -1), plural].join(" ");
};

/** The address of an entity's records: `StaffPerson` → `staff-people`. Two names can share it, such as X and Xe. */
export const toAddress = (entity: string): string =>
  irregularPlural(entity)?.replaceAll(" ", "-") ?? toPathName(entity);

/** Built-in entities. */
const builtIn: ReadonlySet<string> = new Set(["User"]);

/** "order_details" → `OrderDetail`, without regard to other entities. */
const toPossibleName = (text: string): string => {
  const words = toWords(text).filter((word) => !/^\d+$/u.test(word));
  const last = words.at(-1);
  const singular = last === undefined ? ["record"] : [...words.slice(0, -1), toSingular(last)];
  const named = singular.map(capitalize).join("").slice(0, LONGEST_NAME);
  return builtIn.has(named) ? `${named}Record` : /^\d/u.test(named) ? `Table${named}` : named;
};

/** Names the entities of one document: "order_details" → `OrderDetail`. Neither two names nor two addresses are equal. */
export const createEntityNames = (): ((text: string) => string) => {
  const taken = new Set<string>();
  return (text) => {
    const possible = toPossibleName(text);
    for (let count = 1; ; count++) {
      const entity = count === 1 ? possible : `${possible}${count}`;
      const address = toAddress(entity);
      if (taken.has(entity) || taken.has(address)) continue;
      taken.add(entity).add(address);
      return entity;
    }
  };
};

/** The words of an entity: `OrderDetail` → order, detail. */
export const wordsOfEntity = (entity: string): readonly string[] => entityWords(entity).split(" ");

/** True if the default title of the name equals the header, so that the field needs no title of its own. */
export const titleEqualsHeader = (name: string, header: string): boolean => {
  const plain = (text: string) =>
    text
      .replace(/(?<=[a-z0-9])(?=[A-Z])/gu, " ")
      .replaceAll(/[_-]/gu, " ")
      .trim()
      .toLowerCase();
  return plain(toTitle(name)) === plain(header);
};

/** The words of a choice, however they are joined: “Take-off run” and `take_off_run`. */
export const toChoiceKey = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_\u2010\u2011-]+/gu, " ")
    .trim();

/** Words of expressions, which no choice can have as its name. */
const notNames = ["true", "false", "null", "in"];

/**
 * The name of a choice whose default title is the value: "In progress" → `in_progress`, "Ben Vogel" → `Ben_Vogel`,
 * "USA" → `USA`. Undefined if there is none, as for "R&D". `keepsCapitals`: "Sold" → `Sold` rather than `sold`.
 */
export const toChoiceName = (value: string, keepsCapitals = false): string | undefined => {
  const plain = toWords(value).join("_");
  const withCapitals = value.replaceAll(" ", "_");
  const isTitle = (name: string): boolean => toValueTitle(name) === value;
  const name =
    (keepsCapitals ? [withCapitals, plain] : [plain, withCapitals]).find(isTitle) ??
    (value === value.toLowerCase() && titleEqualsHeader(plain, value) ? plain : "");
  return /^[A-Za-z]\w*$/u.test(name) && !notNames.includes(name.toLowerCase()) ? name : undefined;
};

/** The longest name of a choice. */
const LONGEST_CHOICE = 60;

/**
 * Labels → names of choices, all different: `PG-13` → `pg_13`, `4x4` → `value_4x4`. `keepsNames`: labels that can be names stay as
 * they are, as other programs send them: `PG-13`.
 */
export const toChoiceNames = (labels: readonly string[], keepsNames = false): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const label of labels) {
    if (names.has(label)) continue;
    const isName = keepsNames && /^[A-Za-z][\w-]*$/u.test(label) && label.length <= LONGEST_CHOICE;
    const plain = isName ? label : toWords(label).join("_").slice(0, LONGEST_CHOICE);
    const named = /^[A-Za-z]/u.test(plain) && !notNames.includes(plain.toLowerCase());
    const name = notTaken(named ? plain : plain === "" ? "value" : `value_${plain}`, taken, "_");
    taken.add(name);
    names.set(label, name);
  }
  return names;
};
