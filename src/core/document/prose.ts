import type { Source, Span } from "../source-text.ts";
import { joined, type Line } from "./lines.ts";

/** A sentence of the document's prose, as it was written. */
export interface Sentence {
  readonly text: string;
  readonly span: Span;
}

/** Sentences of a paragraph: each ends at a full stop, question or exclamation mark that white space or the end follows. */
export const sentencesOf = ({ file, text }: Source, lines: readonly Line[]): readonly Sentence[] => {
  const paragraph = joined(text, lines, "\n");
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
 * Whether a sentence says that something is not shown. The forms are: `Not shown.`, `No … is/are shown.`,
 * `Nothing … is shown`, and `… is/are not shown.` A sentence that goes on after "shown" says to whom or when it is not
 * shown, which is a decision: "Salaries are not shown to staff." is not a statement of this kind.
 */
export const saysNotShown = (sentence: string): boolean => {
  const plain = sentence.replace(/[*_`]/gu, "").trim();
  return (
    /^not shown\.$/iu.test(plain) ||
    /^no\s(?:[^.;]*\s)?(?:is|are) shown\.$/iu.test(plain) ||
    /^nothing\s(?:[^.;]*\s)?is shown(?:\.$|;)/iu.test(plain) ||
    /\s(?:is|are) not shown\.$/iu.test(plain)
  );
};
