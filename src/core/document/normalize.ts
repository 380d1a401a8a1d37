import type { Edit, Source } from "../source-text.ts";
import { keysAllowedEverywhere } from "./shape/record.ts";
import type { Shape, ShapeForm } from "./shape.ts";
import { isNone, isNotShown, type List, type Mapping, type Scalar, type Tree } from "./tree.ts";

/** A form with its alternatives resolved. */
type Plain = Exclude<ShapeForm, { kind: "one of" | "later" }>;

/** All forms that a place accepts, with alternatives and deferred shapes resolved. */
const resolveForms = ({ form }: Shape<unknown>): readonly Plain[] => {
  if (form.kind === "later") return resolveForms(form.of());
  return form.kind === "one of" ? form.shapes.flatMap(resolveForms) : [form];
};

/** A name, a path of names, or a number. Such expressions are written without quotes. */
const isName = (text: string): boolean => /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(text);
const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/u.test(text);

/** A call or a number with a unit: quotes are optional. */
const isEither = (text: string): boolean => /^-?\d+ [a-z]+$/u.test(text) || isCall(text);

/** `name(…)` and nothing after it. */
const isCall = (text: string): boolean => {
  const open = text.indexOf("(");
  if (open < 0 || !isName(text.slice(0, open))) return false;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at === text.length - 1;
  }
  return false;
};

const countMatches = (text: string, pattern: RegExp): number => Array.from(text.matchAll(pattern)).length;

/** The text in the kind of quotes that needs fewer escapes. */
const inQuotes = (text: string): string => {
  const escapes = countMatches(text, /["\\]/gu);
  return escapes > 0 && escapes > countMatches(text, /'/gu)
    ? `'${text.replaceAll("'", "''")}'`
    : `"${text.replace(/["\\]/gu, "\\$&")}"`;
};

/** The preferred notation of a scalar in a place with these forms; undefined if the author may choose. */
const best = (scalar: Scalar, written: string, forms: readonly Plain[]): string | undefined => {
  const { text } = scalar;
  const isFixed = isNone(scalar) || isNotShown(scalar) || text === "none" || text === "not shown";
  // Leave multi-line texts and texts with escaped characters alone.
  if (isFixed || text === "" || /\n/u.test(written) || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u.test(text)) return undefined;
  if (forms.some(({ kind }) => kind === "text")) return undefined;
  if (forms.some(({ kind }) => kind === "expression")) {
    if (isName(text) || isNumber(text)) return text;
    return isEither(text) ? undefined : inQuotes(text);
  }
  return /^[\p{L}\p{N}_][\p{L}\p{N}_. ]*[\p{L}\p{N}_]$|^[\p{L}\p{N}_]$/u.test(text) ? text : undefined;
};

/**
 * Edits that normalise the merged blocks of a point: quotes around expressions that are more than a name, number or
 * call, and around no others; `{ type: date }` becomes `date` if `type` is the main key of the shape.
 */
export const normalizeTree = (tree: Tree, shape: Shape<unknown>, sources: readonly Source[]): readonly Edit[] => {
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const writtenAt = ({ span }: Tree): string => texts.get(span.file)?.slice(span.start, span.end) ?? "";
  const edits: Edit[] = [];

  const walk = (tree: Tree, forms: readonly Plain[]): void => {
    if (tree.kind === "scalar") {
      const text = best(tree, writtenAt(tree), forms);
      if (text !== undefined && text !== writtenAt(tree)) edits.push({ span: tree.span, text });
    } else if (tree.kind === "list") walkList(tree, forms);
    else walkMapping(tree, forms);
  };

  const walkList = ({ items }: List, forms: readonly Plain[]): void => {
    const [only, ...more] = forms.filter((form) => form.kind === "list");
    if (only !== undefined && more.length === 0) for (const item of items) walk(item, resolveForms(only.of));
  };

  const walkMapping = (tree: Mapping, forms: readonly Plain[]): void => {
    const [only, ...more] = forms.filter((form) => form.kind === "mapping" || form.kind === "keys");
    if (only === undefined || more.length > 0) return;
    if (only.kind === "keys") {
      const short = shortOf(tree, only, forms);
      if (short !== undefined) {
        edits.push({ span: tree.span, text: short });
        return;
      }
    }
    for (const { key, value } of tree.entries) {
      const of =
        only.kind === "mapping"
          ? (
              only.entries.find(({ keys }) => keys?.test(key.text)) ??
              only.entries.find(({ keys }) => keys === undefined)
            )?.of
          : findPart(only.parts, key.text);
      if (of !== undefined) walk(value, resolveForms(of));
    }
  };

  /** The value of a lone main key, if no other form would accept it without the key. */
  const shortOf = (tree: Mapping, { parts, main }: Plain & { kind: "keys" }, forms: readonly Plain[]) => {
    const [entry, ...more] = tree.entries;
    const shape = main === undefined ? undefined : parts[main]?.shape;
    if (tree.written === undefined || shape === undefined || entry === undefined || more.length > 0) return undefined;
    const { key, value } = entry;
    if (key.text !== main || value.kind !== "scalar" || isNone(value) || isNotShown(value)) return undefined;
    if (value.text === "" && !value.quoted) return undefined;
    // A value that its place does not accept is an error and stays as it is.
    let fits = true;
    shape.read(value, () => {
      fits = false;
    });
    const own = resolveForms(shape);
    const others = forms.filter((form) => form.kind !== "keys" && form.kind !== "list" && !own.includes(form));
    if (others.some((form) => form.kind !== "nothing" && !(form.kind === "word" && form.words.join() === "none")))
      return undefined;
    return fits ? (best(value, writtenAt(value), own) ?? writtenAt(value)) : undefined;
  };

  walk(tree, resolveForms(shape));
  return edits;
};

const findPart = (parts: (ShapeForm & { kind: "keys" })["parts"], key: string): Shape<unknown> | undefined => {
  if (Object.hasOwn(parts, key)) return parts[key]?.shape;
  return Object.hasOwn(keysAllowedEverywhere, key) ? keysAllowedEverywhere[key]?.shape : undefined;
};

/**
 * Edits that put one space inside braces, none inside brackets, and one after each comma. Other spaces are left to the
 * author, who may align columns.
 */
export const normalizeSpaces = (tree: Tree, text: string): readonly Edit[] => {
  const edits: Edit[] = [];
  const walk = (tree: Tree): void => {
    if (tree.kind === "scalar") return;
    const inner = tree.kind === "list" ? tree.items : tree.entries.flatMap(({ key, value }) => [key, value]);
    const { file, start, end } = tree.span;
    const opens = text[start];
    if (opens === "{" || opens === "[") {
      const edge = opens === "{" && inner.length > 0 ? " " : "";
      const first = skipBlanks(text, start + 1, end);
      const last = skipBlanksBack(text, end - 1, start);
      if (first === end - 1) replace(file, start + 1, first, "");
      else {
        if (!/[\r\n#]/u.test(text[first] ?? "")) replace(file, start + 1, first, edge);
        if (text[last - 1] !== "\n" && text[last - 1] !== "\r") replace(file, last, end - 1, edge);
      }
      const items = tree.kind === "list" ? tree.items : tree.entries.map(({ key }) => key);
      for (const item of items)
        if (text[item.span.start - 1] === ",") replace(file, item.span.start, item.span.start, " ");
    }
    inner.forEach(walk);
  };
  const replace = (file: string, start: number, end: number, by: string) => {
    if (text.slice(start, end) !== by) edits.push({ span: { file, start, end }, text: by });
  };
  walk(tree);
  return edits;
};

const skipBlanks = (text: string, from: number, end: number): number => {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t")) at++;
  return at;
};

const skipBlanksBack = (text: string, from: number, start: number): number => {
  let at = from;
  while (at > start + 1 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at;
};
