import { isDate } from "../expression/values/calendar.ts";
import { DATE_PATTERN } from "./date.ts";
import { beyond, boundErrors, byRange, byText, entered, type FieldKind, otherBounds, reject, stored } from "./kind.ts";

/** Normalises an instant with its offset to UTC with milliseconds; undefined if it is invalid or out of range. */
export const findInstant = (written: string): string | undefined => {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/u.exec(written);
  const parsed = new Date(written);
  if (match === null || !isDate(match[1] ?? "") || Number.isNaN(parsed.getTime())) return undefined;
  const utc = parsed.toISOString();
  return isDate(utc.slice(0, 10)) ? utc : undefined;
};

/** An instant in milliseconds: accepted with any offset, stored and returned in UTC. */
export const datetime: FieldKind = {
  column: "timestamptz(3)",
  type: () => ({ kind: "datetime" }),
  wire: (spec) => ({
    response: { type: "string", format: "date-time" },
    request: {
      type: "string",
      format: "date-time",
      pattern: `^${DATE_PATTERN}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$`,
      ...otherBounds(spec),
    },
  }),
  refuses: boundErrors,
  // A date stands for its beginning in UTC.
  bound: (written) => (isDate(written) ? `${written}T00:00:00.000Z` : findInstant(written)),
  read: (json, spec) => {
    const instant = typeof json === "string" ? findInstant(json) : undefined;
    return instant === undefined ? reject("WRONG_TYPE") : (beyond(instant, spec, byText) ?? stored(instant));
  },
  answer: (value) => new Date(String(value)).toISOString(),
  lists: byRange,
  fields: entered,
  isKey: (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(text) &&
    isDate(text.slice(0, 10)) &&
    new Date(text).toISOString() === text,
};
