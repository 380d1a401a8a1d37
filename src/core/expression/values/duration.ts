/**
 * A length of time in the three parts that cannot be turned into one another: a month is not a number of days, and a
 * day is not always 24 hours. Weeks are days, years are months, and everything shorter than a day is elapsed time.
 */
export interface Duration {
  readonly months: number;
  readonly days: number;
  readonly milliseconds: number;
}

/** What one of each unit is. `14 days` are calendar days in the document's zone; `336 hours` are elapsed time. */
export const units = {
  year: { months: 12 },
  month: { months: 1 },
  week: { days: 7 },
  day: { days: 1 },
  hour: { milliseconds: 3_600_000 },
  minute: { milliseconds: 60_000 },
  second: { milliseconds: 1_000 },
} satisfies Record<string, Partial<Duration>>;

/** The unit that a word names, in the singular or the plural. */
export const unitOf = (word: string): keyof typeof units | undefined =>
  Object.keys(units).find((unit): unit is keyof typeof units => word === unit || word === `${unit}s`);

/** No part of a duration is longer than 250 years: no date of ours then runs out of Postgres's calendar, nor does a
 * double out of its microseconds. */
const longest: Duration = { months: 3_000, days: 91_500, milliseconds: 91_500 * 86_400_000 };

/** So many of a unit, or undefined when that is no whole number or too long. */
export const durationOf = (count: number, unit: keyof typeof units): Duration | undefined => {
  const one: Partial<Duration> = units[unit];
  const duration = {
    months: count * (one.months ?? 0),
    days: count * (one.days ?? 0),
    milliseconds: count * (one.milliseconds ?? 0),
  };
  const fits = Number.isInteger(count) && count >= 0;
  return fits && isWithin(duration) ? duration : undefined;
};

/** Whether each part is at most a thousand years long. */
export const isWithin = ({ months, days, milliseconds }: Duration): boolean =>
  Math.abs(months) <= longest.months &&
  Math.abs(days) <= longest.days &&
  Math.abs(milliseconds) <= longest.milliseconds;

/**
 * A duration as point 9 writes it: `14 days`, `1 hour 30 minutes`. Undefined for anything else.
 */
export const parseDuration = (text: string): Duration | undefined => {
  const whole = /^\s*(?:\d{1,15}\s+[a-z]+(?:\s+|$))+$/;
  if (!whole.test(text)) return undefined;
  let sum: Duration | undefined = { months: 0, days: 0, milliseconds: 0 };
  for (const [, count, word] of text.matchAll(/(\d+)\s+([a-z]+)/g)) {
    const unit = unitOf(word ?? "");
    const part = unit && durationOf(Number(count), unit);
    if (!part) return undefined;
    sum = add(sum, part);
  }
  return isWithin(sum) ? sum : undefined;
};

const add = (a: Duration, b: Duration): Duration => ({
  months: a.months + b.months,
  days: a.days + b.days,
  milliseconds: a.milliseconds + b.milliseconds,
});

/** As Postgres reads it: `0 mons 14 days 7200.5 secs`. */
export const intervalOf = ({ months, days, milliseconds }: Duration): string =>
  `${months} mons ${days} days ${milliseconds / 1000} secs`;

/** Its length for comparison, as Postgres compares: a month counts 30 days, a day 24 hours. In milliseconds. */
export const lengthOf = ({ months, days, milliseconds }: Duration): number =>
  (months * 30 + days) * 86_400_000 + milliseconds;
