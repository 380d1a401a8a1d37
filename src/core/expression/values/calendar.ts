import { memoizeByKey } from "../../util/memoize.ts";
import type { Duration } from "./duration.ts";

/**
 * Calendar arithmetic without a clock. Dates are `"2026-03-29"`, datetimes ISO 8601 in UTC with milliseconds; both lie
 * in the years 0001 to 9999, and a result outside that range is missing. Results equal those of Postgres to the
 * millisecond, including on days when clocks change.
 */

const dayLength = 86_400_000;

/** Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms"). */
const daysFrom = (year: number, month: number, day: number): number => {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
};

interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const toCivil = (days: number): Civil => {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
};

const first = daysFrom(1, 1, 1);
const last = daysFrom(9999, 12, 31);

const digits = (text: string, from: number, to: number): number => {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 48;
  return number;
};

/** Splits `"2026-03-29"` into numbers. */
export const splitDate = (date: string): Civil => ({
  year: digits(date, 0, 4),
  month: digits(date, 5, 7),
  day: digits(date, 8, 10),
});

/** Days from 1970-01-01 to the date. */
export const toDayNumber = (date: string): number =>
  daysFrom(digits(date, 0, 4), digits(date, 5, 7), digits(date, 8, 10));

/** The date that many days after 1970-01-01; null outside the calendar. */
export const fromDayNumber = (day: number): string | null => {
  if (!(day >= first && day <= last)) return null;
  const civil = toCivil(day);
  const pad = (number: number, width: number) => String(number).padStart(width, "0");
  return `${pad(civil.year, 4)}-${pad(civil.month, 2)}-${pad(civil.day, 2)}`;
};

/** Day of the week after ISO 8601: Monday is 1, Sunday is 7. */
export const isoWeekday = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** Adds months. A day that the target month lacks becomes its last day. */
const addMonths = (day: number, months: number): number => {
  if (months === 0) return day;
  const civil = toCivil(day);
  const count = civil.year * 12 + civil.month - 1 + months;
  const year = Math.floor(count / 12);
  const month = count - year * 12 + 1;
  const lastDay = daysFrom(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - daysFrom(year, month, 1);
  return daysFrom(year, month, Math.min(civil.day, lastDay));
};

/** The last day of the month that contains the day. */
export const endOfMonth = (day: number): number => addMonths(day - toCivil(day).day + 1, 1) - 1;

/** Periods of the calendar. A week begins on Monday. */
export type CalendarUnit = "week" | "month" | "quarter" | "year";

const quarterMonths = ["01", "04", "07", "10"] as const;

/** The first day of the period that contains the date. The first date of the calendar, 0001-01-01, is a Monday. */
export const firstOfUnit = (date: string, unit: CalendarUnit): string => {
  switch (unit) {
    case "week": {
      const day = toDayNumber(date);
      return fromDayNumber(day - isoWeekday(day) + 1) ?? date;
    }
    case "month":
      return `${date.slice(0, 7)}-01`;
    case "quarter":
      return `${date.slice(0, 5)}${quarterMonths[Math.ceil(Number(date.slice(5, 7)) / 3) - 1]}-01`;
    case "year":
      return `${date.slice(0, 4)}-01-01`;
  }
};

/** Adds a duration to a date: months, then days, then the whole days in its hours. Subtracts if `sign` is -1. */
export const addToDate = (date: string, { months, days, milliseconds }: Duration, sign: 1 | -1): string | null =>
  fromDayNumber(
    addMonths(toDayNumber(date), sign * months) + sign * days + Math.floor((sign * milliseconds) / dayLength),
  );

/** A time zone. */
export interface Zone {
  /** Offset from UTC in milliseconds at an instant. */
  readonly offsetAt: (instant: number) => number;
}

/** The rules of an IANA time zone. Offsets are cached by day, since each lookup costs microseconds. */
export const getZone = memoizeByKey((name): Zone => {
  let format: Intl.DateTimeFormat | undefined;
  const lookUpOffset = (instant: number): number => {
    format ??= new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    const offset = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/u.exec(format.format(instant));
    const [, sign, hours = 0, minutes = 0, seconds = 0] = offset ?? [];
    return (sign === "-" ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  };
  /** Offset by UTC day; NaN for a day on which it changes. */
  const days = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    const day = Math.floor(instant / dayLength);
    let offset = days.get(day);
    if (offset === undefined) {
      offset = lookUpOffset(day * dayLength);
      if (offset !== lookUpOffset((day + 1) * dayLength)) offset = Number.NaN;
      if (days.size >= 10_000) days.clear();
      days.set(day, offset);
    }
    return Number.isNaN(offset) ? lookUpOffset(instant) : offset;
  };
  return { offsetAt };
});

/** Local time of a zone at an instant, encoded as if it were UTC. */
const clockAt = (instant: number, zone: Zone): number => instant + zone.offsetAt(instant);

/**
 * The instant of a local time. As in Postgres, a time that a clock change skips uses the offset before the change, and
 * a time that occurs twice is the later one.
 */
const getInstant = (clock: number, zone: Zone): number => {
  const before = zone.offsetAt(clock - dayLength);
  const after = zone.offsetAt(clock + dayLength);
  const later = clock - after;
  return before === after || zone.offsetAt(later) === after ? later : clock - before;
};

const findInstantInZone = (instant: number): string | null =>
  instant >= first * dayLength && instant < (last + 1) * dayLength ? new Date(instant).toISOString() : null;

/**
 * Adds a duration to an instant: months and days by the zone's calendar, hours as elapsed time. Subtracts if `sign` is
 * -1.
 */
export const addToInstant = (datetime: string, duration: Duration, sign: 1 | -1, zone: Zone): string | null => {
  let instant = Date.parse(datetime);
  const byCalendar = (change: (day: number) => number): void => {
    const clock = clockAt(instant, zone);
    const day = Math.floor(clock / dayLength);
    instant = getInstant(clock + (change(day) - day) * dayLength, zone);
  };
  if (duration.months !== 0) byCalendar((day) => addMonths(day, sign * duration.months));
  if (duration.days !== 0) byCalendar((day) => day + sign * duration.days);
  return findInstantInZone(instant + sign * duration.milliseconds);
};

/** The local date of a zone at an instant. */
export const dateAt = (datetime: string, zone: Zone): string | null =>
  fromDayNumber(Math.floor(clockAt(Date.parse(datetime), zone) / dayLength));

/** The local day of a zone at an instant in milliseconds, as days since 1970-01-01, also outside the calendar. */
export const dayAt = (instant: number, zone: Zone): number => Math.floor(clockAt(instant, zone) / dayLength);

/** The instant, in milliseconds, at which clocks show this minute of a day. 1,440 is the midnight at its end. */
export const instantAt = (day: number, minute: number, zone: Zone): number =>
  getInstant(day * dayLength + minute * 60_000, zone);

/** An instant in milliseconds as a datetime; null outside the calendar. */
export const instantToText = (instant: number): string | null => findInstantInZone(instant);

/** Local date and time of a zone at an instant: `{ day: "2026-12-03", time: "14:02" }`. */
export const wallClockAt = (datetime: string, zone: Zone): { readonly day: string; readonly time: string } => {
  const clock = clockAt(Date.parse(datetime), zone);
  const day = Math.min(Math.max(Math.floor(clock / dayLength), first), last);
  return { day: fromDayNumber(day) ?? "", time: new Date(clock).toISOString().slice(-13, -8) };
};

/** Local date and time with seconds, as one text: `2026-12-03 14:02:05`. */
export const localTimeAt = (datetime: string, zone: Zone): string => {
  const { day, time } = wallClockAt(datetime, zone);
  return `${day} ${time}:${new Date(clockAt(Date.parse(datetime), zone)).toISOString().slice(-7, -5)}`;
};

/** The instant of a local date and time (`"14:02"` or `"14:02:33"`) as a datetime; null outside the calendar. */
export const localToInstant = (date: string, time: string, zone: Zone): string | null => {
  const clock = toDayNumber(date) * dayLength + Date.parse(`1970-01-01T${time}Z`);
  return findInstantInZone(getInstant(clock, zone));
};

/**
 * The first instant of a local day as a datetime; null outside the calendar. Where clocks go back to midnight, the day has
 * two, and begins with the earlier one.
 */
export const startOfDay = (date: string, zone: Zone): string | null => {
  const clock = toDayNumber(date) * dayLength;
  const [one, other] = [clock - zone.offsetAt(clock - dayLength), clock - zone.offsetAt(clock + dayLength)];
  const earlier = Math.min(one, other);
  return findInstantInZone(clockAt(earlier, zone) >= clock ? earlier : Math.max(one, other));
};

/** True for a date that exists, such as `"2026-03-29"`. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/u.test(text) && fromDayNumber(toDayNumber(text)) === text;

/** Normalizes a time of day to `hh:mm:ss`; undefined if the text is not a time. */
export const normalizeTime = (text: string): string | undefined => [text, `${text}:00`].find(isTime);

/** True for a time of day such as `"08:30:00"`. */
const isTime = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/u.test(text);

/**
 * Normalizes a datetime with an offset to UTC with milliseconds; undefined if the text is not a datetime or its date
 * does not exist.
 */
export const normalizeDatetime = (text: string): string | undefined => {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/u.exec(text);
  const instant = match && isDate(match[1] ?? "") ? Date.parse(text) : Number.NaN;
  return (Number.isNaN(instant) ? undefined : findInstantInZone(instant)) ?? undefined;
};
