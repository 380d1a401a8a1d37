import type { Source, Span } from "../source-text.ts";
import { isYaml, readMarkdown } from "./markdown.ts";
import { mentionsNotShown, type Sentence, splitSentences } from "./prose.ts";
import { parsePointNumber } from "./read.ts";

/** The parts of a document's text as displayed: headings, prose and blocks. */
export type PagePart =
  | {
      readonly kind: "heading";
      readonly level: number;
      readonly text: string;
      readonly point: number;
      readonly span: Span;
    }
  | {
      readonly kind: "prose";
      readonly item: boolean;
      readonly sentences: readonly PageSentence[];
      readonly point: number;
    }
  | { readonly kind: "block"; readonly lines: readonly PageLine[]; readonly runs: boolean; readonly point: number };

/** `open`: the sentence says that something is not shown. */
export interface PageSentence extends Sentence {
  readonly open: boolean;
}

/** A line of a block, and its offset in the file. */
export interface PageLine {
  readonly text: string;
  readonly start: number;
}

/** True if the first line of a paragraph begins with a bullet or a number. */
const isItem = (text: string, start: number): boolean =>
  /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+$/u.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start));

/** The parts of one file in order, each with its point; 0 before the first point. */
export const renderPage = (source: Source): readonly PagePart[] => {
  const { file, text } = source;
  let point = 0;
  return readMarkdown(text).map((part): PagePart => {
    if (part.kind === "heading") {
      if (part.level === 2) point = parsePointNumber(part.text);
      const span = { file, start: part.start, end: part.end };
      return { kind: "heading", level: part.level, text: part.text, point, span };
    }
    if (part.kind === "paragraph")
      return {
        kind: "prose",
        point,
        item: isItem(text, part.lines[0]?.start ?? 0),
        sentences: splitSentences(source, part.lines).map((sentence) => ({
          ...sentence,
          open: mentionsNotShown(sentence.text),
        })),
      };
    return {
      kind: "block",
      point,
      runs: isYaml(part.language),
      lines: part.lines.map(({ start, end }) => ({ text: text.slice(start, end), start })),
    };
  });
};
