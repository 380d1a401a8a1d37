import type { Entry, List, Mapping, Scalar, Tree } from "../tree.ts";
import {
  type Cursor,
  endsWord,
  find,
  fix,
  goTo,
  isAtLineEnd,
  isBlank,
  isDone,
  nextLine,
  report,
  skipBlanks,
  spanBetween,
} from "./cursor.ts";
import { addEntry, DEEPEST, noEntries, tooDeep, trimCapacity } from "./entries.ts";
import { classifyIndicator, skipFeature } from "./indicators.ts";
import {
  countBlanksBefore,
  emptyValueAt,
  needsQuotes,
  plainScalar,
  quotedScalar,
  unclosedQuote,
  unread,
} from "./scalar.ts";

/** The role of a node: key of an entry, value of an entry, or item of a list. */
type Part = "key" | "value" | "item";

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };
const isCloser = (character: string | undefined): boolean => character === "}" || character === "]";
/** True for letters, digits and `_`, which mean nothing in YAML. Most characters are. */
const isPlainLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
/** True for the characters that separate and enclose items. */
const isFlowSign = (character: string | undefined): boolean =>
  character === "," || character === "[" || character === "{" || isCloser(character);
const isLetter = (character: string | undefined): boolean => /[\p{L}\p{N}]/u.test(character ?? " ");

/**
 * Reads braces or brackets at the cursor, which may continue on lines indented more deeply than `parent`. If nothing
 * closes them, `cursor.lost` is set and the cursor is at the end of the last line that could belong to them.
 */
export const readFlow = (cursor: Cursor, parent: number, depth: number): Mapping | List => {
  const { at: open, row } = cursor;
  const span = () => spanBetween(cursor, open, cursor.at);
  const written = () =>
    cursor.row === row && cursor.lost === undefined ? cursor.text.slice(open, cursor.at) : undefined;
  const isMapping = cursor.text[open] === "{";
  const entries = noEntries();
  const items: Tree[] = [];
  if (depth > DEEPEST) {
    tooDeep(cursor);
    cursor.lost = { at: open, closers: "", message: undefined };
  } else {
    cursor.at++;
    cursor.closers.push(isMapping ? "}" : "]");
    while (hasNextItem(cursor, parent, open)) {
      if (isMapping) {
        const entry = readEntry(cursor, parent, depth);
        if (entry !== undefined) addEntry(cursor, entries, entry);
      } else items.push(readItem(cursor, parent, depth));
      if (cursor.lost === undefined) separator(cursor, parent);
    }
    cursor.closers.pop();
  }
  return isMapping
    ? { kind: "mapping", entries: trimCapacity(entries.list), span: span(), written: written() }
    : { kind: "list", items: trimCapacity(items), span: span(), written: written() };
};

/** True if another item follows; otherwise the collection is closed, or reported as unclosed. */
const hasNextItem = (cursor: Cursor, parent: number, open: number): boolean => {
  const sign = cursor.text[open] ?? "";
  const closer = closers[sign] ?? "";
  for (;;) {
    if (cursor.lost === undefined && !toItem(cursor, parent))
      cursor.lost = { at: open, closers: "", message: `This ${sign} is never closed.` };
    if (cursor.lost !== undefined) {
      cursor.lost.closers += sign === "{" ? " }" : "]";
      return false;
    }
    const { at } = cursor;
    const character = cursor.text[at];
    if (character === closer) {
      cursor.at++;
      return false;
    }
    if (isCloser(character)) {
      mismatch(cursor, open, closer);
      return false;
    }
    if (character !== ",") return true;
    const removal = fix(cursor, at, at + 1, "");
    report(cursor, {
      code: "BAD_YAML",
      start: at,
      end: at + 1,
      message: "There is nothing before this comma.",
      hint: "Remove it.",
      ...removal,
    });
    cursor.at++;
  }
};

/** Maximum distance to search a line for closing brackets. */
const FAR = 2_000;

/** True if the rest of the line closes exactly what is open. */
const closesAll = (cursor: Cursor, from: number, open: readonly string[]): boolean => {
  const unclosed = [...open];
  for (let at = from; at < Math.min(cursor.end, from + FAR); at++) {
    const character = cursor.text[at] ?? "";
    if (Object.hasOwn(closers, character)) unclosed.push(closers[character] ?? "");
    else if (isCloser(character) || character === ")") {
      if (unclosed.pop() !== character) return false;
      if (unclosed.length === 0) return /^[ \t]*(?:#|$)/u.test(cursor.text.slice(at + 1, cursor.end));
    }
  }
  return false;
};

/** A closing character of the wrong kind: either a typo, or the right one is missing before it. */
const mismatch = (cursor: Cursor, open: number, closer: string): void => {
  const { at } = cursor;
  const around = cursor.closers.slice(0, -1);
  const written = cursor.text[at] ?? "";
  const endsHere = around.length === 0 && /^[ \t]*(?:#|$)/u.test(cursor.text.slice(at + 1, cursor.end));
  const replaces = endsHere || closesAll(cursor, at + 1, around);
  let edit = replaces ? fix(cursor, at, at + 1, closer) : {};
  if (!replaces && closesAll(cursor, at, around)) {
    const end = at - countBlanksBefore(cursor, at, open);
    edit = fix(cursor, end, end, closer === "}" ? " }" : closer);
  }
  const message = `This ${cursor.text[open]} is never closed, because ${written} closes something else.`;
  report(cursor, {
    code: "NOT_CLOSED",
    start: open,
    end: open + 1,
    message,
    hint: `Close it with ${closer} where it ends.`,
    ...edit,
  });
  if (replaces || !around.includes(written)) cursor.at++;
};

/** Moves to the next item, across comments and line ends; false if there is none. */
const toItem = (cursor: Cursor, parent: number): boolean => {
  skipBlanks(cursor);
  if (!isAtLineEnd(cursor)) return true;
  const { row } = cursor;
  nextLine(cursor);
  if (!isDone(cursor) && cursor.indent > parent) return true;
  if (!isDone(cursor) && cursor.indent === parent && isCloser(cursor.text[cursor.at])) {
    const { at } = cursor;
    // Only the outermost closing character may be at the key's own indentation.
    if (cursor.closers.length > 1)
      report(cursor, {
        code: "BAD_INDENT",
        start: at,
        end: at + 1,
        message: "This line closes a nested value, so it must be indented.",
        hint: "Indent it with two spaces.",
        ...fix(cursor, at, at, "  "),
      });
    return true;
  }
  goTo(cursor, row);
  cursor.at = cursor.end;
  return false;
};

/** Consumes the comma between two items. A missing comma at the end of a line is reported. */
const separator = (cursor: Cursor, parent: number): void => {
  const { row, at } = cursor;
  if (!toItem(cursor, parent)) return;
  if (cursor.text[cursor.at] === ",") cursor.at++;
  else if (cursor.row !== row && !isCloser(cursor.text[cursor.at]))
    report(cursor, {
      code: "BAD_YAML",
      start: Math.max(at - 1, 0),
      end: at,
      message: "A comma is missing after this.",
      hint: "Write a comma between two items.",
    });
};

/** `key: value`, or a lone key. */
const readEntry = (cursor: Cursor, parent: number, depth: number): Entry | undefined => {
  const { at: start } = cursor;
  const key = readNode(cursor, parent, depth, "key");
  if (cursor.lost !== undefined) return undefined;
  const isPair = takesColon(cursor, key);
  if (key.kind !== "scalar" || (isPair && key.text === "")) {
    const hint = "Put a text that begins with a brace in quotes, and write a word before a colon.";
    report(cursor, {
      code: "BAD_YAML",
      start,
      end: Math.max(start + 1, key.span.end),
      message: "A key must be a word.",
      hint,
    });
    if (isPair) readPaired(cursor, parent, depth);
    return undefined;
  }
  if (isPair) return { key, value: readPaired(cursor, parent, depth) };
  const glued = key.quoted ? undefined : /^[A-Za-z_][\w ]*(?=:[^/\s:])/u.exec(key.text)?.[0];
  if (glued === undefined) return { key, value: emptyValueAt(cursor, key.span.end), alone: true };
  const colon = start + glued.length;
  noSpace(cursor, colon);
  return { key: plainScalar(cursor, start, colon), value: plainScalar(cursor, colon + 1, key.span.end) };
};

/** Reports a colon without the space that would make it the end of a key. */
export const noSpace = (cursor: Cursor, colon: number): void =>
  report(cursor, {
    code: "BAD_YAML",
    start: colon,
    end: colon + 1,
    message: "A space is missing after this colon.",
    hint: "Write a space between a key and its value.",
    ...fix(cursor, colon + 1, colon + 1, " "),
  });

/** Consumes the colon after a key. */
const takesColon = (cursor: Cursor, key: Tree): boolean => {
  const { at } = cursor;
  skipBlanks(cursor);
  const isColon = cursor.at < cursor.end && cursor.text[cursor.at] === ":";
  const ends = key.kind !== "scalar" || key.quoted || endsItem(cursor, cursor.at + 1);
  cursor.at = isColon && ends ? cursor.at + 1 : at;
  return isColon && ends;
};

/** The value after a key's colon. */
const readPaired = (cursor: Cursor, parent: number, depth: number): Tree => {
  const { at: colon } = cursor;
  if (!toItem(cursor, parent) || cursor.text[cursor.at] === "," || isCloser(cursor.text[cursor.at]))
    return emptyValueAt(cursor, colon);
  return readNode(cursor, parent, depth, "value");
};

/** An item of a list; `[a: b]` contains a mapping with one entry. */
const readItem = (cursor: Cursor, parent: number, depth: number): Tree => {
  const { at: start } = cursor;
  const key = readNode(cursor, parent, depth, "item");
  if (cursor.lost !== undefined || key.kind !== "scalar" || !takesColon(cursor, key)) return key;
  const value = readPaired(cursor, parent, depth);
  return {
    kind: "mapping",
    entries: [{ key, value }],
    span: spanBetween(cursor, start, value.span.end),
    written: undefined,
  };
};

/** Reports a dash, which cannot start a list inside brackets or braces. */
const strayDash = (cursor: Cursor): void => {
  const { at } = cursor;
  cursor.at++;
  skipBlanks(cursor);
  const removal = fix(cursor, at, cursor.at, "");
  report(cursor, {
    code: "BAD_YAML",
    start: at,
    end: at + 1,
    message: "Lists in brackets or braces don’t use dashes.",
    hint: "Remove the dash.",
    ...removal,
  });
};

/** Reads a scalar, mapping or list, and stops where a comma, a closing character or a colon must follow. */
const readNode = (cursor: Cursor, parent: number, depth: number, part: Part): Tree => {
  const leading = classifyIndicator(cursor, false);
  if (leading?.kind === "feature") {
    skipFeature(cursor, leading.length);
    if (!toItem(cursor, parent) || isCloser(cursor.text[cursor.at]) || cursor.text[cursor.at] === ",")
      return { ...emptyValueAt(cursor, cursor.at), ...unread };
  }
  if (cursor.text[cursor.at] === "-" && endsItem(cursor, cursor.at + 1)) {
    strayDash(cursor);
    if (isAtLineEnd(cursor) || ",]}".includes(cursor.text[cursor.at] ?? "")) return emptyValueAt(cursor, cursor.at);
    return readNode(cursor, parent, depth, part);
  }
  const start = cursor.at;
  if (leading?.kind === "text") {
    const wholeNode = wholeItem(cursor, start, leading.message);
    if (wholeNode !== undefined) return wholeNode;
    const { span } = readPlain(cursor, part);
    return needsQuotes(
      cursor,
      { start, end: Math.max(span.end, start + 1) },
      { message: leading.message, certain: false },
    );
  }
  const sign = cursor.text[start];
  if (sign !== "{" && sign !== "[" && sign !== '"' && sign !== "'") return readPlain(cursor, part);

  const { row } = cursor;
  const { length: before } = cursor.findings;
  const isQuote = sign === '"' || sign === "'";
  const node = isQuote ? quotedScalar(cursor, parent) : readFlow(cursor, parent, depth + 1);
  if (node === undefined) return lostQuote(cursor, start);
  if (cursor.lost !== undefined || !textFollows(cursor, part)) return node;
  if (cursor.row !== row && isQuote) {
    // The quote closes only on a later line, with text after it, so its own closing quote is missing.
    goTo(cursor, row);
    return lostQuote(cursor, start);
  }
  if (beginsEntry(cursor, part)) {
    const { at } = cursor;
    skipBlanks(cursor);
    const hint = "Write a comma between two items.";
    report(cursor, {
      code: "BAD_YAML",
      start: cursor.at,
      end: cursor.at + 1,
      message: "A comma is missing before this.",
      hint,
      ...fix(cursor, at, at, ","),
    });
    return node;
  }
  const saved = cursor.findings.splice(before);
  const message = isQuote
    ? "There is text after the closing quote, so the whole value needs quotes."
    : `A text that begins with ${sign} needs quotes.`;
  const fullItem = cursor.row === row ? wholeItem(cursor, start, message) : undefined;
  if (fullItem !== undefined) return fullItem;
  cursor.findings.push(...saved);
  const { at } = cursor;
  report(cursor, {
    code: "BAD_YAML",
    start: at,
    end: cursor.end,
    message: "This does not belong to the value before it.",
    hint: "Write a comma, or put the whole value in quotes.",
  });
  cursor.lost = { at, closers: "", message: undefined };
  return node;
};

const lostQuote = (cursor: Cursor, start: number): Scalar => {
  cursor.at = start;
  const text = unclosedQuote(cursor, start, false);
  cursor.lost = { at: start, closers: "", message: undefined };
  return text;
};

/** True if the text after a node can neither separate nor close it. */
const textFollows = (cursor: Cursor, part: Part): boolean => {
  let at = cursor.at;
  while (at < cursor.end && isBlank(cursor.text[at])) at++;
  const next = cursor.text[at];
  if (at >= cursor.end || next === "," || isCloser(next)) return false;
  const isKey = part === "key" || (part === "item" && !isCloser(cursor.text[cursor.at - 1]));
  return !(next === "#" && at > cursor.at) && !(next === ":" && isKey);
};

/** True if the text after a node can only be the next entry or item, so that a comma is missing. */
const beginsEntry = (cursor: Cursor, part: Part): boolean => {
  const rest = cursor.text.slice(cursor.at, Math.min(cursor.end, cursor.at + 80));
  return part === "item" ? /^[ \t]*["'{[]/u.test(rest) : /^[ \t]+[a-z][a-z_ ]*: /iu.test(rest);
};

/** True if a key or value ends at an offset. */
const endsItem = (cursor: Cursor, offset: number): boolean =>
  endsWord(cursor, offset) || isFlowSign(cursor.text[offset]);

/** A plain scalar: up to a comma, a closing character, a comment, or the colon after a key. */
const readPlain = (cursor: Cursor, part: Part): Scalar => {
  const { text, at: start } = cursor;
  let depth = 0;
  let inQuotes: string | undefined;
  let at = start;
  for (; at < cursor.end; at++) {
    const character = text[at] ?? "";
    if (isPlainLetter(text.charCodeAt(at))) continue;
    if (isFlowSign(character)) break;
    if (character === ":" && endsItem(cursor, at + 1)) break;
    if (character === "#" && isBlank(text[at - 1])) break;
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === inQuotes) inQuotes = undefined;
    else if (inQuotes === undefined && (character === '"' || character === "'") && !isLetter(text[at - 1]))
      inQuotes = character;
  }
  const end = at - countBlanksBefore(cursor, at, start);
  const stop = at < cursor.end ? text[at] : undefined;
  const isWord = () => part !== "value" && !text.slice(start, end).includes(" ? ");
  const cut =
    (stop === "," && (depth > 0 || inQuotes !== undefined)) ||
    stop === "[" ||
    stop === "{" ||
    (stop === ":" && !isWord()) ||
    (stop === "#" && !endsWord(cursor, at + 1));
  if (!cut) {
    cursor.at = at;
    return plainScalar(cursor, start, end);
  }
  // The colon may also belong to the next entry if its comma is missing.
  const certain = stop !== ":" || isBlank(text[at - 1]);
  const sign =
    stop === "," ? "a comma" : stop === ":" ? "a colon" : stop === "#" ? "“#”, which starts a comment" : stop;
  const hint = certain
    ? "Put the whole value in quotes."
    : "Put the whole value in quotes, or write a comma before the next key.";
  const wholeNode = wholeItem(cursor, start, `Without quotes, this value ends at ${sign}.`, certain, hint);
  if (wholeNode !== undefined) return wholeNode;
  cursor.at = at;
  if (stop !== "," && stop !== "#") {
    report(cursor, {
      code: "NEEDS_QUOTES",
      start: at,
      end: at + 1,
      message: `Without quotes, this value ends at ${sign}.`,
      hint,
    });
    const comma = find(text, ",", at, cursor.end);
    cursor.at = comma < 0 ? cursor.end : comma;
    return { ...plainScalar(cursor, start, end), ...unread };
  }
  return plainScalar(cursor, start, end);
};

/**
 * The extent of an item that contains a special character: up to the next comma or closing character outside its own
 * parentheses, brackets and quotes. Undefined if there is none on the line.
 */
const wholeItem = (
  cursor: Cursor,
  start: number,
  message: string,
  certain = true,
  hint = "Put the whole value in quotes.",
): Scalar | undefined => {
  if (cursor.unbalanced >= cursor.end) return undefined;
  const { text } = cursor;
  const opened: string[] = [];
  let noQuote = "";
  let at = start;
  for (; at < cursor.end; at++) {
    const character = text[at] ?? "";
    if (opened.length === 0 && (character === "," || isCloser(character))) break;
    if (character === '"' || character === "'") {
      if (noQuote.includes(character) || (at > start && isLetter(text[at - 1]))) continue;
      const close = closingQuote(cursor, at);
      if (close < 0) noQuote += character;
      else at = close;
    } else if (Object.hasOwn(closers, character)) opened.push(closers[character] ?? "");
    else if (character === opened[opened.length - 1]) opened.pop();
  }
  if (at >= cursor.end) {
    cursor.unbalanced = cursor.end;
    return undefined;
  }
  const end = at - countBlanksBefore(cursor, at, start);
  return end > start ? needsQuotes(cursor, { start, end }, { message, certain, hint }) : undefined;
};

const closingQuote = (cursor: Cursor, start: number): number => {
  const { text } = cursor;
  for (let at = start + 1; at < cursor.end; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start]) return at;
  }
  return -1;
};
