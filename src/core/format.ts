import { applyEdits } from "./document/edits.ts";
import { mergeTrees } from "./document/merge.ts";
import { normalizeSpaces, normalizeTree } from "./document/normalize.ts";
import { type Document, pointNumbers, readDocument } from "./document/read.ts";
import { isNotShown } from "./document/tree.ts";
import type { Finding } from "./findings.ts";
import { pointShapes, readSyntax } from "./sections/syntax.ts";
import type { Edit, Source } from "./source-text.ts";

/** A formatted document, or the errors that prevent it. */
export interface Formatted {
  readonly sources: readonly Source[];
  /** Errors that prevent reading; the text is unchanged then. */
  readonly findings: readonly Finding[];
}

/** One shortening can enable another; no document needs more rounds. */
const ROUNDS = 8;

/**
 * Normalises quotes, short forms and spaces inside braces and brackets. Comments, prose and indentation stay byte for
 * byte, and so does the meaning. Formatting twice changes nothing more. `fields: {name: {type: text}}` becomes `fields:
 * { name: text }`.
 */
export const format = (sources: readonly Source[]): Formatted => {
  const first = readDocument(sources);
  const findings = first.findings.filter(({ severity }) => severity === "error");
  if (findings.length > 0) return { sources, findings };
  let document = first.value;
  for (let round = 0; round < ROUNDS; round++) {
    const edits = getEdits(document);
    if (edits.length === 0) break;
    document = readDocument(applyEdits(document.sources, edits)).value;
  }
  if (getMeaning(document) !== getMeaning(first.value))
    throw new Error("Formatting would have changed what the document means; nothing was changed.");
  return { sources: document.sources, findings: [] };
};

const getEdits = (document: Document): readonly Edit[] => {
  const texts = new Map(document.sources.map(({ file, text }) => [file, text]));
  const chosen: Edit[] = [];
  const spaces: Edit[] = [];
  for (const number of pointNumbers) {
    const blocks = document.points.get(number)?.blocks.filter((block) => !isNotShown(block)) ?? [];
    const tree = mergeTrees(blocks, () => {});
    if (tree !== undefined) chosen.push(...normalizeTree(tree, pointShapes[number], document.sources));
    for (const block of blocks) spaces.push(...normalizeSpaces(block, texts.get(block.span.file) ?? ""));
  }
  // A shortened value is rewritten, including its spaces.
  return [...chosen, ...outside(spaces, chosen)];
};

/** The edits that lie outside the others. */
const outside = (edits: readonly Edit[], others: readonly Edit[]): readonly Edit[] => {
  const order = (a: Edit, b: Edit) =>
    (a.span.file < b.span.file ? -1 : a.span.file > b.span.file ? 1 : 0) || a.span.start - b.span.start;
  const sorted = others.toSorted(order);
  let at = 0;
  return edits.toSorted(order).filter((edit) => {
    for (let next = sorted[at]; next !== undefined && isBefore(next, edit); next = sorted[at]) at++;
    const near = sorted[at];
    return near === undefined || near.span.file !== edit.span.file || near.span.start >= edit.span.end;
  });
};

const isBefore = (a: Edit, b: Edit): boolean =>
  a.span.file < b.span.file || (a.span.file === b.span.file && a.span.end <= b.span.start);

/** The content of a document without notation and positions: equal texts mean equal documents. */
const getMeaning = (document: Document): string => {
  const how = new Set(["span", "origin", "key", "keys", "quoted", "quotes", "written", "merged"]);
  return JSON.stringify(
    readSyntax(document, () => {}),
    (name, value: unknown) => (how.has(name) ? undefined : value),
  );
};
