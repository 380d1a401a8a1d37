import { type PointNumber, parsePointNumber } from "../document/read.ts";

/** A key of a mapping, or an item of a list, on the way to a place in a block. */
export type Step = { readonly kind: "key"; readonly name: string } | { readonly kind: "item" };

/** A place in a block, which need not be complete: an author is typing there. */
export interface DocumentCursor {
  readonly point: PointNumber;
  readonly path: readonly Step[];
  /** The author writes a key of a mapping, or a value (which can become a mapping when a colon follows). */
  readonly slot: "key" | "value";
  /** Everything of the key or value before the cursor. */
  readonly before: string;
  /** The text of each mapping around the place, the innermost first: `list: Repair` says whose fields `columns` names. */
  readonly around: readonly string[];
  /** The keys that the innermost mapping has already. */
  readonly siblings: ReadonlySet<string>;
}

interface Open {
  readonly step: Step | undefined;
  readonly indent: number;
  /** Where its text begins; its end is looked for later. */
  readonly from: number;
  readonly flow?: "{" | "[";
}

const fence = /^\s*(```+|~~~+)\s*(\w*)/u;

/** The block of a point around an offset: its point, and the offsets of its first and last line. */
const blockAt = (
  text: string,
  offset: number,
): { readonly point: PointNumber; readonly start: number; readonly end: number } | undefined => {
  let point: PointNumber | 0 = 0;
  let start = -1;
  let isYaml = false;
  let at = 0;
  for (const line of text.split("\n")) {
    const end = at + line.length;
    const heading = start < 0 ? /^## +(.*)$/u.exec(line) : null;
    const mark = fence.exec(line);
    if (heading !== null) point = parsePointNumber(heading[1] ?? "");
    else if (mark !== null && start < 0) {
      start = end + 1;
      isYaml = /^ya?ml$/u.test(mark[2] ?? "");
    } else if (mark !== null) {
      if (isYaml && offset >= start && offset < at) return point === 0 ? undefined : { point, start, end: at };
      start = -1;
    }
    if (start < 0 && at > offset) return undefined;
    at = end + 1;
  }
  return start >= 0 && isYaml && point !== 0 && offset >= start ? { point, start, end: text.length } : undefined;
};

const keyAtStart = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s'"{}[\],#&*!|>%@`](?:[^{}[\],]|\{\w+\})*?):(?=\s|$)/u;
const plainKey = (written: string): string => written.replace(/^(["'])(.*)\1$/u, "$2");

/** Reads a value in brackets up to the end of a text, and keeps what is open there. Returns the rest that is no bracket. */
const readFlow = (text: string, offset: number, open: Open[]): string => {
  let begin = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
      continue;
    }
    const top = open.at(-1);
    if ((character === '"' || character === "'") && /^\s*$/u.test(text.slice(begin, at))) quote = character;
    else if (character === "{" || character === "[") {
      open.push({
        step: character === "[" ? { kind: "item" } : undefined,
        indent: -1,
        from: offset + at,
        flow: character,
      });
      begin = at + 1;
    } else if (character === "}" || character === "]") {
      while (open.length > 0) {
        const closed = open.pop();
        if (closed?.flow !== undefined) break;
      }
      begin = at + 1;
    } else if (character === ",") {
      if (top?.flow === undefined && top?.step?.kind === "key" && open.at(-2)?.flow === "{") open.pop();
      begin = at + 1;
    } else if (character === ":" && /[\s]|^$/u.test(text.charAt(at + 1)) && top?.flow === "{") {
      open.push({
        step: { kind: "key", name: plainKey(text.slice(begin, at).trim()) },
        indent: -1,
        from: offset + begin,
      });
      begin = at + 1;
    }
  }
  return text.slice(begin).replace(/^\s+/u, "");
};

const isOpenFlow = (text: string): boolean => {
  let depth = 0;
  for (const character of text.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/gu, ""))
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
  return depth > 0;
};

/** True for a text in quotation marks whose end is on a later line. */
const isOpenQuote = (text: string): boolean => /^(?:"(?:[^"\\]|\\.)*|'(?:[^']|'')*)$/u.test(text);

const QUOTED = /(?<=^|[\s{[,:(])(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/gu;

/** True if the text before a cursor ends in a comment. */
const endsInComment = (text: string, offset: number): boolean => {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /(?:^|\s)#/u.test(line.replaceAll(QUOTED, ""));
};

/** Reads the lines of a block up to the cursor; a line that is not finished is no obstacle. */
export const findCursor = (text: string, offset: number): DocumentCursor | undefined => {
  const block = blockAt(text, offset);
  if (block === undefined || endsInComment(text, offset)) return undefined;
  const open: Open[] = [{ step: undefined, indent: -1, from: block.start }];
  const lines = text.slice(block.start, offset).split("\n");
  let at = block.start;
  let rest = "";
  let slot: DocumentCursor["slot"] = "key";
  let scalar: number | undefined;
  /** A value in brackets that can go on, and what was open before it. */
  let flow: { readonly from: number; readonly open: readonly Open[] } | undefined;
  /** The indent of a text that can go on in lines that are indented more deeply. */
  let continued: number | undefined;
  lines.forEach((line, index) => {
    const isLast = index === lines.length - 1;
    const begin = at;
    at += line.length + 1;
    const indent = line.match(/^ */u)?.[0].length ?? 0;
    const body = line.slice(indent);
    if (scalar !== undefined && (line.trim() === "" ? !isLast : indent > scalar)) {
      rest = `${rest} ${body}`.trimStart();
      slot = "value";
      return;
    }
    scalar = undefined;
    if (flow !== undefined && isOpenFlow(text.slice(flow.from, begin))) {
      open.splice(0, open.length, ...flow.open);
      rest = readFlow(text.slice(flow.from, begin + line.length), flow.from, open);
      slot = open.at(-1)?.flow === "{" ? "key" : "value";
      return;
    }
    flow = undefined;
    const goesOn = continued !== undefined && indent > continued && line.trim() !== "";
    if (goesOn && (isOpenQuote(rest) || !(/^-(?:\s|$)/u.test(body) || keyAtStart.test(body)))) {
      rest = `${rest} ${body}`;
      return;
    }
    if (!isLast && (line.trim() === "" || line.trimStart().startsWith("#"))) return;
    while (open.length > 1 && ((open.at(-1)?.flow ?? "") !== "" || (open.at(-1)?.indent ?? -1) >= indent)) open.pop();
    let value = body;
    let column = indent;
    slot = "key";
    for (let dash = /^-(?:\s+|$)/u.exec(value); dash !== null; dash = /^-(?:\s+|$)/u.exec(value)) {
      open.push({ step: { kind: "item" }, indent: column, from: begin + column });
      value = value.slice(dash[0].length);
      column += dash[0].length;
      slot = "value";
    }
    const key = keyAtStart.exec(value);
    if (key !== null) {
      open.push({ step: { kind: "key", name: plainKey(key[1] ?? "") }, indent: column, from: begin + column });
      value = value.slice(key[0].length);
      column += key[0].length;
      slot = "value";
    }
    rest = value.replace(/^\s+/u, "");
    continued = slot === "value" && rest !== "" ? (open.at(-1)?.indent ?? indent) : undefined;
    if (slot === "value" && /^[|>][-+\d]*\s*$/u.test(rest)) {
      scalar = indent;
      continued = undefined;
      if (!isLast) rest = "";
    }
    if (/^[{[]/u.test(rest)) {
      flow = { from: begin + column, open: [...open] };
      continued = undefined;
      rest = readFlow(value, begin + column, open);
      slot = open.at(-1)?.flow === "{" ? "key" : "value";
    }
    // A list item or an empty value can become the key of a mapping.
    if (open.at(-1)?.step?.kind === "item" && slot === "value" && open.at(-1)?.flow === undefined) slot = "value";
  });
  const last = lines.at(-1) ?? "";
  const lastIndent = last.match(/^ */u)?.[0].length ?? 0;
  const around = open.toReversed().map((open) => regionOf(text, open, block.end));
  const inner = open.at(-1);
  return {
    point: block.point,
    path: open.flatMap(({ step }) => (step === undefined ? [] : [step])),
    slot,
    before: rest,
    around,
    siblings: slot === "key" && inner !== undefined ? keysOf(around[0] ?? "", inner, lastIndent) : new Set(),
  };
};

/** The text of a key in braces with its value. */
const flowEntry = (text: string): string => {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth < 0 || (depth === 0 && (character === "," || character === "\n"))) return text.slice(0, at);
  }
  return text;
};

/** The text of a mapping or list from its beginning to its end. */
const regionOf = (text: string, { step, from, indent, flow }: Open, end: number): string => {
  if (flow !== undefined) {
    const closing = text.slice(from, end);
    let depth = 0;
    for (let at = 0; at < closing.length; at++) {
      const character = closing.charAt(at);
      if (character === "{" || character === "[") depth++;
      else if ((character === "}" || character === "]") && --depth === 0) return closing.slice(0, at + 1);
      else if (character === "\n" && depth <= 1) return closing.slice(0, at);
    }
    return closing;
  }
  const region = text.slice(from, end);
  if (indent < 0) return step?.kind === "key" ? flowEntry(region) : region;
  const [first = "", ...more] = region.split("\n");
  const after = more.findIndex((line) => line.trim() !== "" && (line.match(/^ */u)?.[0].length ?? 0) <= indent);
  return [first, ...more.slice(0, after < 0 ? more.length : after)].join("\n");
};

const keysOf = (region: string, { flow, indent, step }: Open, column: number): ReadonlySet<string> => {
  if (flow === "{")
    return new Set(
      [
        ...region
          .slice(1)
          .replaceAll(/\{[^{}]*\}|\[[^[\]]*\]/gu, "")
          .matchAll(/(?:^|,)\s*([\w][\w ]*?):/gu),
      ].map(([, key]) => key ?? ""),
    );
  const lines = indent < 0 || step?.kind === "item" ? region : region.slice(region.indexOf("\n") + 1);
  return new Set(
    lines
      .split("\n")
      .flatMap((line) => new RegExp(`^(?: {${column}}|- )(\\S[^:]*):(?:\\s|$)`, "u").exec(line)?.[1] ?? []),
  );
};
