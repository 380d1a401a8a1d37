import type { Line } from "../lines.ts";
import { locate, type Scalar } from "../tree.ts";
import {
  type Cursor,
  checkTabs,
  endsWord,
  find,
  fix,
  goTo,
  isBlank,
  isDone,
  measureIndentation,
  report,
  spanBetween,
} from "./cursor.ts";
import { hidden } from "./invisible-characters.ts";

/** A text between two offsets, without escapes. */
export const plainScalar = (cursor: Cursor, start: number, end: number): Scalar =>
  visible(cursor, {
    kind: "scalar",
    text: cursor.text.slice(start, end),
    span: spanBetween(cursor, start, end),
    quoted: false,
    origin: start,
  });

/** A text without invisible characters. */
const visible = (cursor: Cursor, scalar: Scalar): Scalar => {
  if (!cursor.hidden || scalar.text.search(hidden) < 0) return scalar;
  const built = builder();
  let from = 0;
  for (const { 0: found, index } of scalar.text.matchAll(hidden)) {
    built.add(scalar.text.slice(from, index), locate(scalar, from));
    from = index + found.length;
  }
  built.add(scalar.text.slice(from), locate(scalar, from));
  const { text, origin } = built.done(cursor, scalar.span.start, scalar.span.end);
  return { ...scalar, text, origin };
};

/** An empty value, such as after `key:`. */
export const emptyValueAt = (cursor: Cursor, offset: number): Scalar => plainScalar(cursor, offset, offset);

/** Quotes a text for YAML: with single quotes if it contains double quotes or backslashes. */
const quoted = (text: string): string => (/["\\]/u.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`);

/** The finding about a text without quotes. */
interface UnquotedText {
  readonly message: string;
  readonly certain?: boolean;
  readonly hint?: string;
}

/**
 * Reports a text that YAML would cut or misread, and continues with the most likely intention. `certain`: quoting the
 * whole text is the fix.
 */
export const needsQuotes = (
  cursor: Cursor,
  { start, end }: { readonly start: number; readonly end: number },
  { message, certain = true, hint = "Put the whole value in quotes." }: UnquotedText,
): Scalar => {
  const text = cursor.text.slice(start, end);
  const edit = certain ? fix(cursor, start, end, quoted(text)) : {};
  report(cursor, { code: "NEEDS_QUOTES", start, end, message, hint, ...edit });
  cursor.at = end;
  return { ...plainScalar(cursor, start, end), quoted: true, ...(certain ? {} : unread) };
};

/** Marks a value that could not be read reliably. */
export const unread = { unread: true } as const;

/** Assembles a text from parts of the file, with the origin of each. */
const builder = () => {
  let text = "";
  const from: number[] = [];
  const at: number[] = [];
  return {
    add: (part: string, where: number): void => {
      if (part === "") return;
      from.push(text.length);
      at.push(where);
      text += part;
    },
    /** Removes white space at the end of a line. */
    done: (cursor: Cursor, start: number, end: number): Scalar => {
      from.push(text.length);
      at.push(end);
      const origin = (offset: number): number => {
        let low = 0;
        let high = from.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if ((from[middle] ?? 0) <= offset) low = middle;
          else high = middle - 1;
        }
        return Math.min(end, (at[low] ?? start) + (offset - (from[low] ?? 0)));
      };
      return visible(cursor, { kind: "scalar", text, span: spanBetween(cursor, start, end), quoted: true, origin });
    },
  };
};

// --- Quotes

const escapes: Readonly<Record<string, string>> = {
  t: "\t",
  n: "\n",
  r: "\r",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  "\t": "\t",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};
const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The character of a surrogate pair written as two escapes: `\ud83d\ude00`. A lone surrogate is invalid. */
const findPair = (cursor: Cursor, at: number): { readonly text: string; readonly length: number } | undefined => {
  const written = cursor.text.slice(at, Math.min(cursor.end, at + 12));
  if (!/^\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}$/u.test(written)) return undefined;
  return { text: JSON.parse(`"${written}"`) as string, length: written.length };
};

/** The text of an escape sequence; undefined if it is invalid. */
const findEscape = (cursor: Cursor, at: number): { readonly text: string; readonly length: number } | undefined => {
  const sign = cursor.text[at + 1] ?? "";
  const length = digits[sign];
  if (length === undefined) return Object.hasOwn(escapes, sign) ? { text: escapes[sign] ?? "", length: 2 } : undefined;
  const code = cursor.text.slice(at + 2, Math.min(cursor.end, at + 2 + length));
  const point = /^[0-9a-f]+$/iu.test(code) && code.length === length ? Number.parseInt(code, 16) : -1;
  if (point >= 0xd800 && point <= 0xdfff) return findPair(cursor, at);
  const isText =
    point >= 32
      ? point !== 127 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
      : point === 9 || point === 10 || point === 13;
  return isText ? { text: String.fromCodePoint(point), length: 2 + length } : undefined;
};

/** Number of white-space characters before an offset, but not before `from`. */
export const countBlanksBefore = (cursor: Cursor, offset: number, from: number): number => {
  let at = offset;
  while (at > from && isBlank(cursor.text[at - 1])) at--;
  return offset - at;
};

/**
 * Reads a quoted text at the cursor. It may continue on lines indented more deeply than `parent`; a line end counts as
 * a space, a blank line as a line break. If nothing closes it, returns undefined and leaves the cursor at the end of
 * the first line.
 */
export const quotedScalar = (cursor: Cursor, parent: number): Scalar | undefined => {
  const { text } = cursor;
  const start = cursor.at;
  const quote = text[start];
  const direct = directEnd(cursor, quote ?? '"');
  if (direct !== undefined) {
    cursor.at = direct + 1;
    return visible(cursor, {
      kind: "scalar",
      text: text.slice(start + 1, direct),
      span: spanBetween(cursor, start, direct + 1),
      quoted: true,
      quotes: quote === "'" ? "'" : '"',
      origin: start + 1,
    });
  }
  const { row, end: firstEnd } = cursor;
  const { length: before } = cursor.findings;
  const built = builder();
  let from = start + 1;
  let at = from;
  for (;;) {
    if (at >= cursor.end) {
      built.add(text.slice(from, at - countBlanksBefore(cursor, at, from)), from);
      const joint = foldTo(cursor, parent);
      if (joint === undefined) break;
      built.add(joint, cursor.at);
      from = at = cursor.at;
    } else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'" && at + 1 < cursor.end) {
        built.add(text.slice(from, at + 1), from);
        from = at += 2;
        continue;
      }
      built.add(text.slice(from, at), from);
      cursor.at = at + 1;
      return { ...built.done(cursor, start, at + 1), quotes: quote === "'" ? "'" : '"' };
    } else if (quote === '"' && text[at] === "\\") {
      built.add(text.slice(from, at), from);
      if (at + 1 >= cursor.end) {
        if (foldTo(cursor, parent) === undefined) break;
        from = at = cursor.at;
        continue;
      }
      const known = findEscape(cursor, at);
      if (known === undefined) {
        report(cursor, {
          code: "BAD_YAML",
          start: at,
          end: at + 2,
          message: `“${text.slice(at, at + 2)}” is not a valid escape in double quotes.`,
          hint: "Write the backslash twice, or put the whole value in single quotes.",
          ...fix(cursor, at, at, "\\"),
        });
        from = at;
        at += 2;
      } else {
        built.add(known.text, at);
        from = at += known.length;
      }
    } else at++;
  }
  cursor.findings.length = before;
  goTo(cursor, row);
  cursor.at = firstEnd;
  return undefined;
};

/** End of a quoted text on one line without escapes. */
const directEnd = (cursor: Cursor, quote: string): number | undefined => {
  for (let at = cursor.at + 1; at < cursor.end; at++) {
    if (cursor.text[at] === "\\" && quote === '"') return undefined;
    if (cursor.text[at] === quote) return quote === "'" && cursor.text[at + 1] === "'" ? undefined : at;
  }
  return undefined;
};

/** Moves to the next line of a quoted text. Returns the text for the line ends, or undefined if the text has ended. */
const foldTo = (cursor: Cursor, parent: number): string | undefined => {
  let blanks = 0;
  for (let row = cursor.row + 1; row < cursor.lines.length; row++) {
    goTo(cursor, row);
    if (cursor.at >= cursor.end) blanks++;
    else if (cursor.indent <= parent || /^(?:---|\.\.\.)/u.test(cursor.text.slice(cursor.at, cursor.at + 3)))
      return undefined;
    else {
      checkTabs(cursor);
      return blanks === 0 ? " " : "\n".repeat(blanks);
    }
  }
  return undefined;
};

/** Reports an unclosed quote. The rest of the line is its text. */
export const unclosedQuote = (cursor: Cursor, start: number, isFixable: boolean): Scalar => {
  const end = cursor.end - countBlanksBefore(cursor, cursor.end, start);
  const quote = cursor.text[start] ?? '"';
  const rest = cursor.text.slice(start + 1, end);
  const certain = isFixable && !/ #|["'\\]/u.test(rest);
  report(cursor, {
    code: "NOT_CLOSED",
    start,
    end: start + 1,
    message: "This quote is never closed.",
    hint: `Close it with ${quote} where the text ends.`,
    ...(certain ? fix(cursor, end, end, quote) : {}),
  });
  cursor.at = cursor.end;
  return { ...plainScalar(cursor, start + 1, Math.max(start + 1, end)), quoted: true, ...(certain ? {} : unread) };
};

// --- Block scalars

const header = /^[|>](?<signs>[1-9][+-]?|[+-][1-9]?)?(?=[ \t]|$)/u;

/** True if `|` or `>` at the cursor begins a block scalar. */
export const beginsLiteral = (cursor: Cursor): boolean => {
  const written = cursor.text.slice(cursor.at, Math.min(cursor.end, cursor.at + 4));
  const signs = header.exec(written);
  if (signs === null) return false;
  for (let at = cursor.at + signs[0].length; at < cursor.end; at++)
    if (!isBlank(cursor.text[at])) return cursor.text[at] === "#" && isBlank(cursor.text[at - 1]);
  return true;
};

/** Reads a block scalar: `|` keeps line breaks, `>` joins lines. */
export const literalScalar = (cursor: Cursor, parent: number): Scalar => {
  const { text, at: start } = cursor;
  const signs = header.exec(text.slice(start, Math.min(cursor.end, start + 4)))?.groups?.signs ?? "";
  const folds = text[start] === ">";
  const declared = /\d/u.exec(signs)?.[0];
  const endOfHeader = cursor.end;
  let indent = declared === undefined ? undefined : Math.max(parent, 0) + Number(declared);
  let end = endOfHeader;
  const built = builder();
  let begun = false;
  let further = false;
  let blanks = 0;
  let deepestBlank = { indent: -1, line: { start, end } };
  let row = cursor.row + 1;
  if (parent < 0)
    report(cursor, {
      code: "BAD_YAML",
      start,
      end: start + 1,
      message: "A block of text needs a key before it.",
      hint: "Write a key and a colon before it.",
    });
  for (; row < cursor.lines.length; row++) {
    const line = cursor.lines[row] ?? { start: end, end };
    const { first, indent: lineIndent } = measureIndentation(cursor, line);
    if (first >= line.end && (indent === undefined || lineIndent <= indent)) {
      if (indent === undefined && lineIndent > deepestBlank.indent) deepestBlank = { indent: lineIndent, line };
      if (text.slice(line.start, first).includes("\t")) {
        goTo(cursor, row);
        checkTabs(cursor);
      }
      blanks++;
      continue;
    }
    if (indent === undefined) {
      if (lineIndent <= parent) break;
      indent = lineIndent;
      if (deepestBlank.indent > indent) blankTooDeep(cursor, deepestBlank.line);
    }
    if (lineIndent < indent) break;
    const from = contentFrom(cursor, line.start, indent);
    if (text.slice(line.start, from).includes("\t")) {
      goTo(cursor, row);
      checkTabs(cursor);
    }
    const more = isBlank(text[from]) || first >= line.end;
    if (!folds || more || further) built.add("\n".repeat(begun ? blanks + 1 : blanks), end);
    else if (blanks > 0) built.add("\n".repeat(blanks), end);
    else if (begun) built.add(" ", end);
    built.add(text.slice(from, line.end), from);
    [begun, further, blanks, end] = [true, more, 0, line.end];
  }
  if (signs.includes("+")) built.add("\n".repeat(begun ? blanks + 1 : blanks), end);
  else if (begun && !signs.includes("-")) built.add("\n", end);
  goTo(cursor, row - 1);
  cursor.at = cursor.end;
  return built.done(cursor, start, end);
};

const blankTooDeep = (cursor: Cursor, { start, end }: Line): void =>
  report(cursor, {
    code: "BAD_INDENT",
    start,
    end,
    message: "This blank line is indented more than the text below it.",
    hint: "Remove its spaces.",
    ...fix(cursor, start, end, ""),
  });

/** Start of a line's text after a number of columns of indentation. */
const contentFrom = (cursor: Cursor, start: number, indent: number): number => {
  let at = start;
  for (let column = 0; column < indent; at++) column += cursor.text[at] === "\t" ? 2 : 1;
  return at;
};

// --- Plain scalars

/** End of a plain scalar on the line of the cursor: before a comment and the white space in front of it. */
export const plainEnd = (cursor: Cursor): number => {
  let end = cursor.end;
  for (let at = find(cursor.text, "#", cursor.at, end); at >= 0; at = find(cursor.text, "#", at + 1, end))
    if (at === cursor.at || isBlank(cursor.text[at - 1])) {
      end = at;
      break;
    }
  return end - countBlanksBefore(cursor, end, cursor.at);
};

/** The first colon before a space or the end of a text, where YAML would see a key. */
export const colonIn = (cursor: Cursor, from: number, to: number): number | undefined => {
  for (let at = find(cursor.text, ":", from, to); at >= 0; at = find(cursor.text, ":", at + 1, to))
    if (at + 1 >= to || endsWord(cursor, at + 1)) return at;
  return undefined;
};

/** Reads a plain scalar at the cursor, with its continuation lines. */
export const plainLines = (cursor: Cursor, parent: number): Scalar => {
  const { text, at: start } = cursor;
  const end = plainEnd(cursor);
  commentCuts(cursor, start, end);
  const built = builder();
  built.add(text.slice(start, end), start);
  let last = end;
  let goesOn = end >= cursor.end - countBlanksBefore(cursor, cursor.end, end);
  let lines = 1;
  while (goesOn) {
    const joint = plainJoint(cursor, parent);
    if (joint === undefined) break;
    const from = cursor.at;
    const to = plainEnd(cursor);
    built.add(joint, last);
    built.add(text.slice(from, to), from);
    goesOn = to >= cursor.end - countBlanksBefore(cursor, cursor.end, to);
    last = to;
    lines++;
  }
  cursor.at = cursor.end;
  return lines === 1 ? plainScalar(cursor, start, end) : { ...built.done(cursor, start, last), quoted: false };
};

/** Moves to the next line if it continues the text. Returns the text for the line ends. */
const plainJoint = (cursor: Cursor, parent: number): string | undefined => {
  const { row } = cursor;
  let blanks = 0;
  for (let next = row + 1; next < cursor.lines.length; next++) {
    goTo(cursor, next);
    if (cursor.at >= cursor.end) {
      blanks++;
      continue;
    }
    const goesOn =
      cursor.indent > parent &&
      cursor.text[cursor.at] !== "#" &&
      !(cursor.text[cursor.at] === "-" && endsWord(cursor, cursor.at + 1)) &&
      !/^(?:---|\.\.\.|%)/u.test(cursor.text.slice(cursor.at, cursor.at + 3)) &&
      colonIn(cursor, cursor.at, plainEnd(cursor)) === undefined;
    if (!goesOn) break;
    checkTabs(cursor);
    return blanks === 0 ? " " : "\n".repeat(blanks);
  }
  goTo(cursor, row);
  return undefined;
};

/** Warns about a comment directly after a value, without a space: `see #4`, `#006272`. */
export const commentCuts = (cursor: Cursor, start: number, end: number): void => {
  let at = end;
  while (at < cursor.end && isBlank(cursor.text[at])) at++;
  const next = cursor.text[at + 1] ?? " ";
  if (isDone(cursor) || cursor.text[at] !== "#" || at + 1 >= cursor.end || /[\s#!=-]/u.test(next)) return;
  const to = cursor.end - countBlanksBefore(cursor, cursor.end, start);
  const text = cursor.text.slice(start, to);
  const isNumber = /^#[0-9a-f]*\d[0-9a-f]*(?![\p{L}\p{N}_])/iu.test(cursor.text.slice(at, Math.min(to, at + 40)));
  const certain = isNumber && !/\s#\s/u.test(text);
  report(cursor, {
    code: "COMMENT_CUTS",
    start: at,
    end: to,
    message: "The text after this # is a comment and not part of the value.",
    hint: "Put the whole value in quotes if it is part of the text. Write a space after # if it is a comment.",
    ...(certain ? fix(cursor, start, to, quoted(text)) : {}),
  });
};
