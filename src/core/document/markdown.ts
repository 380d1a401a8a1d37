import { LineCursor } from "./line-cursor.ts";
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

interface OpenParagraph {
  readonly kind: "paragraph";
  readonly lines: Line[];
}

type Open =
  | OpenParagraph
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
export const readMarkdown = (text: string): readonly MarkdownBlock[] => new MarkdownReader(text).read();

/** A line behind the marks of the lists and quotations around it. */
interface LineContent {
  /** The number of containers that continue in this line. */
  readonly continued: number;
  /** True if all containers continue. */
  readonly isInside: boolean;
  /** True if a list or a quotation begins in this line. */
  readonly entered: boolean;
  readonly indent: number;
  /** Offset of the first character that is no white space. */
  readonly first: number;
  readonly end: number;
  /** The open paragraph, if the line can continue it. */
  readonly paragraph: OpenParagraph | undefined;
}

class MarkdownReader {
  readonly #text: string;
  readonly #lines: readonly Line[];
  readonly #cursor: LineCursor;
  readonly #blocks: MarkdownBlock[] = [];
  readonly #containers: Container[] = [];
  #open: Open | undefined;
  #row = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = splitLines(text);
    this.#cursor = new LineCursor(text);
  }

  read(): readonly MarkdownBlock[] {
    for (; this.#row < this.#lines.length; this.#row++) {
      this.#cursor.enterLine(this.#lines[this.#row] ?? { start: 0, end: 0 });
      this.#readLine();
    }
    const open = this.#open;
    if (open?.kind === "fence")
      this.#blocks.push(fence(open, open.lines, this.#lines[open.row]?.end ?? open.start, this.#text.length));
    else this.#close();
    return this.#blocks;
  }

  /** The first kind of line that applies decides, as in CommonMark. */
  #readLine(): void {
    const continued = this.#continueContainers();
    const isInside = continued === this.#containers.length;
    if (this.#continueFence(isInside) || this.#continueHtml(isInside)) return;
    if (this.#open !== undefined && this.#open.kind !== "paragraph" && !isInside) this.#close();
    const entered = this.#enterContainers(continued);
    const { end, first } = this.#cursor;
    const paragraph = !entered && this.#open?.kind === "paragraph" ? this.#open : undefined;
    const line = { continued, isInside, entered, indent: this.#cursor.indentation(), first, end, paragraph };
    if (this.#cursor.isBlank()) this.#readBlank(line);
    else if (line.indent > 3) this.#readIndented(line);
    else {
      if (this.#open?.kind === "code") this.#open = undefined;
      if (this.#readHeading(line) || this.#openFence(line) || this.#openHtml(line) || this.#readUnderline(line)) return;
      if (isBreak(this.#text, first, end)) this.#interrupt(line);
      else this.#readProse(line);
    }
  }

  /** Counts the containers that continue in this line. */
  #continueContainers(): number {
    const cursor = this.#cursor;
    let count = 0;
    for (const container of this.#containers) {
      if (container.kind === "quotation") {
        if (cursor.indentation() > 3 || this.#text[cursor.first] !== ">") break;
        cursor.skipQuotationMark();
      } else if (cursor.isBlank()) {
        if (container.empty && this.#row > container.row) break;
        cursor.advance(cursor.indentation());
      } else if (cursor.indentation() >= container.indent) {
        cursor.advance(container.indent);
        container.empty = false;
      } else break;
      count++;
    }
    return count;
  }

  /** Opens the lists and quotations that begin in this line. */
  #enterContainers(continued: number): boolean {
    const cursor = this.#cursor;
    const isInside = continued === this.#containers.length;
    let entered = false;
    const enter = (): void => {
      if (!entered) this.#leave(continued);
      this.#close();
      entered = true;
    };
    while ((entered ? this.#containers.length : continued) < DEEPEST) {
      const indent = cursor.indentation();
      if (indent > 3 || cursor.isBlank()) break;
      const { first } = cursor;
      if (this.#text[first] === ">") {
        enter();
        cursor.skipQuotationMark();
        this.#containers.push({ kind: "quotation" });
        continue;
      }
      const marker = findMarker(this.#text, first, cursor.end);
      if (marker === undefined || isBreak(this.#text, first, cursor.end)) break;
      const empty = cursor.isBlank(first + marker.length);
      if (!entered && isInside && this.#open?.kind === "paragraph" && (empty || !marker.interrupts)) break;
      enter();
      cursor.advance(indent);
      cursor.step(marker.length);
      const inner = cursor.indentation();
      const padding = empty || inner > 4 ? 1 : inner;
      if (!empty) cursor.advance(padding);
      this.#containers.push({ kind: "item", indent: indent + marker.length + padding, row: this.#row, empty });
    }
    return entered;
  }

  /** A line of an open fenced block: its content, its end, or the first line after a block that was never closed. */
  #continueFence(isInside: boolean): boolean {
    const open = this.#open;
    if (open?.kind !== "fence") return false;
    if (!isInside) {
      if (open.point === undefined || !isYaml(open.language)) return false;
      this.#cut(open, open.point);
      return true;
    }
    const { end, first } = this.#cursor;
    const indent = this.#cursor.indentation();
    const mark = indent > 3 ? undefined : findFence(this.#text, first, end);
    if (mark !== undefined && mark.mark[0] === open.mark[0] && mark.mark.length >= open.mark.length) {
      if (mark.info === "") {
        this.#close(end);
        return true;
      }
      if (isYaml(open.language)) {
        this.#cut(open, open.point ?? this.#row);
        return true;
      }
    }
    if (open.point === undefined && pointHeading.test(this.#text.slice(first, Math.min(end, first + 8))))
      open.point = this.#row;
    this.#cursor.advance(Math.min(open.indent, indent));
    open.lines.push({ start: this.#cursor.at, end });
    if (this.#row === this.#lines.length - 1 && open.point !== undefined) this.#cut(open, open.point);
    return true;
  }

  #continueHtml(isInside: boolean): boolean {
    if (this.#open?.kind !== "html" || !isInside) return false;
    const { until } = this.#open;
    const { at, end } = this.#cursor;
    if (until === undefined ? this.#cursor.isBlank() : until.test(this.#text.slice(at, end))) this.#open = undefined;
    return true;
  }

  #readBlank({ entered, continued }: LineContent): void {
    if (!entered) this.#leave(continued);
    if (this.#open?.kind !== "code") this.#close();
  }

  /** An indented line continues a paragraph, or is code. */
  #readIndented({ paragraph, first, end, entered, continued }: LineContent): void {
    if (paragraph !== undefined) {
      paragraph.lines.push({ start: first, end });
      return;
    }
    if (!entered) this.#leave(continued);
    this.#open = { kind: "code" };
  }

  #readHeading(line: LineContent): boolean {
    const { first, end } = line;
    const heading = findHeading(this.#text, first, end);
    if (heading === undefined) return false;
    this.#interrupt(line);
    this.#blocks.push({ kind: "heading", ...heading, start: first, end });
    return true;
  }

  #openFence(line: LineContent): boolean {
    const { first, end, indent } = line;
    const opening = findFence(this.#text, first, end);
    if (opening === undefined) return false;
    this.#interrupt(line);
    this.#open = {
      kind: "fence",
      mark: opening.mark,
      indent,
      language: /^\S*/u.exec(opening.info)?.[0] ?? "",
      lines: [],
      start: first,
      row: this.#row,
      point: undefined,
    };
    return true;
  }

  #openHtml(line: LineContent): boolean {
    const { first, end, paragraph } = line;
    if (this.#text[first] !== "<") return false;
    const written = this.#text.slice(first, end);
    const kind = html.find(({ begins }) => begins.test(written));
    if (kind === undefined && (paragraph !== undefined || written.length >= 1000 || !anyTag.test(written)))
      return false;
    this.#interrupt(line);
    if (kind?.until === undefined || !kind.until.test(written)) this.#open = { kind: "html", until: kind?.until };
    return true;
  }

  /** A line of `=` or `-` below a paragraph makes it a heading. */
  #readUnderline({ paragraph, isInside, first, end }: LineContent): boolean {
    if (paragraph === undefined || !isInside) return false;
    if (!/^(?:=+|-+)[ \t]*$/u.test(this.#text.slice(first, Math.min(end, first + 1000)))) return false;
    const prose = withoutDefinitions(this.#text, paragraph.lines);
    const [start] = prose;
    if (start === undefined) return false;
    const words = prose.map((line) => this.#text.slice(line.start, line.end)).join(" ");
    this.#blocks.push({
      kind: "heading",
      level: this.#text[first] === "=" ? 1 : 2,
      text: plain(words),
      start: start.start,
      end: prose[prose.length - 1]?.end ?? end,
    });
    this.#open = undefined;
    return true;
  }

  #readProse(line: LineContent): void {
    const { paragraph, first, end } = line;
    if (paragraph !== undefined) {
      paragraph.lines.push({ start: first, end });
      return;
    }
    this.#interrupt(line);
    this.#open = { kind: "paragraph", lines: [{ start: first, end }] };
  }

  /** Ends the open block, and the containers that do not continue in this line. */
  #interrupt({ entered, continued }: LineContent): void {
    if (!entered) this.#leave(continued);
    this.#close();
  }

  #leave(count: number): void {
    if (count < this.#containers.length) {
      this.#close();
      this.#containers.length = count;
    }
  }

  #close(end = this.#lines[this.#row - 1]?.end ?? this.#cursor.end): void {
    const open = this.#open;
    if (open?.kind === "paragraph") {
      const prose = withoutDefinitions(this.#text, open.lines);
      if (prose.length > 0) this.#blocks.push({ kind: "paragraph", lines: prose });
    } else if (open?.kind === "fence") this.#blocks.push(fence(open, open.lines, end, undefined));
    this.#open = undefined;
  }

  /** The closing fence is missing: the block ends where the next point or block begins, and reading resumes there. */
  #cut(open: OpenFence, from: number): void {
    const content = open.lines.slice(0, from - open.row - 1);
    const missing = this.#lines[from]?.start ?? this.#text.length;
    this.#blocks.push(fence(open, content, this.#lines[open.row]?.end ?? open.start, missing));
    this.#open = undefined;
    this.#row = from - 1;
  }
}

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
