import {
  addToDate,
  type CalendarUnit,
  firstOfUnit,
  fromDayNumber,
  startOfDay,
  toDayNumber,
  type Zone,
} from "./calendar.ts";

/**
 * Periods that are relative to the day of the request, by which dates and datetimes are filtered: `due_day@=last_month`.
 * They have the meaning of the language's functions: `last_month` is `month_of(due_day) == month_of(today - 1 month)`.
 */
export const namedPeriods = [
  ...(["yesterday", "today", "tomorrow"] as const),
  ...(["last_week", "this_week", "next_week"] as const),
  ...(["last_month", "this_month", "next_month"] as const),
  ...(["last_quarter", "this_quarter", "next_quarter"] as const),
  ...(["last_year", "this_year", "next_year"] as const),
  ...(["past", "future", "overdue"] as const),
] as const;
export type NamedPeriod = (typeof namedPeriods)[number];

/** A name, or a number of days that end or begin with today: `last_7_days`, `next_30_days`. */
export type PeriodName = NamedPeriod | DaysPeriod;
export type DaysPeriod = `${"last" | "next"}_${number}_days`;

const numberOfDays = /^(last|next)_([1-9]\d{0,3})_days$/u;

/** For the description of a call. */
export const daysPattern = "^(?:last|next)_[1-9][0-9]{0,3}_days$";

/** The direction and the number of `last_7_days`; null for a named period. */
export const parseDaysPeriod = (
  name: string,
): { readonly direction: "last" | "next"; readonly count: number } | null => {
  const [, direction, count] = numberOfDays.exec(name) ?? [];
  return direction === undefined ? null : { direction: direction === "last" ? "last" : "next", count: Number(count) };
};

export const isPeriodName = (text: string): text is PeriodName =>
  numberOfDays.test(text) || (namedPeriods as readonly string[]).includes(text);

/** The days from `from` up to, but not including, `before`. Null for an end that is open. */
export interface PeriodBounds {
  readonly from: string | null;
  readonly before: string | null;
}

/** The days of a period, seen from a day. */
export const periodDays = (name: PeriodName, today: string): PeriodBounds => {
  const day = toDayNumber(today);
  const days = parseDaysPeriod(name);
  if (days !== null)
    return days.direction === "last" ? span(day - days.count + 1, day + 1) : span(day, day + days.count);
  const [which = "", unit] = name.split("_");
  if (unit !== undefined)
    return unitDays(unit as CalendarUnit, which === "last" ? -1 : which === "next" ? 1 : 0, today);
  switch (name) {
    case "yesterday":
      return span(day - 1, day);
    case "tomorrow":
      return span(day + 1, day + 2);
    case "past":
    case "overdue":
      return { from: null, before: today };
    case "future":
      return span(day + 1, Number.POSITIVE_INFINITY);
    default:
      return span(day, day + 1);
  }
};

/** The number of months of a period. */
export const monthsOf = { month: 1, quarter: 3, year: 12 } as const satisfies Record<
  Exclude<CalendarUnit, "week">,
  number
>;

/** No day is before itself. */
const NO_DAYS: PeriodBounds = { from: "2000-01-01", before: "2000-01-01" };

const FIRST = toDayNumber("0001-01-01");
const LAST = toDayNumber("9999-12-31");

/** Days outside the calendar do not exist. */
const span = (from: number, before: number): PeriodBounds =>
  from > LAST || before <= FIRST ? NO_DAYS : { from: fromDayNumber(from), before: fromDayNumber(before) };

const unitDays = (unit: CalendarUnit, by: -1 | 0 | 1, today: string): PeriodBounds => {
  const first = firstOfUnit(today, unit);
  if (unit === "week") return span(toDayNumber(first) + 7 * by, toDayNumber(first) + 7 * (by + 1));
  const move = (units: number) => addToDate(first, { months: monthsOf[unit] * units, days: 0, milliseconds: 0 }, 1);
  const [from, before] = [move(by), move(by + 1)];
  return from === null && by > 0 ? NO_DAYS : { from, before };
};

/** The moment of a request, and its day in the document's time zone. */
export interface Clock {
  readonly now: string;
  readonly today: string;
  readonly zone: Zone;
}

/** The moments of a period. A moment is past as soon as it is over, while a day is past when it ends. */
export const periodMoments = (name: PeriodName, { now, today, zone }: Clock): PeriodBounds => {
  if (name === "past" || name === "overdue") return { from: null, before: now };
  if (name === "future") return { from: new Date(Date.parse(now) + 1).toISOString(), before: null };
  const { from, before } = periodDays(name, today);
  const start = (day: string | null) => (day === null ? null : startOfDay(day, zone));
  return { from: start(from), before: start(before) };
};
