import type { Json } from "../wire/json.ts";
import {
  byWords,
  countCodePoints,
  entered,
  type FieldKind,
  type FieldSpec,
  type FieldUse,
  type ParsedValue,
  reject,
  stored,
} from "./kind.ts";

/** Maximum length of a line; `max` can lower it. */
const LONGEST_LINE = 1_000;
const LONGEST_TEXT = 100_000;

/** Postgres stores neither NUL nor lone surrogates. */
export const storable = (text: string): boolean => !/[\0\p{Cs}]/u.test(text);

const readUpTo =
  (longest: number, accepts: (text: string) => boolean) =>
  (json: Json, spec: FieldSpec): ParsedValue => {
    if (typeof json !== "string" || !storable(json)) return reject("WRONG_TYPE");
    const text = json.normalize("NFC");
    const max = Math.min(longest, spec.max === null ? longest : Number(spec.max));
    // A text has at least as many code units as code points, so most need not be counted.
    if (text.length > max && countCodePoints(text) > max) return reject("TOO_LONG", { max: String(max) });
    if (spec.min !== null && countCodePoints(text) < Number(spec.min)) return reject("TOO_SHORT", { min: spec.min });
    return accepts(text) ? stored(text) : reject("WRONG_TYPE");
  };

const shortText: FieldUse = { ...entered, names: true };

/** A text type with a maximum length and a pattern for each character or for the whole text. */
export const textKind = (
  longest: number,
  pattern: RegExp,
  fields: FieldUse = shortText,
  lists: FieldKind["lists"] = byWords,
): FieldKind => ({
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(longest, (text) => pattern.test(text)),
  bound: (written) => (/^\d{1,6}$/u.test(written) ? written : undefined),
  wire: ({ min, max }) => ({
    response: { type: "string" },
    request: {
      type: "string",
      minLength: Math.max(1, Number(min ?? 1)),
      maxLength: Math.min(longest, max === null ? longest : Number(max)),
      pattern: pattern.source,
    },
  }),
  refuses: ({ min }) => ["WRONG_TYPE", "TOO_LONG", ...(min === null ? [] : (["TOO_SHORT"] as const))],
  lists,
  fields,
});

export const text = textKind(LONGEST_LINE, /^[^\0\r\n]*$/u);

/** Long texts are not filtered by, only searched. */
const longLists = { ...byWords, sorts: "beginning", filters: false } as const;
const longFields: FieldUse = { ...entered, comparable: false };
export const longText = textKind(LONGEST_TEXT, /^[^\0]*$/u, longFields, longLists);
export const richText = textKind(LONGEST_TEXT, /^[^\0]*$/u, longFields, longLists);

export const email = textKind(254, /^[^\0\s@]+@[^\0\s@.]+(\.[^\0\s@.]+)+$/u);

/** Only addresses that are safe to follow: not `javascript:` and the like. */
export const url = textKind(2_000, /^[hH][tT][tT][pP][sS]?:\/\/[^\0\s/?#]+[^\0\s]*$/u);

export const phone = textKind(40, /^\+?[\d\s()./-]{3,}$/u);
