import { kept } from "./kept.ts";

/** Moments and the wall clock of a zone. A wall time that a clock change skips is read as the moment after it. */

const formatOf = kept(
  (timeZone) =>
    new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
);

const wallMs = (instant: number, timezone: string): number => {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
};

/** The wall clock at a moment: `{ day: "2026-12-03", time: "14:02" }`. */
export const wallOf = (instant: string, timezone: string): { readonly day: string; readonly time: string } => {
  const wall = new Date(wallMs(Date.parse(instant), timezone)).toISOString();
  return { day: wall.slice(0, 10), time: wall.slice(11, 16) };
};

/** The moment that a zone's wall clock shows a time, as it goes over the wire: UTC with milliseconds. */
export const momentOf = (day: string, time: string, timezone: string): string => {
  const wall = Date.parse(`${day}T${time}:00.000Z`);
  const offsetAt = (instant: number) => wallMs(instant, timezone) - instant;
  const before = offsetAt(wall);
  const after = offsetAt(wall - before);
  return new Date(wall - (before === after ? before : Math.min(before, after))).toISOString();
};

/** Reads a time of day as people type it, or null: `14:02`, `9.30`, `1402`, `9`, `2 pm`. */
export const readTime = (typed: string): string | null => {
  const read = /^(\d{1,2})(?:[:.h\s]?(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.)?$/i.exec(typed.trim());
  if (!read) return null;
  const half = read[3]?.toLowerCase().startsWith("p") ? 12 : 0;
  const hour = read[3] ? (Number(read[1]) % 12) + half : Number(read[1]);
  const minute = Number(read[2] ?? 0);
  if (hour > 23 || minute > 59) return null;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
};
