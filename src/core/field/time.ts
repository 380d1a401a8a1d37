import { beyond, boundErrors, byRange, byText, entered, type FieldKind, otherBounds, reject, stored } from "./kind.ts";

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/u;

/** Parses a time of day; seconds are optional. */
const parseTime = (written: string): string | undefined =>
  TIME.test(written) ? (written.length === 5 ? `${written}:00` : written) : undefined;

/** A time of day in seconds, without date and time zone. */
export const time: FieldKind = {
  column: "time(0)",
  type: () => ({ kind: "time" }),
  read: (json, spec) => {
    const value = typeof json === "string" ? parseTime(json) : undefined;
    return value === undefined ? reject("WRONG_TYPE") : (beyond(value, spec, byText) ?? stored(value));
  },
  bound: parseTime,
  refuses: boundErrors,
  wire: (spec) => ({
    response: { type: "string", pattern: "^\\d{2}:\\d{2}:\\d{2}$" },
    request: { type: "string", pattern: TIME.source, ...otherBounds(spec) },
  }),
  lists: byRange,
  fields: entered,
  isKey: (text) => parseTime(text) === text,
};
