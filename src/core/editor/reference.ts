import type { PointNumber } from "../document/read.ts";
import { keysAllowedEverywhere } from "../document/shape/record.ts";
import type { Step } from "./cursor.ts";
import { shapesAt } from "./shapes-at.ts";

/** A sentence of the language reference. */
export interface ReferenceEntry {
  /** `L2.9` */
  readonly id: string;
  /** Markdown without links. */
  readonly about: string;
  /** The default, in Markdown; empty if there is none. */
  readonly otherwise: string;
  /** The fragment of the heading above it, in the page of the reference. */
  readonly heading: string;
}

/** The language reference as data, derived from its page when the program is built (`scripts/language-reference.mjs`). */
export interface LanguageReference {
  /** By construct, as its shape calls it, and by key. */
  readonly keys: { readonly [construct: string]: { readonly [key: string]: ReferenceEntry } };
  /** Paragraphs by number. */
  readonly paragraphs: { readonly [id: string]: ReferenceEntry };
}

export const noReference: LanguageReference = { keys: {}, paragraphs: {} };

/** Constructs whose keys a paragraph or the table of another construct describes. */
const describedElsewhere: Readonly<Record<string, { readonly table: string } | { readonly paragraph: string }>> = {
  "a constant": { paragraph: "L9.1" },
  "a role held on a record": { paragraph: "L6.8" },
  "a step of a call": { table: "a call" },
  "how people sign in": { table: "sign in" },
  "who can have a deputy": { table: "deputies" },
};

const find = <T>(table: { readonly [key: string]: T } | undefined, key: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

/**
 * The sentence about a key at a place. A small construct inside another one, such as `compare: { title, where }`, is described
 * by the sentence about the key that holds it.
 */
export const findReferenceEntry = (
  reference: LanguageReference,
  point: PointNumber,
  path: readonly Step[],
  key: string,
): ReferenceEntry | undefined => {
  const { keys, paragraphs } = reference;
  if (Object.hasOwn(keysAllowedEverywhere, key)) return find(paragraphs, "L0.11");
  for (const { expected, form } of shapesAt({ point, path })) {
    if (form.kind === "mapping" && form.offers?.includes(key) === true) return find(keys.limits, key);
    if (form.kind !== "keys" || !Object.hasOwn(form.parts, key)) continue;
    const elsewhere = find(describedElsewhere, expected);
    const table = elsewhere !== undefined && "table" in elsewhere ? elsewhere.table : expected;
    const own = find(find(keys, table), key);
    if (own !== undefined) return own;
    if (key === "was") return find(paragraphs, "L0.13");
    if (elsewhere !== undefined && "paragraph" in elsewhere) return find(paragraphs, elsewhere.paragraph);
  }
  const holder = path.findLastIndex((step) => step.kind === "key");
  const step = path[holder];
  return step?.kind === "key" ? findReferenceEntry(reference, point, path.slice(0, holder), step.name) : undefined;
};
