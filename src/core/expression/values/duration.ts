/**
 * A length of time in three parts that do not convert into each other: a month has no fixed number of days, and a day
 * does not always have 24 hours. Weeks are stored as days, years as months, and shorter units as elapsed time.
 */
export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly milliseconds: number;
}

/** The parts of one of each unit. `14 days` are calendar days in the document's zone; `336 hours` are elapsed time. */
export const units = {
  year: { months: 12 },
  month: { months: 1 },
  week: { days: 7 },
  day: { days: 1 },
  hour: { milliseconds: 3_600_000 },
  minute: { milliseconds: 60_000 },
  second: { milliseconds: 1_000 },
} satisfies Record<string, Partial<Duration>>;

/** The unit that a singular or plural word names, such as `day` for `days`. */
export const parseUnit = (word: string): keyof typeof units | undefined =>
  Object.keys(units).find((unit): unit is keyof typeof units => word === unit || word === `${unit}s`);

/**
 * Maximum of each part: 250 years. Within it, no date leaves Postgres's calendar, and a double holds every value
 * exactly to the microsecond.
 */
const longest: Duration = { months: 3_000, days: 91_500, milliseconds: 91_500 * 86_400_000 };

/** The duration of a number of units; undefined if the number is not whole or the result is too long. */
export const toDuration = (count: number, unit: keyof typeof units): Duration | undefined => {
  const unitParts: Partial<Duration> = units[unit];
  const duration = {
    months: count * (unitParts.months ?? 0),
    days: count * (unitParts.days ?? 0),
    milliseconds: count * (unitParts.milliseconds ?? 0),
  };
  const fits = Number.isInteger(count) && count >= 0;
  return fits && isDurationInRange(duration) ? duration : undefined;
};

/** True if no part exceeds the maximum. */
export const isDurationInRange = ({ months, days, milliseconds }: Duration): boolean =>
  Math.abs(months) <= longest.months &&
  Math.abs(days) <= longest.days &&
  Math.abs(milliseconds) <= longest.milliseconds;

/** Parses a duration as written in point 9: `14 days`, `1 hour 30 minutes`. Undefined for any other text. */
export const parseDuration = (text: string): Duration | undefined => {
  const pattern = /^\s*(?:\d{1,15}\s+[a-z]+(?:\s+|$))+$/;
  if (!pattern.test(text)) return undefined;
  let sum: Duration | undefined = { months: 0, days: 0, milliseconds: 0 };
  for (const [, count, word] of text.matchAll(/(\d+)\s+([a-z]+)/g)) {
    const unit = parseUnit(word ?? "");
    const part = unit && toDuration(Number(count), unit);
    if (!part) return undefined;
    sum = add(sum, part);
  }
  return isDurationInRange(sum) ? sum : undefined;
};

const add = (a: Duration, b: Duration): Duration => ({
  months: a.months + b.months,
  days: a.days + b.days,
  milliseconds: a.milliseconds + b.milliseconds,
});

/** Postgres interval text: `0 mons 14 days 7200.5 secs`. */
export const toInterval = ({ months, days, milliseconds }: Duration): string =>
  `${months} mons ${days} days ${milliseconds / 1000} secs`;

/** Length in milliseconds for comparison. As in Postgres, a month counts as 30 days and a day as 24 hours. */
export const durationLength = ({ months, days, milliseconds }: Duration): number =>
  (months * 30 + days) * 86_400_000 + milliseconds;
