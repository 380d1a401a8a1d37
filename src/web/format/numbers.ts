import { typedLocale } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";

const numberMarks = memoizeByKey((locale): { readonly decimal: string; readonly group: string } => {
  const parts = new Intl.NumberFormat(typedLocale(locale)).formatToParts(-1234567.5);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { decimal: of("decimal") || ".", group: of("group") };
});

const spaces = /[\s\u00a0\u202f’']/g;

const clean = (typed: string): string => typed.trim().replace(spaces, "").replace(/^−/, "-");

/** True for complete groups, such as 1 and 250. A zero begins no group, so 0,125 is less than one. */
const isGrouped = (groups: readonly string[]): boolean =>
  groups.every((digits, at) => (at === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(digits));

/** Reads digits in which one mark groups and the other begins the fraction; null if their places do not fit that. */
const readMarked = (text: string, group: string, decimal: string): string | null => {
  const [, sign = "", digits = ""] = /^([+-]?)([\d.,]*)$/.exec(text) ?? [];
  const [integer = "", fraction = "", ...rest] = digits.split(decimal);
  const groups = group === "" ? [integer] : integer.split(group);
  if (rest.length > 0 || (groups.length > 1 && !isGrouped(groups))) return null;
  if (!/^\d*$/.test(groups.join("") + fraction) || !/\d/.test(digits)) return null;
  const whole = groups.join("").replace(/^0+(?=\d)/, "") || "0";
  return `${sign === "-" ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
};

const readLocalDecimal = (typed: string, locale: string): string | null => {
  const { decimal, group } = numberMarks(locale);
  return readMarked(clean(typed), /^[.,]$/.test(group) ? group : "", decimal);
};

/**
 * Parses a number, or returns null. The locale's notation comes first: with `de`, `1.250,5` gives `1250.5` and `1.250`
 * gives `1250`. Any other notation is read if it has only one meaning: with `en`, `74,50` gives `74.50`.
 */
export const readDecimal = (typed: string, locale: string): string | null =>
  readLocalDecimal(typed, locale) ?? readMarked(clean(typed), ",", ".") ?? readMarked(clean(typed), ".", ",");

/** True if a number is typed in the locale's notation, so that its reader sees at once what it means. */
export const isLocalNotation = (typed: string, locale: string): boolean => readLocalDecimal(typed, locale) !== null;

/** The number that unreadable input contains, as the locale writes it: `74,50 EUR` gives `74.50`; null if there is not one. */
export const suggestDecimal = (typed: string, locale: string): string | null => {
  const [number, ...more] = typed.match(/[-+−]?\d[\d.,’'\s]*/gu) ?? [];
  if (number === undefined || more.length > 0) return null;
  const wire = readDecimal(number.replace(/[.,\s]+$/u, ""), locale);
  return wire === null ? null : typedNumber(wire, locale);
};

/** True if the locale writes fractions after a comma. */
export const hasDecimalComma = (locale: string): boolean => numberMarks(locale).decimal === ",";

/** Parses an integer, or returns null. It stays text, as it may exceed a double. */
export const readInteger = (typed: string, locale: string): string | null => {
  const read = readDecimal(typed, locale)?.replace(/\.0+$/, "") ?? null;
  return read !== null && /^-?\d+$/.test(read) ? read : null;
};

/** Formats a number for a control: with the locale's decimal mark, without grouping. */
export const typedNumber = (wire: string, locale: string): string => wire.replace(".", numberMarks(locale).decimal);
