import {
  addToDate,
  toDayNumber as dayNumber,
  endOfMonth,
  fromDayNumber,
  isoWeekday,
} from "../../core/expression/values/calendar.ts";

/** `2026-12-03` as midnight UTC, for `Intl`. */
export const toUtcDate = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Clamps to the supported range, up to 31 December 9999. */
const orLimit = (day: string | null, by: number): string => day ?? (by < 0 ? "0001-01-01" : "9999-12-31");

export const addDays = (day: string, by: number): string => orLimit(fromDayNumber(dayNumber(day) + by), by);

/** The following day, or null after the last. */
export const dayAfter = (day: string): string | null => fromDayNumber(dayNumber(day) + 1);

/** The day of the month in another month, or its last day if that month is shorter. */
export const addMonths = (day: string, by: number): string =>
  orLimit(addToDate(day, { months: by, days: 0, milliseconds: 0 }, 1), by);

/** Day of the week, from 1 Monday to 7 Sunday. */
export const getWeekday = (day: string): number => isoWeekday(dayNumber(day));

/** Last day of a date's month. */
export const lastOfMonth = (day: string): string => orLimit(fromDayNumber(endOfMonth(dayNumber(day))), 1);

/** First day of the week in the locale, from 1 Monday to 7 Sunday. */
export const weekStart = (locale: string): number => {
  try {
    const intlLocale = new Intl.Locale(locale) as Intl.Locale & {
      getWeekInfo?: () => { firstDay: number };
      weekInfo?: { firstDay: number };
    };
    return intlLocale.getWeekInfo?.().firstDay ?? intlLocale.weekInfo?.firstDay ?? 1;
  } catch {
    return 1;
  }
};

/** The week of a date. */
export const getWeek = (day: string, firstDay: number): readonly string[] => {
  const start = addDays(day, -((getWeekday(day) - firstDay + 7) % 7));
  return Array.from({ length: 7 }, (_, at) => addDays(start, at));
};

/** The complete weeks that a month view shows for a date, at least `fewest`. */
export const getWeeks = (day: string, firstDay: number, fewest = 0): readonly (readonly string[])[] => {
  const first = getWeek(`${day.slice(0, 7)}-01`, firstDay);
  const start = first[0] ?? day;
  const weeks = Math.ceil((dayNumber(lastOfMonth(day)) - dayNumber(start) + 1) / 7);
  return Array.from({ length: Math.max(weeks, fewest) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => addDays(start, 7 * week + at)),
  );
};
