import type { Source, Span } from "../source-text.ts";
import { joinLines, type Line } from "./lines.ts";

/** A sentence of the document's prose, verbatim. */
export interface Sentence {
  readonly text: string;
  readonly span: Span;
}

/**
 * Splits a paragraph into sentences at a full stop, question mark or exclamation mark before white space or the end.
 */
export const splitSentences = ({ file, text }: Source, lines: readonly Line[]): readonly Sentence[] => {
  const paragraph = joinLines(text, lines, "\n");
  const sentences: Sentence[] = [];
  for (const match of paragraph.text.matchAll(/\S(?:[^.?!]|[.?!](?!\s|$))*[.?!]?/gu)) {
    const written = match[0].trimEnd();
    if (!/[\p{L}\p{N}]/u.test(written)) continue;
    const start = paragraph.locate(match.index);
    const end = paragraph.locate(match.index + written.length - 1) + 1;
    sentences.push({ text: written.replace(/\s+/gu, " "), span: { file, start, end } });
  }
  return sentences;
};

/**
 * True if a sentence says that something is not shown: `Not shown.`, `No … is/are shown.`, `Nothing … is shown`, or `…
 * is/are not shown.` If the sentence goes on after "shown", it states to whom or when, which is a decision: "Salaries
 * are not shown to staff." is not such a statement.
 */
export const mentionsNotShown = (sentence: string): boolean => {
  const plain = sentence.replace(/[*_`]/gu, "").trim();
  return (
    /^not shown\.$/iu.test(plain) ||
    /^no\s(?:[^.;]*\s)?(?:is|are) shown\.$/iu.test(plain) ||
    /^nothing\s(?:[^.;]*\s)?is shown(?:\.$|;)/iu.test(plain) ||
    /\s(?:is|are) not shown\.$/iu.test(plain)
  );
};

/**
 * True if a sentence reads like an open point but is none: a question, a note such as “TODO”, or “not shown” in another
 * form, such as “Not shown: the price” and “The price isn’t shown yet.” A decision such as “not shown to staff” does not.
 */
const looksOpen = (sentence: string): boolean => {
  const plain = sentence.replace(/[*_`]/gu, "").trim();
  return (
    plain.endsWith("?") ||
    /\b(?:TODO|TBD|TBC|to be (?:decided|defined|determined|discussed))\b/u.test(plain) ||
    /^not shown\b/iu.test(plain) ||
    /\b(?:(?:is|are) not|isn[’']t|aren[’']t) shown(?: yet| here| so far)?\s*(?:[!.…]|\([^)]*\)[!.…]?)?$/iu.test(plain)
  );
};

/** How a sentence is to be taken: it says that something is not shown, it reads as if it did, or neither. */
export type Openness = "not shown" | "looks open" | "plain";

/** Sentences of an unchanged paragraph are the same objects in each version. */
const known = new WeakMap<Sentence, Openness>();

export const opennessOf = (sentence: Sentence): Openness => {
  const before = known.get(sentence);
  if (before !== undefined) return before;
  const { text } = sentence;
  const openness = mentionsNotShown(text) ? "not shown" : looksOpen(text) ? "looks open" : "plain";
  known.set(sentence, openness);
  return openness;
};
