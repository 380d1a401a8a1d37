import type { Json } from "../wire.ts";
import { type FieldKind, type FieldSpec, lengthOf, type Reading, refused, stored } from "./kind.ts";

/** Longer than any line a person writes; `max` says less. */
const LONGEST_LINE = 1_000;
const LONGEST_TEXT = 100_000;

/** Postgres keeps neither NUL nor half a surrogate pair. */
const storable = (text: string): boolean => !/[\0\p{Cs}]/u.test(text);

const readUpTo =
  (longest: number, accepts: (text: string) => boolean) =>
  (json: Json, spec: FieldSpec): Reading => {
    if (typeof json !== "string" || !storable(json)) return refused("WRONG_TYPE");
    const text = json.normalize("NFC");
    const max = Math.min(longest, spec.max === null ? longest : Number(spec.max));
    if (lengthOf(text) > max) return refused("TOO_LONG", { max: String(max) });
    return accepts(text) ? stored(text) : refused("WRONG_TYPE");
  };

const oneLine = (text: string): boolean => !/[\r\n]/u.test(text);

export const text: FieldKind = {
  is: "one line of text",
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(LONGEST_LINE, oneLine),
};

export const longText: FieldKind = {
  is: "text",
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(LONGEST_TEXT, () => true),
};

export const email: FieldKind = {
  is: "an email address",
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(254, (given) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/u.test(given)),
};

/** Only what a browser may follow safely: `javascript:` and its kin are not addresses. */
export const url: FieldKind = {
  is: "a web address that begins with http:// or https://",
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(2_000, (given) => /^https?:\/\/[^\s/?#]+\S*$/iu.test(given)),
};

export const phone: FieldKind = {
  is: "a telephone number",
  column: "text",
  type: () => ({ kind: "text" }),
  read: readUpTo(40, (given) => /^\+?[\d\s()./-]{3,}$/u.test(given)),
};
