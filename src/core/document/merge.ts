import { type Finding, finding } from "../findings.ts";
import type { Entry, Tree } from "./tree.ts";

/**
 * Blocks of one point read as one: mappings merge at any depth, lists append, and leaves that collide are an error at
 * the second, naming the first.
 */
export const mergeTrees = (trees: readonly Tree[], report: (finding: Finding) => void): Tree | undefined =>
  trees.reduce<Tree | undefined>(
    (merged, tree) => (merged === undefined ? tree : mergeTwo(merged, tree, report)),
    undefined,
  );

const mergeTwo = (first: Tree, second: Tree, report: (finding: Finding) => void): Tree => {
  if (first.kind === "list" && second.kind === "list") return { ...first, items: [...first.items, ...second.items] };
  if (first.kind === "mapping" && second.kind === "mapping") {
    const entries = new Map<string, Entry>(first.entries.map((entry) => [entry.key.text, entry]));
    for (const entry of second.entries) {
      const known = entries.get(entry.key.text);
      entries.set(
        entry.key.text,
        known === undefined ? entry : { key: known.key, value: mergeTwo(known.value, entry.value, report) },
      );
    }
    return { ...first, entries: [...entries.values()] };
  }
  report(finding("KEY_TWICE", second.span, "This is said in another block already.", "Keep one of the two."));
  return first;
};
