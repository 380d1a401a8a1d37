import type { Finding } from "../findings.ts";
import { type Edit, orderIn, type Source } from "../source-text.ts";
import type { Scalar } from "./tree.ts";

type Fixed = Finding & { readonly fix: readonly Edit[] };

/**
 * True if a finding's fix may be applied without asking. Replacing a word with the nearest of the author's own names is
 * a guess, so it is only offered. All other fixes change the notation and not the meaning: quotes, spaces, closing
 * marks, and keywords where exactly one is near and fits.
 */
const isCertain = (finding: Finding): finding is Fixed =>
  finding.fix !== undefined &&
  finding.fix.length > 0 &&
  finding.isGuess !== true &&
  (finding.nearest === undefined || finding.code === "UNKNOWN_KEY");

export const applyEdits = (sources: readonly Source[], edits: readonly Edit[]): readonly Source[] => {
  const byFile = new Map<string, Edit[]>();
  for (const edit of edits) {
    const known = byFile.get(edit.span.file);
    if (known === undefined) byFile.set(edit.span.file, [edit]);
    else known.push(edit);
  }
  return sources.map((source) => {
    const own = byFile.get(source.file);
    return own === undefined ? source : { ...source, text: editedText(source.text, own) };
  });
};

const editedText = (text: string, edits: readonly Edit[]): string => {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end)) {
    parts.push(text.slice(at, edit.span.start), edit.text);
    at = edit.span.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
};

/**
 * The findings, in document order, whose certain fixes can be applied together: each with all of its edits or none, and
 * no two edits in the same place.
 */
export const applicable = (sources: readonly Source[], findings: readonly Finding[]): readonly Fixed[] => {
  const order = orderIn(sources);
  const taken = new Map<string, Edit[]>();
  const chosen: Fixed[] = [];
  for (const finding of findings.filter(isCertain).toSorted((a, b) => order(a.span, b.span))) {
    if (finding.fix.some((edit) => touches(taken.get(edit.span.file) ?? [], edit))) continue;
    for (const edit of finding.fix) {
      const list = taken.get(edit.span.file) ?? [];
      taken.set(edit.span.file, list);
      list.splice(place(list, edit.span.start), 0, edit);
    }
    chosen.push(finding);
  }
  return chosen;
};

/** Index in a sorted list for an edit that begins at an offset. */
const place = (list: readonly Edit[], start: number): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.span.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
};

const touches = (list: readonly Edit[], { span }: Edit): boolean => {
  const at = place(list, span.start);
  const before = list[at - 1];
  const after = list[at];
  return (
    (before !== undefined && before.span.end > span.start) || (after !== undefined && after.span.start <= span.end)
  );
};

/** Characters with a special meaning in YAML at the beginning of a plain scalar. */
const indicators = /^[-?:,[\]{}#&*!|>'"%@`]/u;

/**
 * Translates edits of a scalar's value into edits of its YAML notation: an apostrophe is doubled within single quotes,
 * and a value that would begin with `'` or `!` gets quotes. Undefined if that takes more than a few characters.
 */
export const editsWithin = (scalar: Scalar, edits: readonly Edit[]): readonly Edit[] | undefined => {
  const { span, quotes, quoted, text } = scalar;
  if (quotes === "'") return edits.map((edit) => ({ ...edit, text: edit.text.replaceAll("'", "''") }));
  const first = edits.find((edit) => edit.span.start === span.start);
  if (quoted || first === undefined || !indicators.test(first.text)) return edits;
  if (/["\\]/u.test(text) || edits.some((edit) => /["\\]/u.test(edit.text))) return undefined;
  const opened = edits.map((edit) => (edit === first ? { ...edit, text: `"${edit.text}` } : edit));
  const last = opened.find((edit) => edit.span.end === span.end);
  if (last === undefined) return [...opened, { span: { ...span, start: span.end }, text: '"' }];
  return opened.map((edit) => (edit === last ? { ...edit, text: `${edit.text}"` } : edit));
};
