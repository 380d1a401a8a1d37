import { type Finding, type FindingCode, finding, MOST_FINDINGS } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Line } from "../lines.ts";

/** A block of a file: its lines are what is left of the file's lines inside a list or a quotation. */
export interface Block {
  readonly file: string;
  readonly text: string;
  readonly lines: readonly Line[];
}

/**
 * Where reading has come to. Offsets are those of the file. Between two values the cursor stands at the first character
 * of a line with content, or behind the last line.
 */
export interface Cursor extends Block {
  row: number;
  at: number;
  /** The end of the current line. */
  end: number;
  /** Where the content of the current line begins, and how far it is indented. */
  first: number;
  indent: number;
  /** Set while brackets are left that nothing closes: where the innermost opened, and what would close them all. */
  lost: { readonly at: number; closers: string; readonly message: string | undefined } | undefined;
  /** What has to close the brackets that are open, the innermost last. */
  readonly closers: string[];
  /** How far the line was indented that was last found to stand in no column. */
  misfit: number | undefined;
  /** The names that the block gives with `&`, once they were asked for. */
  anchors: ReadonlySet<string> | undefined;
  /** Whether the block holds characters that nobody sees. They were reported, and are left out of what it says. */
  hidden: boolean;
  /** Whether a tab was found already. */
  tabs: boolean;
  /** The end of a line in which brackets and quotes are known not to close: looked for once. */
  unbalanced: number;
  readonly findings: Finding[];
}

export const cursorAt = ({ file, text, lines }: Block, findings: Finding[]): Cursor => {
  const cursor: Cursor = {
    file,
    text,
    lines,
    row: -1,
    at: 0,
    end: 0,
    first: 0,
    indent: 0,
    lost: undefined,
    closers: [],
    misfit: undefined,
    anchors: undefined,
    hidden: false,
    tabs: false,
    unbalanced: -1,
    findings,
  };
  nextLine(cursor);
  return cursor;
};

export const spanOf = (cursor: Cursor, start: number, end: number): Span => ({ file: cursor.file, start, end });

export const report = (
  cursor: Cursor,
  code: FindingCode,
  start: number,
  end: number,
  message: string,
  hint: string,
  more: Pick<Finding, "also" | "fix"> = {},
): void => {
  if (cursor.findings.length < MOST_FINDINGS)
    cursor.findings.push(finding(code, spanOf(cursor, start, end), message, hint, more));
};

/** An edit at one place of the block's file, as the `fix` of a finding. */
export const fix = (cursor: Cursor, start: number, end: number, text: string): Pick<Finding, "fix"> => ({
  fix: [{ span: spanOf(cursor, start, end), text }],
});

export const isDone = (cursor: Cursor): boolean => cursor.row >= cursor.lines.length;
export const columnOf = (cursor: Cursor): number => cursor.indent + (cursor.at - cursor.first);

/** Where a character stands in a part of the file, or -1. */
export const find = (text: string, character: string, from: number, to: number): number => {
  for (let at = from; at < to; at++) if (text[at] === character) return at;
  return -1;
};

export const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/** Whether the character at an offset is white space or the end of its line. */
export const endsWord = (cursor: Cursor, offset: number): boolean =>
  offset >= cursor.end || isBlank(cursor.text[offset]);

export const skipBlanks = (cursor: Cursor): void => {
  while (cursor.at < cursor.end && isBlank(cursor.text[cursor.at])) cursor.at++;
};

/** Whether nothing but a comment is left of the line. */
export const atLineEnd = (cursor: Cursor): boolean =>
  cursor.at >= cursor.end ||
  (cursor.text[cursor.at] === "#" && (cursor.at === cursor.first || isBlank(cursor.text[cursor.at - 1])));

/** Spaces that are none to YAML. Where one indents a line it was reported, and counts as a space. */
const isOtherSpace = (code: number): boolean =>
  code >= 0xa0 &&
  (code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f || code === 0x3000);

/** A tab counts as the two spaces that it is mended to. */
const TAB = 2;

/** Where the content of a line begins, and how far it is indented. */
export const indentationOf = (
  cursor: Block,
  { start, end }: Line,
): { readonly first: number; readonly indent: number } => {
  let first = start;
  let indent = 0;
  for (; first < end; first++) {
    if (cursor.text[first] === " ") indent++;
    else if (cursor.text[first] === "\t") indent += TAB;
    else if (isOtherSpace(cursor.text.charCodeAt(first))) indent++;
    else break;
  }
  return { first, indent };
};

/** Goes to the line of a row, whatever it holds. */
export const goTo = (cursor: Cursor, row: number): void => {
  const line = cursor.lines[row] ?? { start: cursor.end, end: cursor.end };
  const { first, indent } = indentationOf(cursor, line);
  [cursor.row, cursor.at, cursor.end, cursor.first, cursor.indent] = [row, first, line.end, first, indent];
};

/** Goes on to the next line that holds more than a comment. */
export const nextLine = (cursor: Cursor): void => {
  let begun = cursor.row >= 0;
  for (let row = cursor.row + 1; row < cursor.lines.length; row++) {
    goTo(cursor, row);
    if (cursor.at >= cursor.end || cursor.text[cursor.at] === "#") continue;
    if (!isMarker(cursor, begun)) {
      checkTabs(cursor);
      return;
    }
    if (cursor.text[cursor.at] !== "%") begun = true;
  }
  goTo(cursor, cursor.lines.length);
};

/** Leaves out everything that stands further in than a column: what belongs to a value that was given up. */
export const skipDeeper = (cursor: Cursor, column: number): void => {
  nextLine(cursor);
  while (!isDone(cursor) && cursor.indent > column) nextLine(cursor);
};

/** `---`, `...` and `%…` at the beginning of a line: marks by which YAML puts several documents into one. */
const isMarker = (cursor: Cursor, begun: boolean): boolean => {
  if (cursor.indent > 0 || !"-.%".includes(cursor.text[cursor.at] ?? " ")) return false;
  const written = /^(?:(?:---|\.\.\.)(?=\s|$)|%(?:YAML|TAG)\b).{0,20}/u.exec(
    cursor.text.slice(cursor.at, cursor.end),
  )?.[0];
  if (written === undefined) return false;
  if (begun || written.trimEnd() !== "---")
    report(
      cursor,
      "YAML_FEATURE",
      cursor.at,
      cursor.end,
      `A line “${written.trimEnd()}” is not part of the language.`,
      "Take it out: several blocks of one point are read as one, and one block is one document.",
      written.trimEnd() === "---" && cursor.text.slice(cursor.at, cursor.end).trim() === "---"
        ? fix(cursor, cursor.at, cursor.end, "")
        : {},
    );
  return true;
};

/** Tabs as indentation are one finding of the block, whose fix is certain where nothing but tabs indents. */
export const checkTabs = (cursor: Cursor): void => {
  const { text, lines, first } = cursor;
  const start = lines[cursor.row]?.start ?? first;
  const tab = text.slice(start, first).indexOf("\t");
  if (tab < 0 || cursor.tabs) return;
  cursor.tabs = true;
  const indentations = lines.map((line) => ({ start: line.start, end: indentationOf(cursor, line).first }));
  const pure = indentations.every((one) => !text.slice(one.start, one.end).includes(" "));
  report(
    cursor,
    "BAD_INDENT",
    start + tab,
    first,
    "This line is indented with a tab.",
    "Indent with spaces, two for each step.",
    pure
      ? {
          fix: indentations
            .filter((one) => one.end > one.start)
            .map((one) => ({
              span: spanOf(cursor, one.start, one.end),
              text: " ".repeat(TAB * (one.end - one.start)),
            })),
        }
      : {},
  );
};
