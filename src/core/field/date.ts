import { beyond, bounded, byText, type FieldKind, ordered, otherBounds, refused, stored } from "./kind.ts";

/** Whether the day exists in the Gregorian calendar, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text);
  if (match === null || match[1] === "0000") return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
};

export const DAY = "(?!0000)\\d{4}-\\d{2}-\\d{2}";

export const date: FieldKind = {
  is: "a date",
  column: "date",
  type: () => ({ kind: "date" }),
  wire: (spec) => ({
    answers: { type: "string", format: "date" },
    takes: { type: "string", format: "date", pattern: `^${DAY}$`, ...otherBounds(spec) },
  }),
  refuses: bounded,
  bound: (written) => (isDate(written) ? written : undefined),
  read: (json, spec) => {
    if (typeof json !== "string" || !isDate(json)) return refused("WRONG_TYPE");
    return beyond(json, spec, byText) ?? stored(json);
  },
  lists: ordered,
  isKey: isDate,
};
