import { type Line, splitLines } from "./lines.ts";

/** The parts of a document. Inline markup is ignored. Offsets refer to the file. */
export type MarkdownBlock = Heading | Paragraph | Fence;

export interface Heading {
  readonly kind: "heading";
  readonly level: number;
  /** The text without marks of emphasis, code and links. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Paragraph {
  readonly kind: "paragraph";
  readonly lines: readonly Line[];
}

export interface Fence {
  readonly kind: "fence";
  readonly language: string;
  /** The content, without the indentation and the marks of surrounding lists and quotations. */
  readonly lines: readonly Line[];
  readonly start: number;
  readonly end: number;
  /** The opening fence, which the closing one must match. */
  readonly mark: string;
  /** Offset of the missing closing fence; undefined if the block is closed. */
  readonly missing: number | undefined;
}

/** More deeply nested lists and quotations are read as text. */
const DEEPEST = 32;

/** How the next line continues a list item or a quotation. */
type Container =
  | { readonly kind: "quotation" }
  | { readonly kind: "item"; readonly indent: number; readonly row: number; empty: boolean };

interface OpenFence {
  readonly kind: "fence";
  readonly mark: string;
  readonly indent: number;
  readonly language: string;
  readonly lines: Line[];
  readonly start: number;
  readonly row: number;
  /**
   * The first line inside that looks like the heading of a point: reading resumes there if the closing fence is
   * missing.
   */
  point: number | undefined;
}

type Open =
  | { readonly kind: "paragraph"; readonly lines: Line[] }
  | OpenFence
  | { readonly kind: "html"; readonly until: RegExp | undefined }
  | { readonly kind: "code" };

/**
 * The beginnings of HTML blocks and their ends (undefined: a blank line). Kind 7 of CommonMark cannot interrupt a
 * paragraph.
 */
const html: readonly { readonly begins: RegExp; readonly until: RegExp | undefined }[] = [
  { begins: /^<(?:script|pre|textarea|style)(?:\s|>|$)/iu, until: /<\/(?:script|pre|textarea|style)>/iu },
  { begins: /^<!--/u, until: /-->/u },
  { begins: /^<\?/u, until: /\?>/u },
  { begins: /^<![A-Za-z]/u, until: />/u },
  { begins: /^<!\[CDATA\[/u, until: /\]\]>/u },
  {
    begins:
      /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/iu,
    until: undefined,
  },
];
const anyTag =
  /^(?:<[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z0-9-]*\s*>)\s*$/iu;

const fence = (
  { language, start, mark }: OpenFence,
  lines: readonly Line[],
  end: number,
  missing: number | undefined,
): Fence => ({ kind: "fence", language, lines, start, end, mark, missing });

export const isYaml = (language: string): boolean => /^ya?ml$/iu.test(language);
const pointHeading = /^## +[1-9](?:[.):\s]|$)/u;

/**
 * Splits Markdown into headings, paragraphs and fenced blocks: the block structure of CommonMark 0.31, in one pass and
 * linear time. Inline structure is not parsed. One deviation from CommonMark: a YAML block without a closing fence ends
 * before the next point or block and is reported as unclosed.
 */
export const readMarkdown = (text: string): readonly MarkdownBlock[] => {
  const lines = splitLines(text);
  const parts: MarkdownBlock[] = [];
  const containers: Container[] = [];
  let open: Open | undefined;

  // The cursor in the current line: an offset, and its column with tab stops every four columns.
  let row = 0;
  let at = 0;
  let end = 0;
  let column = 0;
  /** Remaining columns of a partly consumed tab. */
  let rest = 0;

  const blankFrom = (offset: number): boolean => {
    for (let i = offset; i < end; i++) if (text[i] !== " " && text[i] !== "\t") return false;
    return true;
  };
  /** Columns of white space at the cursor. */
  const indentation = (): number => {
    let position = column + rest;
    const from = column;
    for (let i = rest > 0 ? at + 1 : at; i < end; i++) {
      if (text[i] === " ") position += 1;
      else if (text[i] === "\t") position += 4 - (position % 4);
      else break;
    }
    return position - from;
  };
  /** Consumes columns of white space. */
  const advance = (columns: number): void => {
    let remaining = columns;
    while (remaining > 0 && at < end) {
      if (text[at] === "\t") {
        const width = rest > 0 ? rest : 4 - (column % 4);
        const used = Math.min(width, remaining);
        column += used;
        remaining -= used;
        rest = width - used;
        if (rest === 0) at++;
      } else if (text[at] === " ") {
        at++;
        column++;
        remaining--;
      } else return;
    }
  };
  const step = (characters: number): void => {
    at += characters;
    column += characters;
  };

  const close = (): void => {
    if (open?.kind === "paragraph") {
      const prose = withoutDefinitions(text, open.lines);
      if (prose.length > 0) parts.push({ kind: "paragraph", lines: prose });
    } else if (open?.kind === "fence") {
      parts.push(fence(open, open.lines, lines[row - 1]?.end ?? end, undefined));
    }
    open = undefined;
  };

  /** The closing fence is missing: the block ends where the next point or block begins, and reading resumes there. */
  const cut = (cut: OpenFence, from: number): void => {
    const content = cut.lines.slice(0, from - cut.row - 1);
    parts.push(fence(cut, content, lines[cut.row]?.end ?? cut.start, lines[from]?.start ?? text.length));
    open = undefined;
    row = from - 1;
  };

  /** Counts the containers that continue in this line. */
  const matched = (): number => {
    let count = 0;
    for (const container of containers) {
      if (container.kind === "quotation") {
        if (indentation() > 3) break;
        const to = skipBlanks(text, at, end);
        if (text[to] !== ">") break;
        advance(indentation());
        step(1);
        if (text[at] === " " || text[at] === "\t") advance(1);
      } else if (blankFrom(at)) {
        if (container.empty && row > container.row) break;
        advance(indentation());
      } else if (indentation() >= container.indent) {
        advance(container.indent);
        container.empty = false;
      } else break;
      count++;
    }
    return count;
  };

  const leave = (count: number): void => {
    if (count < containers.length) {
      close();
      containers.length = count;
    }
  };

  /** Opens the lists and quotations that begin in this line. */
  const enter = (count: number): boolean => {
    let entered = false;
    const isInside = count === containers.length;
    while ((entered ? containers.length : count) < DEEPEST) {
      const indent = indentation();
      if (indent > 3 || blankFrom(at)) break;
      const first = skipBlanks(text, at, end);
      const character = text[first];
      if (character === ">") {
        if (!entered) leave(count);
        close();
        advance(indent);
        step(1);
        if (text[at] === " " || text[at] === "\t") advance(1);
        containers.push({ kind: "quotation" });
        entered = true;
        continue;
      }
      const marker = findMarker(text, first, end);
      if (marker === undefined || isBreak(text, first, end)) break;
      const blank = blankFrom(first + marker.length);
      if (!entered && isInside && open?.kind === "paragraph" && (blank || !marker.interrupts)) break;
      if (!entered) leave(count);
      close();
      advance(indent);
      step(marker.length);
      const inner = indentation();
      const padding = blank || inner > 4 ? 1 : inner;
      if (!blank) advance(padding);
      containers.push({ kind: "item", indent: indent + marker.length + padding, row, empty: blank });
      entered = true;
    }
    return entered;
  };

  for (row = 0; row < lines.length; row++) {
    const line = lines[row] ?? { start: 0, end: 0 };
    [at, end, column, rest] = [line.start, line.end, 0, 0];
    const count = matched();
    const isInside = count === containers.length;

    if (open?.kind === "fence" && isInside) {
      const indent = indentation();
      const first = skipBlanks(text, at, end);
      const mark = indent > 3 ? undefined : findFence(text, first, end);
      if (mark !== undefined && mark.mark[0] === open.mark[0]) {
        if (mark.info === "" && mark.mark.length >= open.mark.length) {
          row++;
          close();
          row--;
          continue;
        }
        if (mark.info !== "" && mark.mark.length >= open.mark.length && isYaml(open.language)) {
          cut(open, open.point ?? row);
          continue;
        }
      }
      if (open.point === undefined && pointHeading.test(text.slice(first, Math.min(end, first + 8)))) open.point = row;
      advance(Math.min(open.indent, indent));
      open.lines.push({ start: at, end });
      if (row === lines.length - 1 && open.point !== undefined) cut(open, open.point);
      continue;
    }
    if (open?.kind === "fence" && open.point !== undefined && isYaml(open.language)) {
      cut(open, open.point);
      continue;
    }
    if (open?.kind === "html" && isInside) {
      if (open.until === undefined ? blankFrom(at) : open.until.test(text.slice(at, end))) open = undefined;
      continue;
    }
    if (open !== undefined && open.kind !== "paragraph" && !isInside) close();

    const entered = enter(count);
    if (blankFrom(at)) {
      if (!entered) leave(count);
      if (open?.kind !== "code") close();
      continue;
    }
    const indent = indentation();
    const paragraph: (Open & { kind: "paragraph" }) | undefined =
      !entered && open?.kind === "paragraph" ? open : undefined;
    const first = skipBlanks(text, at, end);
    if (indent > 3) {
      if (paragraph !== undefined) paragraph.lines.push({ start: first, end });
      else {
        if (!entered) leave(count);
        open = { kind: "code" };
      }
      continue;
    }
    if (open?.kind === "code") open = undefined;

    const heading = findHeading(text, first, end);
    const opening = findFence(text, first, end);
    if (heading !== undefined || opening !== undefined) {
      if (!entered) leave(count);
      close();
      if (heading !== undefined) parts.push({ kind: "heading", ...heading, start: first, end });
      else if (opening !== undefined)
        open = {
          kind: "fence",
          mark: opening.mark,
          indent,
          language: /^\S*/u.exec(opening.info)?.[0] ?? "",
          lines: [],
          start: first,
          row,
          point: undefined,
        };
      continue;
    }
    if (text[first] === "<") {
      const written = text.slice(first, end);
      const kind = html.find(({ begins }) => begins.test(written));
      if (kind !== undefined || (paragraph === undefined && written.length < 1000 && anyTag.test(written))) {
        if (!entered) leave(count);
        close();
        if (kind?.until === undefined || !kind.until.test(written)) open = { kind: "html", until: kind?.until };
        continue;
      }
    }
    if (
      paragraph !== undefined &&
      isInside &&
      /^(?:=+|-+)[ \t]*$/u.test(text.slice(first, Math.min(end, first + 1000)))
    ) {
      const prose = withoutDefinitions(text, paragraph.lines);
      const [start] = prose;
      if (start !== undefined) {
        const words = prose.map((line) => text.slice(line.start, line.end)).join(" ");
        parts.push({
          kind: "heading",
          level: text[first] === "=" ? 1 : 2,
          text: plain(words),
          start: start.start,
          end: prose[prose.length - 1]?.end ?? end,
        });
        open = undefined;
        continue;
      }
    }
    if (isBreak(text, first, end)) {
      if (!entered) leave(count);
      close();
      continue;
    }
    if (paragraph !== undefined) paragraph.lines.push({ start: first, end });
    else {
      if (!entered) leave(count);
      close();
      open = { kind: "paragraph", lines: [{ start: first, end }] };
    }
  }
  if (open?.kind === "fence") {
    parts.push(fence(open, open.lines, lines[open.row]?.end ?? open.start, text.length));
  } else close();
  return parts;
};

const skipBlanks = (text: string, from: number, end: number): number => {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t")) at++;
  return at;
};

/** A list marker: `-`, `+`, `*`, `1.` or `1)` before white space or the end of the line. */
const findMarker = (text: string, first: number, end: number) => {
  const written = /^(?:[-+*]|(?<number>\d{1,9})[.)])(?=[ \t]|$)/u.exec(text.slice(first, Math.min(end, first + 12)));
  if (written === null) return undefined;
  const number = written.groups?.number;
  return { length: written[0].length, interrupts: number === undefined || number === "1" };
};

/** A thematic break: three or more `-`, `*` or `_`. */
const isBreak = (text: string, first: number, end: number): boolean => {
  const mark = text[first];
  if (mark !== "-" && mark !== "*" && mark !== "_") return false;
  let marks = 0;
  for (let i = first; i < end; i++) {
    if (text[i] === mark) marks++;
    else if (text[i] !== " " && text[i] !== "\t") return false;
  }
  return marks >= 3;
};

const findHeading = (text: string, first: number, end: number): { level: number; text: string } | undefined => {
  if (text[first] !== "#") return undefined;
  const level = /^#{1,6}(?=[ \t]|$)/u.exec(text.slice(first, Math.min(end, first + 8)))?.[0].length;
  if (level === undefined) return undefined;
  const written = text.slice(first + level, Math.min(end, first + 2 * LONGEST_HEADING));
  return { level, text: plain(written.replace(/(?:^|[ \t])#+[ \t]*$/u, "")) };
};

const findFence = (text: string, first: number, end: number): { mark: string; info: string } | undefined => {
  const sign = text[first];
  if (sign !== "`" && sign !== "~") return undefined;
  let at = first;
  while (at < end && text[at] === sign) at++;
  const info = text.slice(at, end).trim();
  if (at - first < 3 || (sign === "`" && info.includes("`"))) return undefined;
  return { mark: text.slice(first, at), info };
};

/** Longer headings are truncated. */
const LONGEST_HEADING = 500;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

/** A heading without its marks. */
const plain = (written: string): string =>
  written
    .trim()
    .slice(0, LONGEST_HEADING)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/gu, "$1")
    .replace(/(`+|\*{1,3}|(?<![\p{L}\p{N}])_{1,3})(?=\S)(.*?\S)\1/gu, "$2")
    .replace(/(\*{1,3})(?=\S)(.*?\S)\1/gu, "$2")
    .replace(/\\([!-/:-@[-`{-~])/gu, "$1")
    .replace(/&(amp|lt|gt|quot|nbsp);/gu, (_, name: string) => entities[name] ?? "")
    .trim();

/** A paragraph without link reference definitions at its beginning. */
const withoutDefinitions = (text: string, lines: readonly Line[]): readonly Line[] => {
  const first = lines.findIndex(
    ({ start, end }) => !/^\[[^[\]]{1,200}\]:[ \t]*\S/u.test(text.slice(start, Math.min(end, start + 300))),
  );
  return first < 0 ? [] : lines.slice(first);
};
