import { type Finding, finding } from "../findings.ts";
import type { Entry, List, Mapping, Tree } from "./tree.ts";

/**
 * Merges the blocks of one point, in order: mappings are merged at any depth, lists are concatenated, and a leaf that
 * occurs twice is an error that refers to its first place.
 */
export const mergeTrees = (trees: readonly Tree[], report: (finding: Finding) => void): Tree | undefined => {
  const [first, second] = trees;
  if (first === undefined || second === undefined) return first;
  if (first.kind === "scalar") {
    for (const other of trees.slice(1)) collide(first, other, report);
    return first;
  }
  const { kind } = first;
  const same: Tree[] = [];
  for (const tree of trees)
    if (tree.kind === kind) same.push(tree);
    else collide(first, tree, report);
  return kind === "list"
    ? { ...first, items: (same as List[]).flatMap((list) => list.items), written: undefined }
    : { ...first, entries: mergeEntries(same as Mapping[], report), written: undefined, merged: true };
};

const mergeEntries = (mappings: readonly Mapping[], report: (finding: Finding) => void): readonly Entry[] => {
  const byKey = new Map<string, Entry[]>();
  for (const { entries } of mappings)
    for (const entry of entries) {
      const known = byKey.get(entry.key.text);
      if (known === undefined) byKey.set(entry.key.text, [entry]);
      else known.push(entry);
    }
  return Array.from(byKey.values(), (entries) => {
    const [first, second] = entries as [Entry, ...Entry[]];
    if (second === undefined) return first;
    const value = mergeTrees(
      entries.map((entry) => entry.value),
      report,
    );
    return value === undefined ? first : { key: first.key, value };
  });
};

const collide = (first: Tree, other: Tree, report: (finding: Finding) => void): void =>
  report(
    finding("KEY_TWICE", other.span, "Another block already contains this key.", "Keep only one of them.", {
      also: first.span,
    }),
  );
