import { beyond, bounded, byText, type FieldKind, ordered, otherBounds, refused, stored } from "./kind.ts";

/** True if the date exists in the Gregorian calendar, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return year > 0 && day > 0 && day <= (month === 2 && isLeap ? 29 : (lengths[month - 1] ?? 0));
};

/** Days per month. */
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export const DAY = "(?!0000)\\d{4}-\\d{2}-\\d{2}";

export const date: FieldKind = {
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
