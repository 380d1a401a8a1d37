import { type Duration, isDurationInRange, parseDuration } from "./duration.ts";

const ISO =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,11})(?:\.(\d{1,3}))?S)?)?$/u;

/** Parses an ISO 8601 duration, `P1M14DT2H30M`. Undefined if it is invalid or longer than 250 years. */
const fromIso = (text: string): Duration | undefined => {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1, 8).map((part) => Number(part ?? 0));
  const duration = {
    months: (years ?? 0) * 12 + (months ?? 0),
    days: (weeks ?? 0) * 7 + (days ?? 0),
    milliseconds:
      (hours ?? 0) * 3_600_000 +
      (minutes ?? 0) * 60_000 +
      (seconds ?? 0) * 1_000 +
      Number((match[8] ?? "").padEnd(3, "0")),
  };
  return isDurationInRange(duration) ? duration : undefined;
};

/** Parses a duration in the document's notation, `14 days`, or in ISO 8601. */
export const readDuration = (text: string): Duration | undefined => fromIso(text) ?? parseDuration(text);

/**
 * Formats a duration as ISO 8601: `P14D`, `PT1H30M`, `PT0S`. A negative duration is prefixed with a sign; with mixed
 * signs, each negative part has one: `P1M-1D`. Negative durations are only computed, never entered.
 */
export const toIsoDuration = (duration: Duration): string => {
  const { months, days, milliseconds } = duration;
  if (Math.max(months, days, milliseconds) <= 0 && Math.min(months, days, milliseconds) < 0)
    return `-${toIsoDuration({ months: -months, days: -days, milliseconds: -milliseconds })}`;
  const part = (count: number, unit: string) => (count === 0 ? "" : `${count}${unit}`);
  const seconds = (milliseconds % 60_000) / 1_000;
  const date = `${part(Math.trunc(months / 12), "Y")}${part(months % 12, "M")}${part(days, "D")}`;
  const time = `${part(Math.trunc(milliseconds / 3_600_000), "H")}${part(Math.trunc(milliseconds / 60_000) % 60, "M")}${part(seconds, "S")}`;
  if (date === "" && time === "") return "PT0S";
  return `P${date}${time === "" ? "" : `T${time}`}`;
};
