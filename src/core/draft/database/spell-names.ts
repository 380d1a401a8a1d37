import { toWords } from "../names.ts";
import type { DatabaseTable } from "./database-table.ts";

/** Puts words apart that run together in a name: `purchaseorderid` → `purchase_order_id`. Other names stay as they are. */
export type SpellName = (name: string) => string;

/** Small letters without a separator, as in databases that keep no capitals. */
const RUN_TOGETHER = /^[a-z][a-z0-9]+$/u;

/** Fewer names with a spelling elsewhere do not show that the words of the others run together as well. */
const FEWEST_SPELLED = 3;

/** Shorter words occur in others by chance. */
const SHORTEST_WORD = 3;

/** A single letter is no word: “iPhone”. */
const isWord = (text: string): boolean => text.length > 1 || /^\d$/u.test(text);

const namesIn = (tables: readonly DatabaseTable[]): readonly string[] => [
  ...new Set(tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])),
];

/** Comments and the names of constraints, in which people write names with capitals or spaces. */
const textsIn = (tables: readonly DatabaseTable[]): readonly string[] =>
  tables.flatMap(({ comment, columns, checks, unique, foreignKeys, others }) => [
    ...[comment, ...columns.map((column) => column.comment)].filter((text) => text !== undefined),
    ...[checks, unique, foreignKeys, others].flatMap((constraints) => constraints.map(({ name }) => name)),
  ]);

/** How often each way to spell a name occurs in the texts. */
const countSpellings = (
  names: ReadonlySet<string>,
  texts: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const longest = Math.max(0, ...[...names].map((name) => name.length));
  const found = new Map<string, Map<string, number>>();
  for (const text of texts) {
    const words = toWords(text);
    words.forEach((first, from) => {
      let name = first;
      for (let to = from + 1; isWord(words[to - 1] ?? "") && isWord(words[to] ?? "") && name.length < longest; to++) {
        name += words[to];
        if (!names.has(name)) continue;
        const spelled = words.slice(from, to + 1).join("_");
        const counts = found.get(name) ?? new Map<string, number>();
        found.set(name, counts.set(spelled, (counts.get(spelled) ?? 0) + 1));
      }
    });
  }
  return found;
};

/** The most frequent spelling; undefined if there are two. */
const mostFrequent = (counts: ReadonlyMap<string, number>): string | undefined => {
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one);
  return first?.[1] === second?.[1] ? undefined : first?.[0];
};

/** The only way to divide a name into several of the words; undefined if there is none or more than one. */
const divide = (name: string, words: ReadonlySet<string>): string | undefined => {
  const ways: (readonly string[])[][] = [[[]]];
  for (let end = 1; end <= name.length; end++) {
    const until = ways.flatMap((before, start) => {
      const word = name.slice(start, end);
      return word !== name && words.has(word) ? before.map((way) => [...way, word]) : [];
    });
    // Two ways are as good as many.
    ways.push(until.slice(0, 2));
  }
  const [way, ...others] = ways.at(-1) ?? [];
  return others.length > 0 ? undefined : way?.join("_");
};

/**
 * Finds the words of names that run together: as comments and constraints spell them, such as `CK_Product_ListPrice`, and then by
 * the words of these and of shorter names. A name stays together if nothing shows its words, or if two ways are possible.
 */
export const createSpelling = (tables: readonly DatabaseTable[]): SpellName => {
  const names = namesIn(tables).filter((name) => RUN_TOGETHER.test(name));
  const spelled = new Map<string, string>();
  for (const [name, counts] of countSpellings(new Set(names), textsIn(tables))) {
    const spelling = mostFrequent(counts);
    if (spelling !== undefined) spelled.set(name, spelling);
  }
  if (spelled.size >= FEWEST_SPELLED) {
    const known = [...spelled.values()].flatMap((spelling) => spelling.split("_"));
    const words = new Set(["id", ...known.filter((word) => word.length >= SHORTEST_WORD)]);
    const rest = names.filter((name) => !spelled.has(name)).sort((one, other) => one.length - other.length);
    for (const name of rest) {
      const divided = divide(name, words);
      if (divided !== undefined) spelled.set(name, divided);
      else if (name.length >= SHORTEST_WORD) words.add(name);
    }
  }
  return (name) => spelled.get(name) ?? name;
};
