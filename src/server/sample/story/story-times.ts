import {
  dayAt,
  fromDayNumber,
  instantAt,
  isoWeekday,
  splitDate,
  toDayNumber,
  type Zone,
} from "../../../core/expression/values/calendar.ts";

/** The start of the demonstration, to which all times of a story are relative. */
export interface StoryStart {
  readonly now: number;
  readonly zone: Zone;
}

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

const FRIDAY = 5;

/**
 * A day of a story, counted from 1970: `today`, `-3 days`, `+2 working days`, a day of the week of the start, such as
 * `friday` or `monday -2 weeks`, or a month and a day of the year of the start: `05-01`. Undefined if the text is none of these.
 */
const findStoryDay = (text: string, start: StoryStart): number | undefined => {
  const today = dayAt(start.now, start.zone);
  if (text === "today") return today;
  if (/^\d\d-\d\d$/u.test(text)) return toDayNumber(`${yearOf(start)}-${text}`);
  const [, sign, count, isWorking] = /^([+-])(\d+) (working )?days?$/u.exec(text) ?? [];
  if (count !== undefined) {
    const step = sign === "-" ? -1 : 1;
    return isWorking === undefined ? today + step * Number(count) : addWorkingDays(today, step, Number(count));
  }
  const [, name = "", weeks = "0"] = /^([a-z]+)(?: ([+-]\d+) weeks?)?$/u.exec(text) ?? [];
  const weekday = weekdays.indexOf(name);
  return weekday < 0 ? undefined : today - isoWeekday(today) + 1 + weekday + 7 * Number(weeks);
};

/** The year of the start, for texts that name it. */
export const yearOf = ({ now, zone }: StoryStart): number => splitDate(fromDayNumber(dayAt(now, zone)) ?? "").year;

const addWorkingDays = (from: number, step: 1 | -1, count: number): number => {
  let day = from;
  for (let remaining = count; remaining > 0; ) {
    day += step;
    if (isoWeekday(day) <= FRIDAY) remaining -= 1;
  }
  return day;
};

/** A day of a story as a date, `2026-06-15`, moved by some weeks. */
export const findStoryDate = (text: string, start: StoryStart, weeks: number): string | undefined => {
  const day = findStoryDay(text, start);
  return day === undefined ? undefined : (fromDayNumber(day + 7 * weeks) ?? undefined);
};

/**
 * A point in time: a day with a time, as in `-3 days 09:30`, or a distance from the start, as in `-20 minutes`. Distances
 * are rounded to five minutes, as people enter times. A day without a time takes `minute`, counted from midnight. All are
 * moved by some weeks.
 */
export const findStoryInstant = (
  text: string,
  start: StoryStart,
  { minute, weeks = 0 }: { readonly minute?: number; readonly weeks?: number },
): number | undefined => {
  const [, distance, unit] = /^([+-]\d+) (minute|hour)s?$/u.exec(text) ?? [];
  if (distance !== undefined) {
    const at = start.now + Number(distance) * (unit === "hour" ? 60 : 1) * MINUTE;
    return Math.floor(at / (5 * MINUTE)) * 5 * MINUTE + weeks * WEEK;
  }
  const [, day = text, hours, minutes] = /^(.*) (\d\d):(\d\d)$/u.exec(text) ?? [];
  const on = findStoryDay(day, start);
  const time = hours === undefined ? minute : Number(hours) * 60 + Number(minutes);
  return on === undefined || time === undefined ? undefined : instantAt(on + 7 * weeks, time, start.zone);
};
