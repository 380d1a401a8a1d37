import { webAddress } from "./web-address.ts";

/**
 * A subset of Markdown: headings, lists, quotes and code blocks; bold, italic, code and links within lines. No HTML,
 * linear time, and anything else stays as written.
 */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly words: readonly Inline[] }
  | { readonly kind: "paragraph" | "quote"; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "bold" | "italic"; readonly words: readonly Inline[] }
  | { readonly kind: "link"; readonly to: string; readonly text: string };

const heading = /^(#{1,3}) +(.+?) *#*$/u;
const bullet = /^ {0,3}[-*+] +(.*)$/u;
const number = /^ {0,3}\d{1,9}[.)] +(.*)$/u;
const quote = /^ {0,3}> ?(.*)$/u;
const fence = /^```/u;

export const readMarks = (text: string): readonly Block[] => {
  const lines = text.split(/\r\n|\r|\n/u);
  const blocks: Block[] = [];
  let at = 0;
  /** Consumes consecutive lines that match a pattern, and returns what it captures. */
  const run = (pattern: RegExp): string[] => {
    const taken: string[] = [];
    for (let match = pattern.exec(lines[at] ?? ""); at < lines.length && match !== null; ) {
      taken.push(match[1] ?? "");
      at++;
      match = pattern.exec(lines[at] ?? "");
    }
    return taken;
  };
  const begins = (line: string) => [heading, bullet, number, quote, fence].some((pattern) => pattern.test(line));
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const title = heading.exec(line);
    if (line.trim() === "") at++;
    else if (fence.test(line)) {
      let end = at + 1;
      while (end < lines.length && !fence.test(lines[end] ?? "")) end++;
      blocks.push({ kind: "code", text: lines.slice(at + 1, end).join("\n") });
      at = end + 1;
    } else if (title) {
      blocks.push({ kind: "heading", level: (title[1]?.length ?? 1) as 1 | 2 | 3, words: readInline(title[2] ?? "") });
      at++;
    } else if (bullet.test(line)) blocks.push({ kind: "list", ordered: false, items: run(bullet).map(readInline) });
    else if (number.test(line)) blocks.push({ kind: "list", ordered: true, items: run(number).map(readInline) });
    else if (quote.test(line)) blocks.push({ kind: "quote", lines: run(quote).map(readInline) });
    else {
      const from = at;
      do at++;
      while (at < lines.length && (lines[at] ?? "").trim() !== "" && !begins(lines[at] ?? ""));
      blocks.push({ kind: "paragraph", lines: lines.slice(from, at).map(readInline) });
    }
  }
  return blocks;
};

/** Inline marks. Links may only lead to web and mail addresses. */
const written =
  /`([^`\n]+)`|\*\*((?:[^*\n]|\*(?!\*))+)\*\*|(?<![\p{L}\d*])\*([^*\s\n](?:[^*\n]*[^*\s\n])?)\*(?!\*)|(?<![\p{L}\d_])_([^_\s\n](?:[^_\n]*[^_\s\n])?)_(?![\p{L}\d_])|\[([^[\]\n]{1,500})\]\(((?:https?:\/\/|mailto:)[^\s()<>]{1,2000})\)/u;
const marks = new RegExp(`${written.source}|(${webAddress.source})`, "gu");

const readInline = (line: string): readonly Inline[] => {
  const words: Inline[] = [];
  let from = 0;
  for (const match of line.matchAll(marks)) {
    if (match.index > from) words.push({ kind: "text", text: line.slice(from, match.index) });
    from = match.index + match[0].length;
    const [, code, bold, italic, slanted, label, to, bare] = match;
    if (code !== undefined) words.push({ kind: "code", text: code });
    else if (bold !== undefined) words.push({ kind: "bold", words: readInline(bold) });
    else if (italic ?? slanted) words.push({ kind: "italic", words: readInline(italic ?? slanted ?? "") });
    else if (to !== undefined) words.push({ kind: "link", to, text: label ?? to });
    else if (bare !== undefined) words.push({ kind: "link", to: bare, text: bare });
  }
  if (from < line.length) words.push({ kind: "text", text: line.slice(from) });
  return words;
};

const plainInline = (words: readonly Inline[]): string =>
  words.map((word) => ("words" in word ? plainInline(word.words) : word.text)).join("");

/** The text without marks, on one line: for tables and titles. */
export const plainMarks = (text: string): string =>
  readMarks(text)
    .map((block) => {
      if (block.kind === "code") return block.text;
      if (block.kind === "heading") return plainInline(block.words);
      return (block.kind === "list" ? block.items : block.lines).map(plainInline).join(" ");
    })
    .join(" ")
    .replace(/\s+/gu, " ");
