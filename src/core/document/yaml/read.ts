import { type Finding, MOST_FINDINGS } from "../../findings.ts";
import type { List, Mapping, Scalar, Tree } from "../tree.ts";
import {
  type Cursor,
  columnAt,
  cursorAt,
  endsWord,
  fix,
  goTo,
  isAtLineEnd,
  isBlank,
  isDone,
  measureIndentation,
  nextLine,
  report,
  skipBlanks,
  skipDeeper,
  spanBetween,
  type YamlBlock,
} from "./cursor.ts";
import { addEntry, DEEPEST, noEntries, tooDeep, trimCapacity } from "./entries.ts";
import { noSpace, readFlow } from "./flow.ts";
import { classifyIndicator, skipFeature } from "./indicators.ts";
import { reportInvisibleCharacters } from "./invisible-characters.ts";
import {
  colonIn,
  commentCuts,
  countBlanksBefore,
  emptyValueAt,
  literalScalar,
  needsQuotes,
  plainEnd,
  plainLines,
  plainScalar,
  quotedScalar,
  unclosedQuote,
  unread,
} from "./scalar.ts";

/**
 * Parses a YAML block into a tree: the supported subset of YAML, in one pass and linear time. Text that YAML would
 * silently misread is reported at its cause, and reading continues with the most likely intention. An empty block
 * yields no tree. Text accepted without a finding is read in the same way by YAML 1.2 (with every scalar as text), but
 * not vice versa.
 */
export const readYaml = (block: YamlBlock, findings: Finding[]): Tree | undefined => {
  const hidden = reportInvisibleCharacters(block, (found) => {
    if (findings.length < MOST_FINDINGS) findings.push(found);
  });
  const cursor = cursorAt(block, findings);
  cursor.hidden = hidden;
  if (isDone(cursor)) return undefined;
  const tree = readNode(cursor, -1, 0);
  while (!isDone(cursor)) {
    strayLine(cursor, "This line does not continue the line above it.", "Indent it like the lines that it belongs to.");
  }
  return tree;
};

/** Reads a complete node from its first character, and leaves the cursor at the first line after it. */
const readNode = (cursor: Cursor, parent: number, depth: number): Tree => {
  if (depth > DEEPEST) {
    tooDeep(cursor);
    const nothing = { ...emptyValueAt(cursor, cursor.at), ...unread };
    skipDeeper(cursor, parent);
    return nothing;
  }
  if (isDash(cursor)) return readSequence(cursor, parent, columnAt(cursor), depth);
  const hasKey =
    keyEnd(cursor) !== undefined || (cursor.at === cursor.first && findKeyWithoutSpace(cursor) !== undefined);
  return hasKey ? readMapping(cursor, parent, depth) : readInline(cursor, parent, depth);
};

/** Length of a key at the cursor whose colon lacks the following space. */
const findKeyWithoutSpace = (cursor: Cursor): number | undefined => {
  const { text, at, end } = cursor;
  return /^[A-Za-z_][\w.]*(?=:[^/\s:])/u.exec(text.slice(at, Math.min(end, at + 100)))?.[0].length;
};

const isDash = (cursor: Cursor): boolean =>
  !isDone(cursor) && cursor.text[cursor.at] === "-" && endsWord(cursor, cursor.at + 1);

/**
 * Reports a line whose indentation matches no column, and skips everything indented below it. Reported once per
 * indentation.
 */
const strayLine = (cursor: Cursor, message: string, hint: string): void => {
  if (cursor.misfit !== cursor.indent)
    report(cursor, { code: "BAD_INDENT", start: cursor.at, end: Math.max(cursor.end, cursor.at + 1), message, hint });
  skipDeeper(cursor, cursor.indent);
};

// --- Mappings

/** Offset of the colon after the key at the cursor; undefined if the line has none. */
const keyEnd = (cursor: Cursor): number | undefined => {
  const { text, at: start, end } = cursor;
  const quote = text[start];
  if (quote === "{" || quote === "[") return undefined;
  let at = start;
  if (quote === '"' || quote === "'") {
    for (at++; at < end && text[at] !== quote; at++) if (text[at] === "\\" && quote === '"') at++;
    for (at++; at < end && isBlank(text[at]); at++);
    return at < end && text[at] === ":" && endsWord(cursor, at + 1) ? at : undefined;
  }
  return colonIn(cursor, start, plainEnd(cursor));
};

/** Reads entries in one column, beginning at the cursor. */
const readMapping = (cursor: Cursor, parent: number, depth: number): Mapping => {
  const start = cursor.at;
  const column = columnAt(cursor);
  const entries = noEntries();
  let end = start;
  for (let isFirst = true; isFirst || belongs(cursor, parent, column); isFirst = false) {
    if (isDash(cursor)) {
      strayLine(cursor, "There is a list item among keys.", "Indent it further, or write a key before it.");
      continue;
    }
    const colon = keyEnd(cursor) ?? missingSpace(cursor);
    if (colon === undefined) {
      lineWithoutKey(cursor);
      continue;
    }
    const own = isFirst ? column : cursor.indent;
    const key = readKey(cursor, colon);
    const { length: before } = cursor.findings;
    const value = readBehind(cursor, own, depth, true);
    // A merge key is one mistake, whatever it would merge.
    if (key.text === "<<" && !key.quoted) cursor.findings.length = before;
    end = Math.max(end, key.span.end, value.span.end);
    addEntry(cursor, entries, { key, value });
  }
  const span = spanBetween(cursor, start, end);
  return { kind: "mapping", entries: trimCapacity(entries.list), span, written: undefined };
};

/**
 * True if the line at the cursor continues a mapping or list in a column. A line that matches no column is reported and
 * treated as part of this one.
 */
const belongs = (cursor: Cursor, parent: number, column: number): boolean => {
  if (isDone(cursor) || cursor.indent <= parent) return false;
  if (cursor.indent === column) cursor.misfit = undefined;
  else if (cursor.indent !== cursor.misfit) {
    cursor.misfit = cursor.indent;
    report(cursor, {
      code: "BAD_INDENT",
      start: cursor.lines[cursor.row]?.start ?? cursor.at,
      end: cursor.at + 1,
      message:
        cursor.indent > column
          ? "This line is indented more than the lines that it belongs to."
          : "This line is indented less than the lines above it, but more than the key that they belong to.",
      hint: `Indent it by ${column} ${column === 1 ? "space" : "spaces"} if it belongs to them.`,
    });
  }
  return true;
};

/** Reports the colon of a key that lacks the following space. */
const missingSpace = (cursor: Cursor): number | undefined => {
  const length = findKeyWithoutSpace(cursor);
  if (length !== undefined) noSpace(cursor, cursor.at + length);
  return length === undefined ? undefined : cursor.at + length;
};

const lineWithoutKey = (cursor: Cursor): void => {
  if (cursor.misfit === cursor.indent) {
    skipDeeper(cursor, cursor.indent);
    return;
  }
  report(cursor, {
    code: "BAD_YAML",
    start: cursor.at,
    end: Math.max(plainEnd(cursor), cursor.at + 1),
    message: "This line is not a key with a value.",
    hint: "Write a colon after a key. Indent a text that continues the line above.",
  });
  skipDeeper(cursor, cursor.indent);
};

/** Reads the key at the cursor and moves past its colon. */
const readKey = (cursor: Cursor, colon: number): Scalar => {
  const { text, at: start } = cursor;
  const end = colon - countBlanksBefore(cursor, colon, start);
  const leading = classifyIndicator(cursor, false);
  let key: Scalar | undefined;
  if (leading?.kind === "feature") {
    skipFeature(cursor, leading.length);
    skipBlanks(cursor);
    key = plainScalar(cursor, Math.min(cursor.at, end), end);
  } else if (text[start] === '"' || text[start] === "'") key = quotedScalar(cursor, cursor.indent);
  else if (leading?.kind === "text")
    key = needsQuotes(
      cursor,
      { start, end },
      { message: leading.message.replace("A value", "A key"), hint: "Put the key in quotes." },
    );
  key ??= plainScalar(cursor, start, end);
  if (key.text === "")
    report(cursor, {
      code: "BAD_YAML",
      start,
      end: colon + 1,
      message: "A key is missing before this colon.",
      hint: "Write the key.",
    });
  cursor.at = colon + 1;
  return key;
};

// --- Lists

/** Reads items in one column, beginning at the cursor. `asKeys`: the column is that of the surrounding keys. */
const readSequence = (cursor: Cursor, parent: number, column: number, depth: number, asKeys = false): List => {
  const { at: start } = cursor;
  const items: Tree[] = [];
  let end = start;
  for (let isFirst = true; isFirst || belongs(cursor, parent, column); isFirst = false) {
    if (!isDash(cursor)) {
      if (asKeys && cursor.indent === column) break;
      strayLine(
        cursor,
        "This line is among the items of a list, but has no dash.",
        "Write a dash before it, or indent it.",
      );
      continue;
    }
    cursor.at++;
    const item = readBehind(cursor, column, depth, false);
    end = Math.max(end, item.span.end, start + 1);
    items.push(item);
  }
  return { kind: "list", items: trimCapacity(items), span: spanBetween(cursor, start, end), written: undefined };
};

/** The value after a colon or dash: on the same line, or indented below. */
const readBehind = (cursor: Cursor, column: number, depth: number, isKey: boolean): Tree => {
  const { at: before } = cursor;
  skipBlanks(cursor);
  const isTab = cursor.text.slice(before, cursor.at).includes("\t");
  if (isAtLineEnd(cursor)) {
    const { row, at } = cursor;
    nextLine(cursor);
    if (!isDone(cursor) && cursor.indent > column) return readNode(cursor, column, depth + 1);
    // A list may be at the indentation of its key.
    if (isKey && isDash(cursor) && cursor.indent === column)
      return readSequence(cursor, column - 1, column, depth + 1, true);
    const next = cursor.row;
    goTo(cursor, row);
    commentCuts(cursor, at, at);
    goTo(cursor, next);
    return emptyValueAt(cursor, before);
  }
  if (isKey && isDash(cursor)) {
    report(cursor, {
      code: "BAD_YAML",
      start: cursor.at,
      end: cursor.at + 1,
      message: "A list must begin on a line of its own.",
      hint: "Write the first dash below the key, or put the list in brackets.",
    });
    return readSequence(cursor, column, columnAt(cursor), depth + 1);
  }
  if (!isKey && isTab && (isDash(cursor) || keyEnd(cursor) !== undefined)) tabBehindDash(cursor, before);
  return isKey ? readInline(cursor, column, depth + 1) : readNode(cursor, column, depth + 1);
};

const tabBehindDash = (cursor: Cursor, from: number): void =>
  report(cursor, {
    code: "BAD_INDENT",
    start: from,
    end: cursor.at,
    message: "There is a tab after this dash.",
    hint: "Use a space instead.",
    ...fix(cursor, from, cursor.at, " "),
  });

// --- Values on one line

const readInline = (cursor: Cursor, parent: number, depth: number): Tree => {
  const value = inlineValue(cursor, parent, depth);
  nextLine(cursor);
  return value;
};

/** Reads a value at the cursor, and leaves the cursor at the end of its last line. */
const inlineValue = (cursor: Cursor, parent: number, depth: number): Tree => {
  const below = cursor.lines[cursor.row + 1];
  const opens = below !== undefined && measureIndentation(cursor, below).indent > parent;
  const leading = classifyIndicator(cursor, true, opens);
  if (leading?.kind === "feature") {
    skipFeature(cursor, leading.length);
    skipBlanks(cursor);
    if (!isAtLineEnd(cursor)) return inlineValue(cursor, parent, depth);
    return belowFeature(cursor, parent, depth);
  }
  const { text, at: start } = cursor;
  if (leading?.kind === "text") return restOfLine(cursor, start, leading.message);
  const sign = text[start];
  if (sign === "|" || sign === ">") return literalScalar(cursor, parent);
  if (sign === '"' || sign === "'") return inlineQuoted(cursor, parent);
  if (sign === "{" || sign === "[") return inlineFlow(cursor, parent, depth);
  const colon = colonIn(cursor, start, plainEnd(cursor));
  // `a: b: c` may be a nested key that belongs on the next line.
  if (colon !== undefined)
    return restOfLine(cursor, start, "A text with a colon needs quotes.", / /u.test(text.slice(start, colon)));
  return plainLines(cursor, parent);
};

/** The value below a skipped tag or anchor. */
const belowFeature = (cursor: Cursor, parent: number, depth: number): Tree => {
  const nothing = { ...emptyValueAt(cursor, cursor.at), ...unread };
  const { row } = cursor;
  nextLine(cursor);
  const value = !isDone(cursor) && cursor.indent > parent ? readNode(cursor, parent, depth + 1) : nothing;
  // The caller moves to the next line itself.
  goTo(cursor, Math.max(row, cursor.row - 1));
  cursor.at = cursor.end;
  return value;
};

/** The rest of the line as one text that needs quotes. */
const restOfLine = (cursor: Cursor, start: number, message: string, certain = true): Scalar => {
  let end = cursor.end;
  for (let at = start; at < end; at++)
    if (cursor.text[at] === "#" && isBlank(cursor.text[at - 1]) && endsWord(cursor, at + 1)) end = at;
  const text = needsQuotes(cursor, { start, end: end - countBlanksBefore(cursor, end, start) }, { message, certain });
  cursor.at = cursor.end;
  return text;
};

/** True if only a comment follows on the line; otherwise the cursor is at what follows. */
const endsLine = (cursor: Cursor): boolean => {
  const { at } = cursor;
  skipBlanks(cursor);
  return isAtLineEnd(cursor) && (cursor.at > at || cursor.at >= cursor.end);
};

const inlineQuoted = (cursor: Cursor, parent: number): Scalar => {
  const { at: start, row } = cursor;
  const { length: before } = cursor.findings;
  const read = quotedScalar(cursor, parent);
  if (read !== undefined && (endsLine(cursor) || isClosedTwice(cursor))) return read;
  cursor.findings.length = before;
  if (read !== undefined && cursor.row === row)
    return restOfLine(cursor, start, "There is text after the closing quote, so the whole value needs quotes.");
  // The quote closes only on a later line, with text after it, so its own closing quote is missing.
  goTo(cursor, row);
  cursor.at = start;
  const below = cursor.lines[row + 1];
  const goesOn = below !== undefined && measureIndentation(cursor, below).indent > parent;
  const text = unclosedQuote(cursor, start, !goesOn);
  skipDeeper(cursor, parent);
  stepBack(cursor);
  return text;
};

/** True if a line ends in superfluous closing characters; they are reported and skipped. */
const isClosedTwice = (cursor: Cursor): boolean => {
  const { at, end, text } = cursor;
  const written = /^[\]}]+/u.exec(text.slice(at, Math.min(end, at + 100)))?.[0];
  if (written === undefined) return false;
  cursor.at += written.length;
  if (!endsLine(cursor)) {
    cursor.at = at;
    return false;
  }
  const to = at + written.length;
  report(cursor, {
    code: "BAD_YAML",
    start: at,
    end: to,
    message: "This closes nothing.",
    hint: "Remove it.",
    ...fix(cursor, at, to, ""),
  });
  return true;
};

/** Moves to the end of the previous line: reading a value ends on its last line. */
const stepBack = (cursor: Cursor): void => {
  goTo(cursor, cursor.row - 1);
  cursor.at = cursor.end;
};

const inlineFlow = (cursor: Cursor, parent: number, depth: number): Tree => {
  const { at: start, row, text } = cursor;
  const { length: before } = cursor.findings;
  const value = readFlow(cursor, parent, depth);
  if (cursor.lost !== undefined) {
    const { at, closers, message } = cursor.lost;
    const end = cursor.end - countBlanksBefore(cursor, cursor.end, start);
    const certain = cursor.row === row && closers !== "" && !text.slice(start, end).includes("#");
    cursor.lost = undefined;
    if (message !== undefined)
      report(cursor, {
        code: "NOT_CLOSED",
        start: at,
        end: at + 1,
        message,
        hint: `Close it with ${text[at] === "{" ? "}" : "]"} where it ends.`,
        ...(certain ? fix(cursor, end, end, closers) : {}),
      });
    skipDeeper(cursor, parent);
    stepBack(cursor);
    return value;
  }
  const isClosed = !cursor.findings.slice(before).some(({ code }) => code === "NOT_CLOSED");
  if (endsLine(cursor)) return value;
  // Further mistakes after a wrong closing character are consequences; one finding is enough.
  if (!isClosed || isClosedTwice(cursor)) return value;
  if (cursor.row === row) {
    cursor.findings.length = before;
    return restOfLine(cursor, start, `A text that begins with ${text[start]} needs quotes.`);
  }
  report(cursor, {
    code: "BAD_YAML",
    start: cursor.at,
    end: cursor.end,
    message: "This does not belong to the value that ends before it.",
    hint: "Remove it, or write it on a line of its own.",
  });
  cursor.at = cursor.end;
  return value;
};
