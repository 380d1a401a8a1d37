import { dateAt, getZone, instantAt } from "../../expression/values/calendar.ts";

/** The days of a schedule: every day, Mondays to Fridays, a day of the week, or the first day of each month. */
export const scheduleDays = [
  "day",
  "working day",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
  "month",
] as const;
export type ScheduleDays = (typeof scheduleDays)[number];

/** Days, and a time of these days: `{ days: "monday", time: "08:00" }`. */
export interface Schedule {
  readonly days: ScheduleDays;
  readonly time: string;
}

const weekdays: readonly ScheduleDays[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

const DAY_MS = 86_400_000;

/** True if the schedule has this day, counted from 1970-01-01. */
const hasDay = ({ days }: Schedule, day: number): boolean => {
  const date = new Date(day * DAY_MS);
  const weekday = date.getUTCDay();
  switch (days) {
    case "day":
      return true;
    case "working day":
      return weekday >= 1 && weekday <= 5;
    case "month":
      return date.getUTCDate() === 1;
    default:
      return weekdays[weekday] === days;
  }
};

/** The newest time of a schedule that is not after an instant. A time that a change of clocks skips is an hour later. */
export const findNewestTime = (schedule: Schedule, now: Date, timezone: string): Date => {
  const zone = getZone(timezone);
  const [hours = 0, minutes = 0] = schedule.time.split(":").map(Number);
  const today = Date.parse(`${dateAt(now.toISOString(), zone) ?? now.toISOString().slice(0, 10)}T00:00:00Z`) / DAY_MS;
  for (let day = today; day >= today - 31; day--) {
    const instant = hasDay(schedule, day) ? instantAt(day, hours * 60 + minutes, zone) : Number.POSITIVE_INFINITY;
    if (instant <= now.getTime()) return new Date(instant);
  }
  throw new Error("every schedule has a day in a month");
};
