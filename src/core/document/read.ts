import { fromMarkdown } from "mdast-util-from-markdown";
import { type Finding, type Found, finding } from "../findings.ts";
import type { Source, Span } from "../text.ts";
import { type Sentence, sentencesOf } from "./prose.ts";
import type { Tree } from "./tree.ts";
import { readYaml } from "./yaml.ts";

export type PointNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
export const pointNumbers: readonly PointNumber[] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** A document as it was written: what is prose, and what runs, by point. */
export interface Document {
  readonly source: Source;
  /** The level-1 heading, or the file's name. */
  readonly title: string;
  /** The prose before the first point. */
  readonly introduction: readonly Sentence[];
  readonly points: ReadonlyMap<PointNumber, Point>;
}

export interface Point {
  readonly number: PointNumber;
  readonly heading: Span;
  readonly prose: readonly Sentence[];
  readonly blocks: readonly Tree[];
}

/** Five megabytes: more than a thousand entities with their rules take. */
export const LARGEST = 5 * 1024 * 1024;

type Markdown = ReturnType<typeof fromMarkdown>["children"][number];

const offsets = (node: Markdown): readonly [number, number] => [
  node.position?.start.offset ?? 0,
  node.position?.end.offset ?? 0,
];

const plainText = (node: Markdown | { type: string }): string => {
  if ("value" in node && typeof node.value === "string") return node.value;
  return "children" in node && Array.isArray(node.children) ? node.children.map(plainText).join("") : "";
};

/** Every block of a fence's content is found again in its source line by line, since a fence may be indented. */
const locator = (source: Source, value: string, fenceStart: number): ((offset: number) => number) => {
  const lines: { readonly from: number; readonly at: number }[] = [];
  let at = source.text.indexOf("\n", fenceStart) + 1;
  let from = 0;
  for (const line of value.split("\n")) {
    const end = source.text.indexOf("\n", at);
    const written = source.text.slice(at, end < 0 ? source.text.length : end).replace(/\r$/u, "");
    lines.push({ from, at: at + Math.max(0, written.length - line.length) });
    from += line.length + 1;
    at = end < 0 ? source.text.length : end + 1;
  }
  return (offset) => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle]?.from ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const line = lines[low] ?? { from: 0, at: fenceStart };
    return line.at + (offset - line.from);
  };
};

/** Markdown into points. A heading of level 2 that begins with a number from 1 to 9 opens a point; the words are the author's. */
export const readDocument = (source: Source): Found<Document> => {
  const findings: Finding[] = [];
  const whole: Span = { file: source.file, start: 0, end: Math.min(source.text.length, 1) };
  let title = source.file.replace(/^.*\//u, "").replace(/\.md$/u, "");
  const introduction: Sentence[] = [];
  const points = new Map<PointNumber, { number: PointNumber; heading: Span; prose: Sentence[]; blocks: Tree[] }>();
  const empty = (): Found<Document> => ({ value: { source, title, introduction, points }, findings });

  if (source.text.trim() === "") {
    findings.push(
      finding(
        "EMPTY_DOCUMENT",
        whole,
        "The document is empty.",
        "Write nine level-2 headings, numbered 1 to 9; each may say “Not shown.”",
      ),
    );
    return empty();
  }
  if (source.text.length > LARGEST) {
    findings.push(
      finding(
        "TOO_LARGE",
        whole,
        `The document has ${source.text.length} characters; it may have ${LARGEST}.`,
        "Take out what is not a specification.",
      ),
    );
    return empty();
  }

  let current: { prose: Sentence[]; blocks: Tree[] | undefined; heading: Span } = {
    prose: introduction,
    blocks: undefined,
    heading: whole,
  };

  const visit = (node: Markdown) => {
    const [start, end] = offsets(node);
    if (node.type === "heading" && node.depth === 1) title = plainText(node) || title;
    else if (node.type === "heading" && node.depth === 2) open(plainText(node), { file: source.file, start, end });
    else if (node.type === "paragraph")
      current.prose.push(...sentencesOf(source.text.slice(start, end), start, source.file));
    else if (node.type === "code") addBlock(node.lang ?? "", node.value, start, end);
    else if ("children" in node) for (const child of node.children) visit(child as Markdown);
  };

  const open = (text: string, heading: Span) => {
    const number = Number(/^([1-9])(?:[.):]|\s|$)/u.exec(text.trim())?.[1] ?? 0) as PointNumber | 0;
    if (number === 0) {
      current = { prose: [], blocks: undefined, heading };
      return;
    }
    const known = points.get(number);
    if (known !== undefined)
      findings.push(
        finding(
          "POINT_TWICE",
          heading,
          `Point ${number} has two headings in this file.`,
          "Put what stands under this heading under the first one.",
        ),
      );
    const point = known ?? { number, heading, prose: [], blocks: [] };
    points.set(number, point);
    current = point;
  };

  const addBlock = (language: string, value: string, start: number, end: number) => {
    if (language !== "yaml" && language !== "yml") return;
    if (current.blocks === undefined) {
      findings.push(
        finding(
          "NOT_A_POINT",
          { file: source.file, start, end },
          "This block stands under no point and does not run.",
          "Put it under a level-2 heading that begins with a number from 1 to 9.",
        ),
      );
      return;
    }
    const tree = readYaml({ text: value, file: source.file, locate: locator(source, value, start) });
    findings.push(...tree.findings);
    if (tree.value !== undefined) current.blocks.push(tree.value);
  };

  for (const node of fromMarkdown(source.text).children) visit(node);
  if (points.size === 0)
    findings.push(
      finding(
        "NO_POINTS",
        whole,
        "No level-2 heading begins with a number from 1 to 9.",
        "Write for example “## 3. Entities and their fields”.",
      ),
    );
  return { value: { source, title, introduction, points }, findings };
};
