import {
  addToDate,
  toDayNumber as dayNumber,
  endOfMonth,
  fromDayNumber,
  isDate,
  isoWeekday,
} from "../../core/expression/values/calendar.ts";
import { typedLocale } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { LocaleContext } from "./locale-context.ts";

const pad = (n: number, width = 2) => String(n).padStart(width, "0");

/** `YYYY-MM-DD`, or null for an impossible date (30 February). */
const toDay = (year: number, month: number, day: number): string | null => {
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  return isDate(date) ? date : null;
};

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

const plain = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase().replace(/\.$/, "");

const months = memoizeByKey((locale): readonly (readonly string[])[] => {
  const formats = (["long", "short"] as const).map(
    (month) => new Intl.DateTimeFormat(typedLocale(locale), { month, day: "numeric", timeZone: "UTC" }),
  );
  return Array.from({ length: 12 }, (_, month) =>
    formats.map((format) => {
      const parts = format.formatToParts(new Date(Date.UTC(2026, month, 15)));
      return plain(parts.find((part) => part.type === "month")?.value ?? "");
    }),
  );
});

/** The month, 1 to 12, whose name begins with a word, if there is exactly one: "dec", "décembre", "Dez". */
const parseMonth = (word: string, locale: string): number | null => {
  const typed = plain(word);
  if (typed.length < 3) return null;
  const names = months(locale);
  const exact = names.findIndex((forms) => forms.includes(typed));
  if (exact >= 0) return exact + 1;
  const matches = names.flatMap((forms, at) => (forms.some((form) => form.startsWith(typed)) ? [at + 1] : []));
  return matches.length === 1 ? (matches[0] ?? null) : null;
};

const weekdays = memoizeByKey((locale): readonly (readonly string[])[] => {
  const formats = (["long", "short"] as const).map(
    (weekday) => new Intl.DateTimeFormat(typedLocale(locale), { weekday, timeZone: "UTC" }),
  );
  // 4 January 1970 was a Sunday.
  return Array.from({ length: 7 }, (_, day) =>
    formats.map((format) => plain(format.format(new Date(Date.UTC(1970, 0, 4 + day))))),
  );
});

/** The weekday, 0 for Sunday, whose name begins with a word, if there is exactly one: "fri", "Freitag", "di". */
const findWeekday = (word: string, locale: string): number | null => {
  const typed = plain(word);
  if (!/^\p{L}{2,}$/u.test(typed)) return null;
  const matches = weekdays(locale).flatMap((forms, at) => (forms.some((form) => form.startsWith(typed)) ? [at] : []));
  return matches.length === 1 ? (matches[0] ?? null) : null;
};

type Part = "year" | "month" | "day";

/** Order of day, month and year in the locale. */
const dateOrder = memoizeByKey((locale): readonly Part[] =>
  new Intl.DateTimeFormat(typedLocale(locale), { year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date(0))
    .flatMap(({ type }) => (type === "year" || type === "month" || type === "day" ? [type] : [])),
);

const relativeIn = memoizeByKey((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));

const fullYear = (typed: string) => (typed.length <= 2 ? 2000 + Number(typed) : Number(typed));

/** The first letter of weeks: "w" in English and German, "s" in French. */
const weekLetter = memoizeByKey((locale) => {
  const weeks = new Intl.NumberFormat(locale, { style: "unit", unit: "week", unitDisplay: "narrow" });
  const unit = weeks.formatToParts(2).find(({ type }) => type === "unit");
  return plain(unit?.value ?? "").slice(0, 1);
});

/** "today" and neighbouring days in the locale's words, and offsets: "+7", "-1", "+2w". */
const relative = (typed: string, context: LocaleContext): string | null => {
  const from = context.countsFrom ?? context.today;
  const [, days, letter = ""] = /^([+-]\d{1,4}) ?(\p{L}?)$/u.exec(typed) ?? [];
  if (days !== undefined && letter === "") return addDays(from, Number(days));
  if (days !== undefined && plain(letter) === weekLetter(context.locale)) return addDays(from, 7 * Number(days));
  const words = relativeIn(context.locale);
  const by = [0, 1, -1].find((day) => plain(words.format(day, "day")) === plain(typed));
  if (by !== undefined) return addDays(context.today, by);
  const weekday = findWeekday(typed, context.locale);
  return weekday === null ? null : addDays(from, ((weekday - getWeekday(from) + 13) % 7) + 1);
};

/**
 * Parses a date as people type it, or returns null. With `en-GB`: `3.12.26`, `3/12/2026`, `3 dec`, `Thu 3 Dec 2026`,
 * `031226`, `2026-12-03`, `today`, `+7`, `+2w`, and `fri` for the next Friday; these count from `countsFrom`. Without a
 * year, the current one is assumed.
 */
export const readDate = (typed: string, context: LocaleContext): string | null => {
  const text = typed.trim().replace(/\s+/g, " ");
  if (text === "") return null;
  const relativeDay = relative(text, context);
  if (relativeDay) return relativeDay;

  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return toDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));

  const order = dateOrder(context.locale);
  const thisYear = context.today.slice(0, 4);
  const run = /^\d{6}$|^\d{8}$/.test(text) ? text : null;
  const pieces = run ? cut(run, order) : text.split(/[\s.,/\-年月日]+/).filter((piece) => piece !== "");

  const named = pieces.flatMap((piece, at) => {
    const month = /^\p{L}/u.test(piece) ? parseMonth(piece, context.locale) : null;
    return month === null ? [] : [{ at, month }];
  });
  const figures = pieces.filter((piece) => /^\d{1,4}$/.test(piece));
  const month = named.length === 1 ? named[0] : undefined;

  if (month) {
    const year = figures.find((figure) => figure.length === 4) ?? (figures.length === 2 ? figures[1] : thisYear);
    const day = figures.find((figure) => figure !== year);
    return day && figures.length <= 2 && year ? toDay(fullYear(year), month.month, Number(day)) : null;
  }
  if (figures.length !== pieces.length) return null;
  if (figures.length === 2) {
    const parts = order.filter((part) => part !== "year");
    return assemble(parts, figures, thisYear);
  }
  if (figures.length !== 3) return null;
  const yearFirst = figures[0]?.length === 4;
  return assemble(yearFirst ? ["year", "month", "day"] : order, figures, thisYear);
};

/** Splits `031226`; six digits mean a two-digit year. */
const cut = (run: string, order: readonly Part[]): readonly string[] => {
  let at = 0;
  return order.map((part) => {
    const width = part === "year" && run.length === 8 ? 4 : 2;
    at += width;
    return run.slice(at - width, at);
  });
};

const assemble = (parts: readonly Part[], figures: readonly string[], thisYear: string): string | null => {
  const of = (part: Part) => figures[parts.indexOf(part)];
  const [year, month, day] = [of("year") ?? thisYear, of("month"), of("day")];
  return month && day ? toDay(fullYear(year), Number(month), Number(day)) : null;
};

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
