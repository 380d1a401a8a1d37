import { type Fence, isYaml, readMarkdown } from "../document/markdown.ts";
import { parsePointNumber } from "../document/read.ts";
import type { Source, Span } from "../source-text.ts";

/** A heading or a name in the outline of a document, with what is below it. */
export interface OutlineItem {
  readonly name: string;
  readonly kind: "point" | "heading" | "name";
  readonly span: Span;
  readonly children: readonly OutlineItem[];
}

/** Lines that an editor can hide, from their first to their last offset. */
export interface Fold {
  readonly start: number;
  readonly end: number;
}

const keyLine = /^( *)("[^"]*"|[^\s#'"{}[\],-][^:#]*?):(?:\s|$)/u;

/** The keys of a block by their indentation, two levels deep. */
const keysIn = ({ file, text: source }: Source, { lines }: Fence): readonly OutlineItem[] => {
  interface Open {
    name: string;
    span: Span;
    children: Open[];
    indent: number;
  }
  const roots: Open[] = [];
  const open: Open[] = [];
  for (const { start, end } of lines) {
    const [, spaces = "", name = ""] = keyLine.exec(source.slice(start, end)) ?? [];
    if (name === "") continue;
    while ((open.at(-1)?.indent ?? -1) >= spaces.length) open.pop();
    const other: Open = { name, span: { file, start, end }, children: [], indent: spaces.length };
    if (open.length < 3) (open.at(-1)?.children ?? roots).push(other);
    open.push(other);
  }
  const finish = ({ name, span, children }: Open): OutlineItem => ({
    name,
    kind: "name",
    span,
    children: children.map(finish),
  });
  return roots.map(finish);
};

/** The points of a document, with the names that their blocks declare. */
export const buildOutline = (source: Source): readonly OutlineItem[] => {
  const { file, text } = source;
  const items: { name: string; kind: OutlineItem["kind"]; start: number; end: number; children: OutlineItem[] }[] = [];
  for (const part of readMarkdown(text)) {
    if (part.kind === "heading" && part.level <= 2) {
      const last = items.at(-1);
      if (last !== undefined) last.end = part.start;
      const isPoint = part.level === 2 && parsePointNumber(part.text) !== 0;
      items.push({
        name: part.text,
        kind: isPoint ? "point" : "heading",
        start: part.start,
        end: text.length,
        children: [],
      });
    } else if (part.kind === "fence" && isYaml(part.language)) items.at(-1)?.children.push(...keysIn(source, part));
  }
  return items.map(({ name, kind, start, end, children }) => ({ name, kind, span: { file, start, end }, children }));
};

/** Points, blocks, and the definitions inside blocks, each of which an editor can fold. */
export const findFolds = (source: Source): readonly Fold[] => {
  const { text } = source;
  const folds: Fold[] = [];
  const trim = (start: number, end: number) => ({ start, end: start + text.slice(start, end).trimEnd().length });
  for (const { span, kind } of buildOutline(source)) if (kind !== "name") folds.push(trim(span.start, span.end));
  for (const part of readMarkdown(text)) {
    if (part.kind !== "fence") continue;
    folds.push(trim(part.start, part.end));
    if (!isYaml(part.language)) continue;
    const indents = part.lines.map((line) => text.slice(line.start, line.end).search(/\S/u));
    part.lines.forEach((line, at) => {
      const indent = indents[at] ?? -1;
      if (indent < 0) return;
      let last = at;
      for (let next = at + 1; next < indents.length; next++) {
        const deeper = indents[next] ?? -1;
        if (deeper >= 0 && deeper <= indent) break;
        if (deeper >= 0) last = next;
      }
      if (last > at) folds.push({ start: line.start, end: part.lines[last]?.end ?? line.end });
    });
  }
  return folds.filter(({ start, end }) => text.slice(start, end).includes("\n"));
};
