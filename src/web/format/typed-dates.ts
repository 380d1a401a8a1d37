import { isDate } from "../../core/expression/values/calendar.ts";
import { readDuration } from "../../core/expression/values/iso-duration.ts";
import { readDurationText } from "../../core/import/read-duration.ts";
import { typedLocale } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import { addDays, addMonths, getWeekday } from "./dates.ts";
import type { LocaleContext } from "./locale-context.ts";
import { readDecimal } from "./numbers.ts";

/** Parses a duration as people type it, or returns null. Its numbers are in the locale's notation. */
export const readTypedDuration = (typed: string, locale: string): string | null =>
  readDurationText(typed, locale, (figure) => readDecimal(figure, locale));

const pad = (n: number, width = 2) => String(n).padStart(width, "0");

/** `YYYY-MM-DD`, or null for an impossible date (30 February). */
const toDay = (year: number, month: number, day: number): string | null => {
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  return isDate(date) ? date : null;
};

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

/**
 * "next" as "next week" and "next month" have it, without the last letter, in which inflected forms differ: "prochaine",
 * "prochain".
 */
const nextStems = memoizeByKey((locale): readonly string[] => {
  const wordsOf = (unit: "week" | "month") => relativeIn(locale).format(1, unit).split(" ").map(plain);
  const stems = wordsOf("week").map((word) => word.slice(0, -1));
  return stems.filter((stem) => stem.length > 2 && wordsOf("month").some((word) => word.startsWith(stem)));
});

/**
 * "next monday", "nächsten Montag", "lundi prochain": the weekday of the next week, which begins on a Monday. By itself
 * the name of a weekday means the next such day, which can be in this week.
 */
const readNextWeekday = (typed: string, { today, locale }: LocaleContext): string | null => {
  const words = typed.split(" ").map(plain);
  const names = words.filter((word) => !nextStems(locale).some((stem) => word.startsWith(stem)));
  const weekday = words.length === 2 && names.length === 1 ? findWeekday(names[0] ?? "", locale) : null;
  const fromMonday = (day: number) => (day + 6) % 7;
  return weekday === null ? null : addDays(today, 7 - fromMonday(getWeekday(today)) + fromMonday(weekday));
};

type Part = "year" | "month" | "day";

/** Order of day, month and year in the locale. */
const dateOrder = memoizeByKey((locale): readonly Part[] =>
  new Intl.DateTimeFormat(typedLocale(locale), { year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date(0))
    .flatMap(({ type }) => (type === "year" || type === "month" || type === "day" ? [type] : [])),
);

const relativeIn = memoizeByKey((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const distanceIn = memoizeByKey((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "always" }));

const fullYear = (typed: string) => (typed.length <= 2 ? 2000 + Number(typed) : Number(typed));

/** The first letter of weeks: "w" in English and German, "s" in French. */
const weekLetter = memoizeByKey((locale) => {
  const weeks = new Intl.NumberFormat(locale, { style: "unit", unit: "week", unitDisplay: "narrow" });
  const unit = weeks.formatToParts(2).find(({ type }) => type === "unit");
  return plain(unit?.value ?? "").slice(0, 1);
});

const spanUnits = ["day", "week", "month", "year"] as const;

/** "in 2 weeks", "2 weeks ago": in the locale's words, which can inflect the unit ("in 2 Wochen"). */
const readDistance = (typed: string, from: string, { locale }: LocaleContext): string | null => {
  const [figure] = /\d{1,4}/u.exec(typed) ?? [];
  if (figure === undefined) return null;
  const at = plain(typed);
  for (const by of [Number(figure), -Number(figure)]) {
    const unit = spanUnits.find((one) => plain(distanceIn(locale).format(by, one)) === at);
    if (unit === "day" || unit === "week") return addDays(from, unit === "week" ? 7 * by : by);
    if (unit !== undefined) return addMonths(from, unit === "year" ? 12 * by : by);
  }
  return null;
};

/**
 * "2 weeks", "10 days", "1 month". The last day of a period belongs to it: two weeks from Monday end on a Sunday.
 */
const readLength = (typed: string, from: string, context: LocaleContext): string | null => {
  const iso = readTypedDuration(typed, context.locale);
  const length = iso === null ? undefined : readDuration(iso);
  if (length === undefined || length.milliseconds !== 0 || length.months + length.days === 0) return null;
  return addLength(from, length, context.includesFrom === true);
};

/** The day on which a period ends that begins on a day, or the day after a time. */
export const addLength = (
  from: string,
  { months = 0, days = 0 }: { readonly months?: number; readonly days?: number },
  includesFrom: boolean,
): string => addDays(addMonths(from, months), includesFrom ? days - 1 : days);

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
  if (weekday !== null) return addDays(from, ((weekday - getWeekday(from) + 13) % 7) + 1);
  return readNextWeekday(typed, context);
};

/**
 * Parses a date as people type it, or returns null. With `en-GB`: `3.12.26`, `3/12/2026`, `3 dec`, `Thu 3 Dec 2026`,
 * `031226`, `2026-12-03`, `today`, `next friday`, and `+7`, `+2w`, `in 2 weeks`, `2 weeks` and `fri`, which count from
 * `countsFrom`. Without a year, the current one is assumed.
 */
export const readDate = (typed: string, context: LocaleContext): string | null => {
  const text = typed.trim().replace(/\s+/g, " ");
  if (text === "") return null;
  const from = context.countsFrom ?? context.today;
  return readCalendarDate(text, context) ?? readDistance(text, from, context) ?? readLength(text, from, context);
};

const readCalendarDate = (text: string, context: LocaleContext): string | null => {
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
