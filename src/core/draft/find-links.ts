import { toWords, wordsOfEntity } from "./names.ts";
import type { Observation } from "./observe-column.ts";
import { isNearlyAll } from "./strays.ts";
import type { SheetTable } from "./table.ts";

/** A table with its entity name, and observations about its columns. */
export interface ObservedTable {
  readonly entity: string;
  readonly table: SheetTable;
  readonly columns: readonly Observation[];
}

/** A column whose values are keys of another table, but for a few. */
export interface TableLink {
  /** The index of that table, and of its key column. */
  readonly to: number;
  readonly key: number;
  /** Values that are no key, in their order, such as a number with a typing error. */
  readonly strays: readonly string[];
}

/** Minimum number of distinct texts: fewer could match by coincidence. */
const FEWEST_TEXTS = 3;

const endings: ReadonlySet<string> = new Set(["id", "no", "nr", "number", "code", "key", "name", "ref"]);

/** The type of keys in a column. A number with strays is a text here, as a stray can be a key. */
const typeOfKeys = ({ type, strays }: Observation): string => (strays.length > 0 ? "text" : type);

/** The words of a header that name another table: "customer_id" → customer. */
export const wordsOfReference = (header: string): readonly string[] => {
  const words = toWords(header);
  return words.length > 1 && endings.has(words.at(-1) ?? "") ? words.slice(0, -1) : words;
};

const endsWith = (words: readonly string[], end: readonly string[]): boolean =>
  end.length > 0 &&
  end.length <= words.length &&
  end.every((word, index) => words[words.length - end.length + index] === word);

const sameWords = (one: readonly string[], other: readonly string[]): boolean => one.join(" ") === other.join(" ");

/**
 * Finds the table that a column refers to: each value is the key of one of its records. Numbers often match by
 * coincidence, so the header must also name the table or its key, as it must if a few values are no key. Undefined if
 * there is none.
 */
export const findLink = (tables: readonly ObservedTable[], from: number, column: number): TableLink | undefined => {
  const source = tables[from];
  const observed = source?.columns[column];
  const { header = "", values = [] } = source?.table.columns[column] ?? {};
  if (source === undefined || observed === undefined) return undefined;
  const type = typeOfKeys(observed);
  if (!["text", "choice", "integer"].includes(type)) return undefined;
  const wanted = new Set(values.filter((value) => value !== ""));
  if (wanted.size === 0) return undefined;
  const found: { readonly link: TableLink; readonly named: boolean }[] = [];
  tables.forEach((target, to) => {
    target.columns.forEach((observation, key) => {
      if (!observation.isKey || (to === from && (key === column || observed.isKey))) return;
      const keyType = typeOfKeys(observation);
      if (keyType !== type && !(keyType === "text" && type === "choice")) return;
      const keyHeader = target.table.columns[key]?.header ?? "";
      const named =
        endsWith(wordsOfReference(header), wordsOfEntity(target.entity)) ||
        (type === "text" && endsWith(wordsOfEntity(target.entity), wordsOfReference(header))) ||
        (sameWords(toWords(header), toWords(keyHeader)) && toWords(header).length > 1) ||
        (type === "text" && sameWords(wordsOfReference(header), wordsOfReference(keyHeader)));
      const isOwnKey = observed.isKey && !named;
      if (isOwnKey || (!named && (type === "integer" || wanted.size < FEWEST_TEXTS))) return;
      const keys = new Set(target.table.columns[key]?.values);
      const strays = [...wanted].filter((value) => !keys.has(value));
      const matching = wanted.size - strays.length;
      const isNear = named && isNearlyAll(matching, strays.length);
      if (strays.length === 0 || isNear) found.push({ link: { to, key, strays }, named });
    });
  });
  // If two tables share a key, each refers to the other. The first one defines it.
  const complete = found.filter(({ link }) => link.strays.length === 0);
  const best = complete.find(({ named }) => named) ?? complete[0] ?? found[0];
  return best === undefined || (observed.isKey && best.link.to > from) ? undefined : best.link;
};
