import { type Duration, durationLength, toInterval } from "../expression/values/duration.ts";
import { readDuration, toIsoDuration } from "../expression/values/iso-duration.ts";
import { beyond, boundErrors, byRange, entered, type FieldKind, otherBounds, reject, stored } from "./kind.ts";

const INTERVAL =
  /^(?:([+-]?\d+) years?)? ?(?:([+-]?\d+) mons?)? ?(?:([+-]?\d+) days?)? ?(?:([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?$/u;

/** Parses Postgres's format: `1 year 2 mons 14 days 02:00:00.5`. */
export const fromInterval = (text: string): Duration | undefined => {
  const match = text === "" ? null : INTERVAL.exec(text);
  if (match === null) return undefined;
  const [years, months, days, sign, hours, minutes, seconds, fraction] = match.slice(1);
  const elapsed =
    Number(hours ?? 0) * 3_600_000 +
    Number(minutes ?? 0) * 60_000 +
    Number(seconds ?? 0) * 1_000 +
    Math.floor(Number((fraction ?? "").padEnd(6, "0")) / 1_000);
  return {
    months: Number(years ?? 0) * 12 + Number(months ?? 0),
    days: Number(days ?? 0),
    milliseconds: sign === "-" ? 0 - elapsed : elapsed,
  };
};

const byLength = (duration: Duration, bound: string): number =>
  durationLength(duration) - durationLength(readDuration(bound) ?? duration);

/**
 * A duration in calendar units: months stay months, and a day is a calendar day. Only positive durations can be
 * entered. Comparison counts a month as 30 days and a day as 24 hours.
 */
export const duration: FieldKind = {
  column: "interval",
  type: () => ({ kind: "duration" }),
  read: (json, spec) => {
    const value = typeof json === "string" ? readDuration(json) : undefined;
    return value === undefined ? reject("WRONG_TYPE") : (beyond(value, spec, byLength) ?? stored(toInterval(value)));
  },
  answer: (value) => {
    const read = fromInterval(String(value));
    if (read === undefined) throw new Error(`not a duration of ours: ${String(value)}`);
    return toIsoDuration(read);
  },
  bound: (written) => {
    const read = readDuration(written);
    return read === undefined ? undefined : toIsoDuration(read);
  },
  refuses: boundErrors,
  wire: (spec) => ({
    response: { type: "string", format: "duration" },
    request: { type: "string", format: "duration", ...otherBounds(spec) },
  }),
  lists: byRange,
  fields: { ...entered, personal: false, suggestions: false },
  isKey: (text) => fromInterval(text) !== undefined,
};
