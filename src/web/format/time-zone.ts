import { getZone, localToInstant as momentIn, wallClockAt } from "../../core/expression/values/calendar.ts";

/** Conversion between instants and local times, with the same code as rules. */

/** The local time of an instant: `{ day: "2026-12-03", time: "14:02" }`. */
export const toLocalTime = (instant: string, timezone: string): { readonly day: string; readonly time: string } =>
  wallClockAt(instant, getZone(timezone));

/** The instant of a local time, in wire format; null if out of range. */
export const localInstant = (day: string, time: string, timezone: string): string | null =>
  momentIn(day, time, getZone(timezone));

/** True unless clocks skip this time of the day, because they go forward then. */
export const isShownByClocks = (day: string, time: string, timezone: string): boolean => {
  const instant = localInstant(day, time, timezone);
  return instant === null || toLocalTime(instant, timezone).time === time.slice(0, 5);
};

/** Parses a time of day, or returns null: `14:02`, `9.30`, `1402`, `9`, `2 pm`. */
export const readTime = (typed: string): string | null => {
  const read = /^(\d{1,2})(?:[:.h\s]?(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.)?$/i.exec(typed.trim());
  if (!read) return null;
  const half = read[3]?.toLowerCase().startsWith("p") ? 12 : 0;
  const hour = read[3] ? (Number(read[1]) % 12) + half : Number(read[1]);
  const minute = Number(read[2] ?? 0);
  if (hour > 23 || minute > 59) return null;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
};
