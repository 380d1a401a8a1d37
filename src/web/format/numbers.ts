import { memoizeByKey } from "../../core/util/memoize.ts";
import { typedLocale } from "./locale-context.ts";

const numberMarks = memoizeByKey((locale): { readonly decimal: string; readonly group: string } => {
  const parts = new Intl.NumberFormat(typedLocale(locale)).formatToParts(-1234567.5);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { decimal: of("decimal") || ".", group: of("group") };
});

const spaces = /[\s\u00a0\u202f’']/g;

/**
 * Parses a number in the locale's notation, or returns null: with `de`, `1.250,5` gives `1250.5`. Groups must be
 * complete; a single point is a decimal point unless the locale groups by it.
 */
export const readDecimal = (typed: string, locale: string): string | null => {
  const { decimal, group } = numberMarks(locale);
  let text = typed.trim().replace(spaces, "").replace(/^−/, "-");
  const grouped = group.trim() === "" ? null : group;
  if (grouped && text.includes(grouped)) {
    const [integer = "", ...rest] = text.split(decimal);
    const groups = integer.replace(/^[+-]/, "").split(grouped);
    const ordered = groups.every((piece, at) => (at === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(piece));
    if (!ordered) return null;
    text = [integer.split(grouped).join(""), ...rest].join(decimal);
  }
  if (decimal !== ".") text = text.replace(decimal, ".");
  const read = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (!read || (!read[2] && !read[3])) return null;
  const digits = (read[2] ?? "").replace(/^0+(?=\d)/, "") || "0";
  return `${read[1] === "-" ? "-" : ""}${digits}${read[3] ? `.${read[3]}` : ""}`;
};

/** Parses an integer, or returns null. It stays text, as it may exceed a double. */
export const readInteger = (typed: string, locale: string): string | null => {
  const read = readDecimal(typed, locale);
  return read !== null && /^-?\d+$/.test(read) ? read : null;
};

/** Formats a number for a control: with the locale's decimal mark, without grouping. */
export const typedNumber = (wire: string, locale: string): string => wire.replace(".", numberMarks(locale).decimal);
