import type { Entry, Scalar } from "../tree.ts";
import { type Cursor, report } from "./cursor.ts";

/** Maximum nesting. No clause of the language needs more. */
export const DEEPEST = 32;

/** The entries of a mapping under construction. */
export interface MappingEntries {
  readonly list: Entry[];
  /** Index of the keys, once there are many. */
  known: Map<string, Scalar> | undefined;
}

/** A copy of its own size: a list that grew has room for seventeen items, and a tree is kept with all its lists. */
export const trimCapacity = <T>(grown: readonly T[]): readonly T[] => grown.slice();

export const noEntries = (): MappingEntries => ({ list: [], known: undefined });

/** Below this number, keys are compared one by one: most mappings are small. */
const MANY = 12;

const findKey = (entries: MappingEntries, text: string): Scalar | undefined => {
  const { list } = entries;
  if (list.length < MANY) {
    for (const { key } of list) if (key.text === text) return key;
    return undefined;
  }
  entries.known ??= new Map(list.map(({ key }) => [key.text, key]));
  return entries.known.get(text);
};

/** Adds an entry, unless its key is a duplicate or YAML's merge key. */
export const addEntry = (cursor: Cursor, entries: MappingEntries, entry: Entry): void => {
  const { key } = entry;
  const { start, end } = key.span;
  const first = findKey(entries, key.text);
  if (key.text === "<<" && !key.quoted) {
    const hint = "Write the keys in full.";
    report(cursor, { code: "YAML_FEATURE", start, end, message: "“<<” is not allowed.", hint });
  } else if (first !== undefined) {
    const message = `The key “${key.text.slice(0, 60)}” occurs twice.`;
    report(cursor, { code: "KEY_TWICE", start, end, message, hint: "Keep only one of them.", also: first.span });
  } else {
    entries.list.push(entry);
    entries.known?.set(key.text, key);
  }
};

export const tooDeep = (cursor: Cursor): void =>
  report(cursor, {
    code: "TOO_DEEP",
    start: cursor.at,
    end: cursor.at + 1,
    message: `This is nested more than ${DEEPEST} levels deep.`,
    hint: "No clause of the language needs that. Split it.",
  });
