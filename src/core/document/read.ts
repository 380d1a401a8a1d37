import { type Finding, finding, MOST_FINDINGS, type WithFindings } from "../findings.ts";
import type { Source, Span } from "../source-text.ts";
import { createUsedMap, type UsedMap } from "../util/used-map.ts";
import { type Fence, isYaml, type MarkdownBlock, type Paragraph, readMarkdown } from "./markdown.ts";
import { type Sentence, splitSentences } from "./prose.ts";
import { defaultDocumentName } from "./sources.ts";
import type { Tree } from "./tree.ts";
import { readYaml } from "./yaml/read.ts";

export type PointNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
export const pointNumbers: readonly PointNumber[] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** A document in one or several files: its prose and its blocks, by point. */
export interface Document {
  readonly sources: readonly Source[];
  /** The level-1 heading, or else the name of the file or folder. */
  readonly title: string;
  /** The prose before the first point, of all files. */
  readonly introduction: readonly Sentence[];
  readonly points: ReadonlyMap<PointNumber, DocumentPoint>;
}

export interface DocumentPoint {
  readonly number: PointNumber;
  /** The first heading of the point. */
  readonly heading: Span;
  /** All headings of the point, at most one per file. */
  readonly headings: readonly Span[];
  readonly prose: readonly Sentence[];
  readonly blocks: readonly Tree[];
}

/** Maximum length of all files together: five megabytes, more than a thousand entities with their rules need. */
export const LARGEST = 5 * 1024 * 1024;

/** The point opened by a level-2 heading; 0 if it opens none. */
export const parsePointNumber = (heading: string): PointNumber | 0 =>
  Number(/^([1-9])(?:[.):]|\s|$)/u.exec(heading)?.[1] ?? 0) as PointNumber | 0;

const opens = (part: MarkdownBlock, number: PointNumber): boolean =>
  part.kind === "heading" && part.level === 2 && parsePointNumber(part.text) === number;
const isPoint = (part: MarkdownBlock): boolean =>
  part.kind === "heading" && part.level === 2 && parsePointNumber(part.text) !== 0;
const isBlock = (part: MarkdownBlock): part is Fence => part.kind === "fence" && isYaml(part.language);

/** The point that contains a span; 0 before the first point of its file. */
export const pointAt = (document: Document, span: Span): PointNumber | 0 => {
  let nearest = -1;
  let found: PointNumber | 0 = 0;
  for (const { number, headings } of document.points.values())
    for (const { file, start } of headings)
      if (file === span.file && start <= span.start && start > nearest) [nearest, found] = [start, number];
  return found;
};

/**
 * Reads Markdown files as one document. A level-2 heading that begins with a number from 1 to 9 opens a point; its
 * wording is free. With several files, a file without points is not part of the document. `known`: parts of the
 * document that was read before.
 */
export const readDocument = (
  sources: readonly Source[],
  known: DocumentCache = createDocumentCache(),
): WithFindings<Document> => {
  known.files.forgetUnused();
  known.blocks.forgetUnused();
  const findings: Finding[] = [];
  const report = (found: Finding) => {
    if (findings.length < MOST_FINDINGS) findings.push(found);
  };
  const introduction: Sentence[] = [];
  const points = new Map<
    PointNumber,
    { number: PointNumber; heading: Span; headings: Span[]; prose: Sentence[]; blocks: Tree[] }
  >();
  let title: string | undefined;
  const done = (): WithFindings<Document> => ({
    value: { sources, title: title ?? defaultDocumentName(sources), introduction, points },
    findings,
  });

  const [first = { file: "", text: "" }] = sources;
  const beginning: Span = { file: first.file, start: 0, end: Math.min(first.text.length, 1) };
  const size = sources.reduce((sum, { text }) => sum + text.length, 0);
  if (size > LARGEST) {
    const message = `The specification has ${size} characters, but at most ${LARGEST} are allowed.`;
    report(finding("TOO_LARGE", beginning, message, "Remove everything that is not part of the specification."));
    return done();
  }
  if (sources.every(({ text }) => text.trim() === "")) {
    const hint = "Write nine level-2 headings, numbered 1 to 9. Each can say “Not shown.”";
    report(finding("EMPTY_DOCUMENT", beginning, "The specification is empty.", hint));
    return done();
  }

  const files = sources.map((source) => ({ source, parts: readMarkdownOnce(source, known.files) }));
  for (const { source } of files) {
    lostCharacter(source, report);
    loneReturns(source, report);
  }
  const parts = files.filter((file) => file.parts.some(isPoint));
  for (const { source, parts: others } of files) {
    if (files.length === 1 || others.some(isPoint)) continue;
    const block = others.find(isBlock);
    if (block === undefined) continue;
    const span = { file: source.file, start: block.start, end: block.end };
    const hint = "Move its blocks below level-2 headings that begin with a number from 1 to 9.";
    report(finding("NOT_A_POINT", span, "This file has no point, so its blocks have no effect.", hint));
  }
  if (parts.length === 0) {
    const hint = "Write for example “## 3. Entities and their fields”.";
    report(finding("NO_POINTS", beginning, "No level-2 heading begins with a number from 1 to 9.", hint));
  }
  // The title is taken from the file with point 1, or else from the first file.
  const titled = parts.find((file) => file.parts.some((part) => opens(part, 1)));
  for (const file of [titled, ...parts, ...(files.length === 1 ? files : [])]) title ??= findTitle(file?.parts ?? []);

  for (const { source, parts: own } of files.length === 1 ? files : parts) readParts(source, own);
  return done();

  function readParts(source: Source, own: readonly MarkdownBlock[]): void {
    const { file, text } = source;
    const opened = new Set<PointNumber>();
    let prose = introduction;
    let blocks: Tree[] | undefined;
    for (const part of own) {
      if (part.kind === "paragraph") {
        prose.push(...readSentences(source, part, known.prose));
        continue;
      }
      const span: Span = { file, start: part.start, end: part.end };
      if (part.kind === "heading") {
        if (part.level !== 2) continue;
        const number = parsePointNumber(part.text);
        if (number === 0) {
          [prose, blocks] = [[], undefined];
          continue;
        }
        if (opened.has(number)) {
          const also = points.get(number)?.headings.findLast((heading) => heading.file === file);
          const hint = "Move the content below this heading to the first one.";
          const message = `Point ${number} has two headings in this file.`;
          report(finding("POINT_TWICE", span, message, hint, also === undefined ? {} : { also }));
        }
        opened.add(number);
        const point = points.get(number) ?? { number, heading: span, headings: [], prose: [], blocks: [] };
        points.set(number, point);
        point.headings.push(span);
        [prose, blocks] = [point.prose, point.blocks];
        continue;
      }
      if (part.missing !== undefined && (isYaml(part.language) || part.missing < text.length))
        report(createUnclosedFinding(source, part, part.missing));
      if (!isYaml(part.language)) continue;
      if (blocks === undefined) {
        const hint = "Move it below a level-2 heading that begins with a number from 1 to 9.";
        report(finding("NOT_A_POINT", span, "This block does not belong to a point, so it has no effect.", hint));
        continue;
      }
      const block = readBlock(source, part, known.blocks);
      block.findings.forEach(report);
      if (block.value !== undefined) blocks.push(block.value);
    }
  }
};

/** Parsed parts of a document: after a small edit, the other files and blocks are unchanged. */
export interface DocumentCache {
  /** The Markdown of files by their text. */
  readonly files: UsedMap<readonly MarkdownBlock[]>;
  /**
   * Blocks by their file, place and text. Not cached are blocks with errors, whose findings may depend on what follows,
   * and blocks inside a list or quotation, whose lines are offset.
   */
  readonly blocks: UsedMap<WithFindings<Tree | undefined>>;
  /** The sentences of paragraphs, with the file in which they were read: files of equal text share their paragraphs. */
  readonly prose: WeakMap<Paragraph, { readonly file: string; readonly sentences: readonly Sentence[] }>;
}

export const createDocumentCache = (): DocumentCache => ({
  files: createUsedMap(),
  blocks: createUsedMap(),
  prose: new WeakMap(),
});

const readMarkdownOnce = ({ text }: Source, known: DocumentCache["files"]): readonly MarkdownBlock[] => {
  const before = known.get(text) ?? readMarkdown(text);
  known.set(text, before);
  return before;
};

const readSentences = (source: Source, paragraph: Paragraph, known: DocumentCache["prose"]): readonly Sentence[] => {
  const before = known.get(paragraph);
  if (before?.file === source.file) return before.sentences;
  const sentences = splitSentences(source, paragraph.lines);
  known.set(paragraph, { file: source.file, sentences });
  return sentences;
};

const readBlock = (
  { file, text }: Source,
  { start, lines }: Fence,
  known: DocumentCache["blocks"],
): WithFindings<Tree | undefined> => {
  const startsLine = start === 0 || text[start - 1] === "\n";
  const key = `${file}\n${start}\n${text.slice(start, lines.at(-1)?.end ?? start)}`;
  const before = startsLine ? known.get(key) : undefined;
  if (before !== undefined) return before;
  const findings: Finding[] = [];
  const read = { value: readYaml({ file, text, lines }, findings), findings };
  if (startsLine && findings.length === 0) known.set(key, read);
  return read;
};

const findTitle = (parts: readonly MarkdownBlock[]): string | undefined => {
  for (const part of parts) if (part.kind === "heading" && part.level === 1 && part.text !== "") return part.text;
  return undefined;
};

/** A block that runs to the end of the file, or was cut short by a heading or another block. */
const createUnclosedFinding = ({ file, text }: Source, { start, mark, lines }: Fence, missing: number): Finding => {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const begins =
    missing < text.length ? `${mark}${newline}${newline}` : `${text.endsWith("\n") ? "" : newline}${mark}${newline}`;
  const isIndented = start > 0 && text[start - 1] !== "\n";
  return finding(
    "NOT_CLOSED",
    { file, start, end: start + mark.length },
    "This block is never closed.",
    `Add a line ${mark} where it ends.`,
    isIndented || lines.length === 0 ? {} : { fix: [{ span: { file, start: missing, end: missing }, text: begins }] },
  );
};

/** U+FFFD marks bytes that are not valid UTF-8. */
const lostCharacter = ({ file, text }: Source, report: (found: Finding) => void): void => {
  const start = text.indexOf("\ufffd");
  if (start < 0) return;
  const span = { file, start, end: start + 1 };
  const message = "The file is not UTF-8 text, so this character can’t be read.";
  report(finding("NOT_UTF8", span, message, "Save the file as UTF-8 and retype the character."));
};

/** A carriage return without a line feed ends a line in some programs but not in others. */
const loneReturns = ({ file, text }: Source, report: (found: Finding) => void): void => {
  const [first, ...more] = Array.from(text.matchAll(/\r(?!\n)/gu), ({ index }) => ({
    file,
    start: index,
    end: index + 1,
  }));
  if (first === undefined) return;
  report(
    finding(
      "BAD_CHARACTER",
      first,
      "This line ends with a carriage return only.",
      "Save the file with line feeds as line endings.",
      { fix: [first, ...more].map((span) => ({ span, text: "\n" })) },
    ),
  );
};
