import type { FieldTypeName } from "../wire/entities.ts";
import { assigned, byRange, type FieldKind, reject, stored } from "./kind.ts";
import { parseNumber } from "./number.ts";
import { textKind } from "./text.ts";

/** A part of a pattern: literal text, part of the current date, or the number itself. */
export type SeriesPart =
  | string
  | { readonly of: "year" | "month" | "day" }
  | { readonly of: "number"; readonly width: number };

/** The default pattern: the number alone. */
export const PLAIN: readonly SeriesPart[] = [{ of: "number", width: 1 }];

/** Parses `LV-{year}-{n:5}`. Undefined if a brace is unknown or the number does not occur exactly once. */
export const readPattern = (text: string): readonly SeriesPart[] | undefined => {
  const parts: SeriesPart[] = [];
  for (const [part, word, width] of text.matchAll(/\{([a-z]+)(?::(\d{1,2}))?\}|[^{}]+|[{}]/gu)) {
    if (word === undefined) parts.push(part);
    else if (word === "n") parts.push({ of: "number", width: Math.max(1, Number(width ?? 1)) });
    else if ((word === "year" || word === "month" || word === "day") && width === undefined) parts.push({ of: word });
    else return undefined;
  }
  const braces = parts.some((part) => part === "{" || part === "}");
  const numbers = parts.filter((part) => typeof part === "object" && part.of === "number").length;
  return braces || numbers !== 1 ? undefined : parts;
};

/**
 * The text before and after the number on a given day. Each such pair has its own counter: numbering restarts every
 * year if the pattern contains the year.
 */
export interface Series {
  readonly before: string;
  readonly after: string;
  readonly width: number;
}

/** `today` is a date such as `2026-11-21`. */
export const seriesOn = (parts: readonly SeriesPart[], today: string): Series => {
  const at = parts.findIndex((part) => typeof part === "object" && part.of === "number");
  const number = parts[at];
  const words = (some: readonly SeriesPart[]): string => some.map((part) => getWords(part, today)).join("");
  return {
    before: words(parts.slice(0, at)),
    after: words(parts.slice(at + 1)),
    width: typeof number === "object" && number.of === "number" ? number.width : 1,
  };
};

const getWords = (part: SeriesPart, today: string): string => {
  if (typeof part === "string") return part;
  if (part.of === "year") return today.slice(0, 4);
  return part.of === "month" ? today.slice(5, 7) : part.of === "day" ? today.slice(8, 10) : "";
};

/** A number assigned by the program and formatted by its pattern. Users never enter it. */
export const sequence = textKind(200, /^[^\0\r\n]*$/u, assigned);

/** The number itself, without a pattern. Users never enter it. */
export const integerSequence: FieldKind = {
  column: "bigint",
  type: () => ({ kind: "integer" }),
  read: (json) => {
    const number = parseNumber(json, /^\d{1,16}$/u);
    return number === undefined || number.gt(Number.MAX_SAFE_INTEGER)
      ? reject("WRONG_TYPE")
      : stored(Number(number.toString()));
  },
  refuses: () => ["WRONG_TYPE"],
  wire: () => ({ response: { type: "integer" }, request: { type: "integer", maximum: Number.MAX_SAFE_INTEGER } }),
  lists: byRange,
  fields: assigned,
  isKey: (text) => /^-?\d{1,16}$/u.test(text),
};

/** True for types whose numbers the program assigns. */
export const isSequence = (type: FieldTypeName): boolean => type === "sequence" || type === "integer sequence";
