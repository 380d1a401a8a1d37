import { type Finding, finding, MOST_FINDINGS } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Line } from "../lines.ts";

/** A block of a file. Within a list or quotation, lines begin after its marks. */
export interface YamlBlock {
  readonly file: string;
  readonly text: string;
  readonly lines: readonly Line[];
}

/**
 * The state of reading. Offsets refer to the file. Between two values the cursor is at the first character of a line
 * with content, or after the last line.
 */
export interface Cursor extends YamlBlock {
  row: number;
  at: number;
  /** The end of the current line. */
  end: number;
  /** Start of the content of the current line, and its indentation. */
  first: number;
  indent: number;
  /**
   * Set while an unclosed bracket is being reported: where the innermost one opened, and the characters that would
   * close all of them.
   */
  lost: { readonly at: number; closers: string; readonly message: string | undefined } | undefined;
  /** The closing characters of all open brackets, innermost last. */
  readonly closers: string[];
  /** Indentation of the last line that was reported as matching no column. */
  misfit: number | undefined;
  /** The names that the block defines with `&`, once searched for. */
  anchors: ReadonlySet<string> | undefined;
  /** True if the block contains invisible characters. They were reported, and are removed from values. */
  hidden: boolean;
  /** True once a tab was reported. */
  tabs: boolean;
  /** End of a line that is known to contain unbalanced brackets and quotes, to search it only once. */
  unbalanced: number;
  readonly findings: Finding[];
}

export const cursorAt = ({ file, text, lines }: YamlBlock, findings: Finding[]): Cursor => {
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

export const spanBetween = (cursor: Cursor, start: number, end: number): Span => ({ file: cursor.file, start, end });

/** A finding about a range of the block. */
interface Mistake extends Pick<Finding, "code" | "message" | "hint" | "also" | "fix"> {
  readonly start: number;
  readonly end: number;
}

export const report = (cursor: Cursor, { code, start, end, message, hint, ...more }: Mistake): void => {
  if (cursor.findings.length < MOST_FINDINGS)
    cursor.findings.push(finding(code, spanBetween(cursor, start, end), message, hint, more));
};

/** An edit of the block's file, as the `fix` of a finding. */
export const fix = (cursor: Cursor, start: number, end: number, text: string): Pick<Finding, "fix"> => ({
  fix: [{ span: spanBetween(cursor, start, end), text }],
});

export const isDone = (cursor: Cursor): boolean => cursor.row >= cursor.lines.length;
export const columnAt = (cursor: Cursor): number => cursor.indent + (cursor.at - cursor.first);

/** Position of a character within a range, or -1. */
export const find = (text: string, character: string, from: number, to: number): number => {
  for (let at = from; at < to; at++) if (text[at] === character) return at;
  return -1;
};

export const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/** True if the character at an offset is white space or ends the line. */
export const endsWord = (cursor: Cursor, offset: number): boolean =>
  offset >= cursor.end || isBlank(cursor.text[offset]);

export const skipBlanks = (cursor: Cursor): void => {
  while (cursor.at < cursor.end && isBlank(cursor.text[cursor.at])) cursor.at++;
};

/** True if the rest of the line is blank or a comment. */
export const isAtLineEnd = (cursor: Cursor): boolean =>
  cursor.at >= cursor.end ||
  (cursor.text[cursor.at] === "#" && (cursor.at === cursor.first || isBlank(cursor.text[cursor.at - 1])));

/** Unicode spaces that YAML does not treat as spaces. As indentation they were reported, and count as a space. */
const isOtherSpace = (code: number): boolean =>
  code >= 0xa0 &&
  (code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x205f || code === 0x3000);

/** A tab counts as the two spaces that replace it. */
const TAB = 2;

/** Start of a line's content, and its indentation. */
export const measureIndentation = (
  cursor: YamlBlock,
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

/** Moves to a line by its number, whatever it contains. */
export const goTo = (cursor: Cursor, row: number): void => {
  const line = cursor.lines[row] ?? { start: cursor.end, end: cursor.end };
  const { first, indent } = measureIndentation(cursor, line);
  cursor.row = row;
  cursor.at = first;
  cursor.end = line.end;
  cursor.first = first;
  cursor.indent = indent;
};

/** Moves to the next line that is not blank or a comment. */
export const nextLine = (cursor: Cursor): void => {
  let hasContent = cursor.row >= 0;
  for (let row = cursor.row + 1; row < cursor.lines.length; row++) {
    goTo(cursor, row);
    if (cursor.at >= cursor.end || cursor.text[cursor.at] === "#") continue;
    if (!isMarker(cursor, hasContent)) {
      checkTabs(cursor);
      return;
    }
    if (cursor.text[cursor.at] !== "%") hasContent = true;
  }
  goTo(cursor, cursor.lines.length);
};

/** Skips everything indented more deeply than a column: the rest of a value that could not be read. */
export const skipDeeper = (cursor: Cursor, column: number): void => {
  nextLine(cursor);
  while (!isDone(cursor) && cursor.indent > column) nextLine(cursor);
};

/** `---`, `...` or `%…` at the beginning of a line: YAML's markers between documents. */
const isMarker = (cursor: Cursor, hasContent: boolean): boolean => {
  if (cursor.indent > 0 || !"-.%".includes(cursor.text[cursor.at] ?? " ")) return false;
  const written = /^(?:(?:---|\.\.\.)(?=\s|$)|%(?:YAML|TAG)\b).{0,20}/u.exec(
    cursor.text.slice(cursor.at, cursor.end),
  )?.[0];
  if (written === undefined) return false;
  if (hasContent || written.trimEnd() !== "---")
    report(cursor, {
      code: "YAML_FEATURE",
      start: cursor.at,
      end: cursor.end,
      message: `A line “${written.trimEnd()}” is not allowed.`,
      hint: "Remove it. Several blocks of one point are read as one.",
      ...(written.trimEnd() === "---" && cursor.text.slice(cursor.at, cursor.end).trim() === "---"
        ? fix(cursor, cursor.at, cursor.end, "")
        : {}),
    });
  return true;
};

/** Reports tabs in indentation once per block. The fix is certain if lines are indented with tabs only. */
export const checkTabs = (cursor: Cursor): void => {
  const { text, lines, first } = cursor;
  const start = lines[cursor.row]?.start ?? first;
  const tab = text.slice(start, first).indexOf("\t");
  if (tab < 0 || cursor.tabs) return;
  cursor.tabs = true;
  const indentations = lines.map((line) => ({ start: line.start, end: measureIndentation(cursor, line).first }));
  const pure = indentations.every((indentation) => !text.slice(indentation.start, indentation.end).includes(" "));
  report(cursor, {
    code: "BAD_INDENT",
    start: start + tab,
    end: first,
    message: "This line is indented with a tab.",
    hint: "Indent with spaces, two for each level.",
    ...(pure
      ? {
          fix: indentations
            .filter((indentation) => indentation.end > indentation.start)
            .map((indentation) => ({
              span: spanBetween(cursor, indentation.start, indentation.end),
              text: " ".repeat(TAB * (indentation.end - indentation.start)),
            })),
        }
      : {}),
  });
};
