import { kept } from "../util/memoize.ts";
import { typedLocale } from "./locale-context.ts";

const marksOf = kept((locale): { readonly decimal: string; readonly group: string } => {
  const parts = new Intl.NumberFormat(typedLocale(locale)).formatToParts(-1234567.5);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return { decimal: of("decimal") || ".", group: of("group") };
});

const spaces = /[\s\u00a0\u202f’']/g;

/**
 * Reads a number as people of the locale type it into the wire's form, or null: with `de`, `1.250,5` gives `1250.5`. The
 * groups must be whole; a lone point is read as the decimal mark where the locale does not group by it.
 */
export const readDecimal = (typed: string, locale: string): string | null => {
  const { decimal, group } = marksOf(locale);
  let text = typed.trim().replace(spaces, "").replace(/^−/, "-");
  const grouped = group.trim() === "" ? null : group;
  if (grouped && text.includes(grouped)) {
    const [whole = "", ...rest] = text.split(decimal);
    const groups = whole.replace(/^[+-]/, "").split(grouped);
    const ordered = groups.every((piece, at) => (at === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(piece));
    if (!ordered) return null;
    text = [whole.split(grouped).join(""), ...rest].join(decimal);
  }
  if (decimal !== ".") text = text.replace(decimal, ".");
  const read = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (!read || (!read[2] && !read[3])) return null;
  const whole = (read[2] ?? "").replace(/^0+(?=\d)/, "") || "0";
  return `${read[1] === "-" ? "-" : ""}${whole}${read[3] ? `.${read[3]}` : ""}`;
};

/** Reads a whole number, or null. It stays text: it may be larger than a double holds. */
export const readInteger = (typed: string, locale: string): string | null => {
  const read = readDecimal(typed, locale);
  return read !== null && /^-?\d+$/.test(read) ? read : null;
};

/** The wire's number as a control shows it: with the locale's decimal mark, without groups. */
export const typedNumber = (wire: string, locale: string): string => wire.replace(".", marksOf(locale).decimal);
