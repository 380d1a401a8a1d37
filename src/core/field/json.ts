import type { Json } from "../wire/json.ts";
import { entered, type FieldKind, reject, stored } from "./kind.ts";
import { isExact } from "./number.ts";
import { storable } from "./text.ts";

/** Maximum length as text; anything larger is a file. */
const LONGEST = 100_000;
const DEEPEST = 50;

/** True if Postgres and JavaScript represent the value identically: no NUL, no lone surrogate, no rounded number. */
const isRepresentable = (json: Json, depth: number): boolean => {
  if (typeof json === "string") return storable(json);
  if (typeof json === "number") return isExact(json);
  if (typeof json !== "object" || json === null) return true;
  if (depth === DEEPEST) return false;
  if (Array.isArray(json)) return (json as readonly Json[]).every((json) => isRepresentable(json, depth + 1));
  return Object.entries(json).every(([key, value]) => storable(key) && isRepresentable(value, depth + 1));
};

/** Any JSON value. Postgres determines the order of members. */
export const json: FieldKind = {
  column: "jsonb",
  type: () => ({ kind: "json" }),
  read: (value) => {
    if (!isRepresentable(value, 0)) return reject("WRONG_TYPE");
    const text = JSON.stringify(value);
    return text.length > LONGEST ? reject("TOO_LONG", { max: String(LONGEST) }) : stored(text);
  },
  answer: (value) => value as Json,
  refuses: () => ["WRONG_TYPE", "TOO_LONG"],
  wire: () => ({ response: {}, request: {} }),
  lists: { sorts: false, filters: false, searches: false },
  fields: { ...entered, many: false, suggestions: false, comparable: false },
};
