import type { Entry, Scalar } from "../tree.ts";
import { type Cursor, report } from "./cursor.ts";

/** No clause of the language nests deeper. */
export const DEEPEST = 32;

/** The entries of a mapping while it is read. */
export interface Entries {
  readonly list: Entry[];
  /** The keys by their text, once they are many. */
  known: Map<string, Scalar> | undefined;
}

export const noEntries = (): Entries => ({ list: [], known: undefined });

/** Fewer keys are compared one by one: most mappings are small, and there are many. */
const MANY = 12;

const keyOf = (entries: Entries, text: string): Scalar | undefined => {
  const { list } = entries;
  if (list.length < MANY) {
    for (const { key } of list) if (key.text === text) return key;
    return undefined;
  }
  entries.known ??= new Map(list.map(({ key }) => [key.text, key]));
  return entries.known.get(text);
};

/** Takes an entry in, unless its key was said before or is YAML's way of taking in another mapping. */
export const addEntry = (cursor: Cursor, entries: Entries, entry: Entry): void => {
  const { key } = entry;
  const { start, end } = key.span;
  const first = keyOf(entries, key.text);
  if (key.text === "<<" && !key.quoted) {
    const hint = "Write the keys where they are meant.";
    report(cursor, "YAML_FEATURE", start, end, "“<<” is not part of the language.", hint);
  } else if (first !== undefined) {
    const message = `“${key.text.slice(0, 60)}” stands here twice.`;
    report(cursor, "KEY_TWICE", start, end, message, "Keep one of the two.", { also: first.span });
  } else {
    entries.list.push(entry);
    entries.known?.set(key.text, key);
  }
};

export const tooDeep = (cursor: Cursor): void =>
  report(
    cursor,
    "TOO_DEEP",
    cursor.at,
    cursor.at + 1,
    `This is nested deeper than ${DEEPEST} levels.`,
    "No clause of the language needs that; take it apart.",
  );
