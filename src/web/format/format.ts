import type { BooleanWords } from "../../core/i18n/grammar.ts";
import { durationInWords } from "../../core/import/duration-words.ts";
import { lastOfPeriod } from "../../core/model/facts/date-steps.ts";
import { toValueTitle } from "../../core/model/inflection.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { AxisJson } from "../../core/wire/screens.ts";
import { toUtcDate } from "./dates.ts";
import { toLocalTime } from "./time-zone.ts";
import { isFile, isMoney, isReference } from "./value-shapes.ts";

/** True if the label already names the unit, as in “Days” or “Days left”. */
export const namesUnit = ({ label, unit }: FieldJson): boolean =>
  unit !== undefined && label.toLowerCase().split(/\s+/u).includes(unit.toLowerCase());

/** Formats values for the application's locale and time zone. */
export interface Show {
  date(day: string): string;
  /** `€1,250.00`, from an amount in wire format. */
  money(amount: number | string, currency: string): string;
  /** Without the year if it is the current one. */
  shortDate(day: string): string;
  /** A range of dates: "16–22 Nov 2026". */
  days(from: string, to: string): string;
  /** A range without the current year, or a single date: "16–22 Nov". */
  shortDays(from: string, to: string): string;
  /** The short name of its weekday: "Mon". */
  weekday(day: string): string;
  /** With the weekday. */
  fullDate(day: string): string;
  /** With full names of weekday and month, for the title of a page. */
  wholeDate(day: string): string;
  moment(instant: string): string;
  /** A range of times; the date once if equal, the year only if it differs from the current one. */
  moments(from: string, to: string): string;
  /** The date of an instant. */
  dayOf(instant: string): string;
  time(instant: string): string;
  /** A time of day without time zone, in the locale's notation: `14:02`. */
  clock(time: string): string;
  /** A number of any length, without rounding. */
  number(wire: string | number): string;
  /** "34 %", with up to `places` decimal places. */
  percent(part: number, places?: number): string;
  /** A difference with its sign: a fraction as "+23 %", percentage points as "−1.5". */
  change(difference: number, as: "percent" | "points"): string;
  /** The period that starts on a date: in full, or in its shortest form with or without the year. */
  period(day: string, step: NonNullable<AxisJson["step"]>, year?: boolean): string;
  /** "1.2 MB". */
  bytes(count: number): string;
  boolean(value: boolean): string;
  list(items: readonly string[], kind?: "conjunction" | "disjunction"): string;
  /** The value in running text, with its unit unless that is shown elsewhere; null if missing. */
  value(field: FieldJson, value: Json | undefined, unit?: boolean): string | null;
}

/** Units with singular and plural in `Intl`. */
const measures = ["second", "minute", "hour", "day", "week", "month", "year", "meter", "kilometer", "gram", "kilogram"];

/** Replaces spaces in dates by no-break spaces: "18 Nov 2026", "18. Nov. 2026", "Nov 18, 2026". */
export const keepTogether = (words: string): string =>
  words.replaceAll(/(?:\d{1,2}\.? \p{L}+\.?|\p{L}+\.? \d{1,2},) \d{4}(?!\d)/gu, (date) =>
    date.replaceAll(" ", "\u00a0"),
  );

/** Numbers such as PR-2026-00029, which a browser would break at a hyphen, and ranges of days such as 7 – 20 Dec or Dec 7 – 20. */
const NUMBER =
  /([\p{L}\d]+(?:-[\p{L}\d]+)*-\d+|\d{1,2}\.?(?:\s\p{L}+\.?)?\s?–\s?\d{1,2}\.?\s\p{L}+\.?|\p{L}+\s\d{1,2}\s?–\s?(?:\p{L}+\s)?\d{1,2}(?!\d))/u;
/** Characters of the longest one that fits on a phone. */
const LONGEST_NUMBER = 20;

/** Divides words into the numbers and ranges that a line must not break, and what is between them. */
export const splitNumbers = (words: string): readonly { readonly part: string; readonly isNumber: boolean }[] =>
  words.split(NUMBER).map((part, at) => ({ part, isNumber: at % 2 === 1 && part.length <= LONGEST_NUMBER }));

const long = { day: "numeric", month: "long", year: "numeric" } as const;
const short = { day: "numeric", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit" } as const;

/** Formats of dates and times. Dates have no time zone. */
const written = {
  day: { ...short, timeZone: "UTC" },
  dayAndMonth: { day: "numeric", month: "short", timeZone: "UTC" },
  fullDay: { ...short, weekday: "short", timeZone: "UTC" },
  weekday: { weekday: "short", timeZone: "UTC" },
  wholeDay: { ...long, weekday: "long", timeZone: "UTC" },
  month: { month: "short", timeZone: "UTC" },
  monthOfYear: { month: "short", year: "2-digit", timeZone: "UTC" },
  year: { year: "numeric", timeZone: "UTC" },
  fullMonth: { month: "long", year: "numeric", timeZone: "UTC" },
  timeOfDay: { ...clock, timeZone: "UTC" },
  moment: { ...short, ...clock },
  shortMoment: { day: "numeric", month: "short", ...clock },
  momentYear: { year: "numeric" },
  momentDay: short,
  time: clock,
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Created on first use. */
const createFormats = (locale: string, timeZone: string): ((name: keyof typeof written) => Intl.DateTimeFormat) =>
  memoizeByKey((name) => new Intl.DateTimeFormat(locale, { timeZone, ...written[name as keyof typeof written] }));

/** Returns a function that puts a unit after its count in the language: "1 day". */
const createUnits = (locale: string): ((unit: string, count: string) => string) => {
  const unitCalled = memoizeByKey((unit) => ({ unit: measures.find((measure) => unitWord(measure, 2) === unit) }));
  const unitsOf = memoizeByKey((unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }));
  const unitWord = (unit: string, count: number): string | undefined =>
    unitsOf(unit)
      .formatToParts(count)
      .find(({ type }) => type === "unit")?.value;
  return (unit, count) => {
    const { unit: known } = unitCalled(unit);
    return known === undefined ? unit : (unitWord(known, Number(count)) ?? unit);
  };
};

/** Returns a function for the text of a single value. */
const createValueText = (locale: string) => {
  const wholeNumber = new Intl.NumberFormat(locale, { useGrouping: "min2" });
  const countUnit = createUnits(locale);

  return (show: Show, field: FieldJson, value: Json, unit: boolean): string => {
    if (isReference(value)) return value.label;
    if (isFile(value)) return value.name;
    if (isMoney(value)) return show.money(value.amount, value.currency);
    const text = String(value);
    switch (field.type) {
      case "boolean":
        return show.boolean(value === true);
      case "json":
        return JSON.stringify(value);
      case "date":
        return show.date(text);
      case "time":
        return show.clock(text);
      case "duration":
        return durationInWords(text, locale);
      case "datetime":
        return show.moment(text);
      case "integer":
        // Years and numbers of records have no thousands separator, as in labels.
        if (!field.unit) return wholeNumber.format(text as Intl.StringNumericLiteral);
        return unit ? `${show.number(text)}\u00a0${countUnit(field.unit, text)}` : show.number(text);
      case "position":
      case "decimal":
        return field.unit && unit ? `${show.number(text)}\u00a0${countUnit(field.unit, text)}` : show.number(text);
      case "choice":
      case "state":
        return field.values?.find((candidate) => candidate.value === text)?.label ?? toValueTitle(text);
      case "text":
      case "long text":
      case "rich text":
      case "email":
      case "url":
      case "phone":
      case "slug":
      case "sequence":
      case "integer sequence":
      // Other shapes than those above, in values that a client sent.
      case "money":
      case "file":
      case "image":
      case "reference":
        return text;
    }
  };
};

export const createShow = (locale: string, timezone: string, booleans: BooleanWords): Show => {
  const formats = createFormats(locale, timezone);
  const numberWith = memoizeByKey((places) => new Intl.NumberFormat(locale, { minimumFractionDigits: Number(places) }));
  const amountIn = memoizeByKey(
    (currency) => new Intl.NumberFormat(locale, { style: "currency", currency, maximumFractionDigits: 10 }),
  );
  const thisYear = () => toLocalTime(new Date().toISOString(), timezone).day.slice(0, 4);

  const textOf = createValueText(locale);

  const show: Show = {
    date: (date) => formats("day").format(toUtcDate(date)),
    shortDate: (date) => formats(date.slice(0, 4) === thisYear() ? "dayAndMonth" : "day").format(toUtcDate(date)),
    days: (from, to) => formats("day").formatRange(toUtcDate(from), toUtcDate(to)),
    shortDays: (from, to) => {
      const format = formats([from, to].every((day) => day.slice(0, 4) === thisYear()) ? "dayAndMonth" : "day");
      return format.formatRange(toUtcDate(from), toUtcDate(to));
    },
    weekday: (date) => formats("weekday").format(toUtcDate(date)),
    fullDate: (date) => formats("fullDay").format(toUtcDate(date)),
    wholeDate: (date) => formats("wholeDay").format(toUtcDate(date)),
    moment: (instant) => formats("moment").format(new Date(instant)),
    moments: (from, to) => {
      const [first, last] = [new Date(from), new Date(to)];
      const isNow = [first, last].every(
        (date) => formats("momentYear").format(date) === formats("momentYear").format(Date.now()),
      );
      return formats(isNow ? "shortMoment" : "moment").formatRange(first, last);
    },
    dayOf: (instant) => formats("momentDay").format(new Date(instant)),
    time: (instant) => formats("time").format(new Date(instant)),
    money: (amount, currency) => amountIn(currency).format(amount as Intl.StringNumericLiteral),
    clock: (time) => formats("timeOfDay").format(new Date(`1970-01-01T${time}Z`)),
    number: (wire) => {
      const places = String(wire).split(".")[1]?.length ?? 0;
      return numberWith(String(Math.min(places, 20))).format(wire as Intl.StringNumericLiteral);
    },
    percent: (part, maximumFractionDigits = 0) =>
      new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits }).format(part),
    change: (difference, as) =>
      new Intl.NumberFormat(
        locale,
        as === "percent"
          ? { style: "percent", signDisplay: "exceptZero" }
          : { maximumFractionDigits: 1, signDisplay: "exceptZero" },
      ).format(difference),
    period: (first, step, year) => {
      const from = toUtcDate(first);
      if (step === "year") return formats("year").format(from);
      if (step !== "month" && step !== "quarter")
        return formats(year === undefined ? "day" : "dayAndMonth").format(from);
      const format = formats(year === undefined ? "fullMonth" : year ? "monthOfYear" : "month");
      return step === "month" ? format.format(from) : format.formatRange(from, toUtcDate(lastOfPeriod(first, step)));
    },
    bytes: (count) => {
      const [unit, size] = count < 1e3 ? ["byte", 1] : count < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
      return new Intl.NumberFormat(locale, {
        style: "unit",
        unit: String(unit),
        unitDisplay: unit === "byte" ? "long" : "short",
        maximumFractionDigits: 1,
      }).format(count / Number(size));
    },
    boolean: (value) => (value ? booleans.yes : booleans.no),
    list: (items, kind = "conjunction") => {
      const list = new Intl.ListFormat(locale, { type: kind });
      // With another “and” inside of an item, a comma before the last one shows where the items end.
      const last = list.formatToParts(["", ""]).find(({ type }) => type === "literal")?.value ?? "";
      const isNested = kind === "conjunction" && items.some((item) => item.includes(last));
      const [end = ""] = items.slice(-1);
      return isNested && items.length > 1 ? `${items.slice(0, -1).join(", ")},${last}${end}` : list.format(items);
    },
    value: (field, value, unit = true) => {
      if (value === undefined || value === null || value === "") return null;
      if (Array.isArray(value))
        return (
          value
            .map((item) => show.value(field, item, unit))
            .filter(Boolean)
            .join(", ") || null
        );
      return textOf(show, field, value, unit);
    },
  };
  return show;
};
