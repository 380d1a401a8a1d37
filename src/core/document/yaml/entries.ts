import type { Entry, Scalar } from "../tree.ts";
import { type Cursor, report } from "./cursor.ts";

/** No clause of the language nests deeper. */
export const DEEPEST = 32;

/** The entries of a mapping while it is read. */
export interface Entries {
  readonly list: Entry[];
  readonly known: Map<string, Scalar>;
}

export const noEntries = (): Entries => ({ list: [], known: new Map() });

/** Takes an entry in, unless its key was said before or is YAML's way of taking in another mapping. */
export const addEntry = (cursor: Cursor, { list, known }: Entries, entry: Entry): void => {
  const { key } = entry;
  const first = known.get(key.text);
  if (key.text === "<<" && !key.quoted)
    report(
      cursor,
      "YAML_FEATURE",
      key.span.start,
      key.span.end,
      "“<<” is not part of the language.",
      "Write the keys where they are meant.",
    );
  else if (first !== undefined)
    report(
      cursor,
      "KEY_TWICE",
      key.span.start,
      key.span.end,
      `“${key.text.slice(0, 60)}” stands here twice.`,
      "Keep one of the two.",
      { also: first.span },
    );
  else {
    known.set(key.text, key);
    list.push(entry);
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
