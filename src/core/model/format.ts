import type { Duration } from "../expression/values/duration.ts";
import type { Type } from "../expression/values/type.ts";
import type { BooleanWords } from "../i18n/grammar.ts";
import type { TextValue } from "../i18n/period-text.ts";
import { toValueTitle } from "./inflection.ts";

/**
 * Formats a value for people: in the document's language and time zone. Of a datetime as a date or a time, only that part
 * is shown.
 */
export type Format = (value: unknown, type: Type) => string;

const MISSING = "…";

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;

const isMoment = (value: unknown): value is string => typeof value === "string" && value.includes("T");

/** The locale of dates and numbers. `en` without a region is British, as is the spelling of the English texts. */
export const formatLocale = (tag: string): string => (tag.toLowerCase() === "en" ? "en-GB" : tag);

/** The locale with Latin digits and the Gregorian calendar, which controls can parse. */
export const typedLocale = (locale: string): string => {
  try {
    return new Intl.Locale(locale, { numberingSystem: "latn", calendar: "gregory" }).toString();
  } catch {
    return "en-GB";
  }
};

/** Creates a formatter for a document. Constructing `Intl` objects is slow, so each is created once. */
export const createFormatter = (tag: string, timezone: string, booleans: BooleanWords): Format => {
  const locale = formatLocale(tag);
  const day = new Intl.DateTimeFormat(locale, { ...DAY, timeZone: "UTC" });
  const moment = new Intl.DateTimeFormat(locale, { ...DAY, ...TIME, timeZone: timezone });
  const time = new Intl.DateTimeFormat(locale, { ...TIME, timeZone: "UTC" });
  const dayOfMoment = new Intl.DateTimeFormat(locale, { ...DAY, timeZone: timezone });
  const timeOfMoment = new Intl.DateTimeFormat(locale, { ...TIME, timeZone: timezone });
  // Years have no thousands separator.
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 10, useGrouping: "min2" });
  const amounts = new Map<string, Intl.NumberFormat>();
  const amountIn = (currency: string): Intl.NumberFormat => {
    const known =
      amounts.get(currency) ??
      new Intl.NumberFormat(locale, { style: "currency", currency, maximumFractionDigits: 10 });
    amounts.set(currency, known);
    return known;
  };
  const words: Format = (value, type) => {
    if (type.kind === "list" && Array.isArray(value))
      return value.length === 0 ? MISSING : value.map((item) => words(item, type.of)).join(", ");
    if (value === null || value === undefined || value === "") return MISSING;
    switch (type.kind) {
      case "date":
        return isMoment(value)
          ? dayOfMoment.format(new Date(value))
          : day.format(new Date(`${String(value)}T00:00:00Z`));
      case "time":
        return isMoment(value)
          ? timeOfMoment.format(new Date(value))
          : time.format(new Date(`1970-01-01T${String(value)}Z`));
      case "datetime":
        return moment.format(new Date(String(value)));
      case "duration":
        return durationWords(value as Duration, locale);
      case "integer":
        return number.format(Number(value));
      case "decimal":
        // As text, because a double would round a decimal.
        return number.format(String(value) as `${number}`);
      case "money":
        return amountIn(type.currency).format(String(value) as `${number}`);
      case "boolean":
        return value === true ? booleans.yes : booleans.no;
      case "choice":
        return toValueTitle(String(value));
      case "file":
        return (value as { readonly name?: string }).name ?? MISSING;
      case "json":
        return JSON.stringify(value);
      default:
        return String(value);
    }
  };
  return words;
};

/** "1 month, 14 days, 2 hours" in the given language. */
export const durationWords = (duration: Duration, locale: string): string => {
  const { months, days, milliseconds } = duration;
  const backwards = months < 0 || days < 0 || milliseconds < 0;
  const parts = new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(durationParts(duration, locale));
  return backwards ? `−${parts}` : parts;
};

/** The parts without the sign. */
export const durationParts = (
  { months, days, milliseconds }: Duration,
  locale: string,
  useGrouping = true,
): readonly string[] => {
  const [month, day, elapsed] = [Math.abs(months), Math.abs(days), Math.abs(milliseconds)];
  const parts = [
    { count: Math.floor(month / 12), unit: "year" },
    { count: month % 12, unit: "month" },
    { count: day, unit: "day" },
    { count: Math.floor(elapsed / 3_600_000), unit: "hour" },
    { count: Math.floor(elapsed / 60_000) % 60, unit: "minute" },
    { count: (elapsed % 60_000) / 1_000, unit: "second" },
  ].filter(({ count }) => count !== 0);
  return (parts.length === 0 ? [{ count: 0, unit: "day" }] : parts).map(({ count, unit }) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long", useGrouping }).format(count),
  );
};

/** A value as it is shown, with its day if it has one. */
export const toTextValue = (text: string | null, value: unknown, type: Type, format: Format): TextValue => {
  if (text === null || value === null || value === undefined || value === "") return { text };
  if (type.kind === "date") return { text, day: text };
  if (type.kind !== "datetime") return { text };
  const instant = new Date(String(value)).toISOString();
  return { text, day: format(instant, { kind: "date" }), time: format(instant, { kind: "time" }) };
};
