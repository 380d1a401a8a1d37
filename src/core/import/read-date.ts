import { dateAt, getZone, isDate, localToInstant } from "../expression/values/calendar.ts";
import { type CellValue, changed, unchanged } from "./cell-value.ts";
import { type ColumnFormat, type DayOrder, ordersOfDay } from "./column-format.ts";

const months: readonly RegExp[] = [
  /^jan/u,
  /^f[eé][bv]/u,
  /^(?:mar|mär|mae)/u,
  /^a[pv]r/u,
  /^ma[yi]/u,
  /^(?:jun|juin)/u,
  /^(?:jul|juil)/u,
  /^a(?:ug|oû|ou)/u,
  /^sep/u,
  /^o[ck]t/u,
  /^nov/u,
  /^d[eé][cz]/u,
];

const pad = (number: number, length = 2): string => String(number).padStart(length, "0");

const toDay = (year: number, month: number, day: number): string | undefined => {
  // Two-digit years up to 69 are in this century.
  const fullYear = year >= 100 ? year : year + (year < 70 ? 2000 : 1900);
  const text = `${pad(fullYear, 4)}-${pad(month)}-${pad(day)}`;
  return isDate(text) ? text : undefined;
};

/** The date at the start of a text, and the rest. */
const readDay = (
  text: string,
  { days, otherDays }: Pick<ColumnFormat, "days" | "otherDays">,
): readonly [string, string] | undefined => {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ,]+(.*))?$/u.exec(text);
  if (iso !== null) return isDate(iso[1] ?? "") ? [iso[1] ?? "", iso[2] ?? ""] : undefined;
  const numeric = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T ,]+(.*))?$/u.exec(text);
  if (numeric !== null) {
    const [first, second, third] = [numeric[1], numeric[3], numeric[4]].map(Number) as [number, number, number];
    const fits = ordersOfDay([numeric[1], numeric[3], numeric[4]].join(numeric[2])) ?? [];
    const [only] = fits;
    const order: DayOrder | undefined =
      fits.length === 1 ? only : fits.find((order) => order === days || order === otherDays);
    // A date that contradicts the order of its column is not reordered.
    if (order === undefined || (days !== null && days !== "mixed" && days !== "ask" && order !== days))
      return undefined;
    const day =
      order === "ymd"
        ? toDay(first, second, third)
        : order === "dmy"
          ? toDay(third, second, first)
          : toDay(third, first, second);
    return day === undefined ? undefined : [day, numeric[5] ?? ""];
  }
  const spelled =
    /^(\d{1,2})[. -]+(\p{L}+)\.?[ -]+(\d{4})(?:[T ,]+(.*))?$/u.exec(text) ??
    /^(?<month>\p{L}+)\.? (?<day>\d{1,2}),? (?<year>\d{4})(?:[T ,]+(.*))?$/u.exec(text);
  if (spelled === null) return undefined;
  const name = (spelled.groups?.month ?? spelled[2] ?? "").toLowerCase();
  const month = months.findIndex((month) => month.test(name)) + 1;
  const day = toDay(Number(spelled.groups?.year ?? spelled[3]), month, Number(spelled.groups?.day ?? spelled[1]));
  return month === 0 || day === undefined ? undefined : [day, spelled[4] ?? ""];
};

/**
 * The order in which the dates of a column are read, if a numeric date has another one; `ask` if it fits several orders and
 * none was chosen. Undefined for a date that is read, and for texts that are no numeric dates.
 */
export const findUnreadOrder = (
  text: string,
  { days, otherDays }: Pick<ColumnFormat, "days" | "otherDays">,
): DayOrder | "ask" | undefined => {
  const fits = ordersOfDay(text) ?? [];
  if (fits.length === 0) return undefined;
  const isFree = days === null || days === "mixed" || days === "ask";
  if (isFree && fits.length === 1) return undefined;
  const order = isFree ? (otherDays ?? "ask") : days;
  return order !== "ask" && fits.includes(order) ? undefined : order;
};

/** "2:30 pm" → 14:30:00. */
export const readClockTime = (text: string): string | undefined => {
  const [, hours, minutes, seconds = "00", half] =
    /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*([ap]m?)?\.?m?\.?$/iu.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const hour =
    half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0);
  return hour < 24 && Number(minutes) < 60 && Number(seconds) < 60 ? `${pad(hour)}:${minutes}:${seconds}` : undefined;
};

export const readMoment = (text: string, format: ColumnFormat, timezone: string): string | undefined => {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/u.test(text)) return text;
  const [day, rest = ""] = readDay(text, format) ?? [];
  if (day === undefined) return undefined;
  const time = rest === "" ? "00:00:00" : readClockTime(rest);
  return time === undefined ? undefined : (localToInstant(day, time, getZone(timezone)) ?? undefined);
};

/** No zone is further from UTC: 20:00-24:00 is a span of time. */
const zoned = /^(.*?)\s*(?:Z|UTC|GMT|([+-](?:0\d|1[0-4]))(?::?([0-5]\d))?)$/u;

/** A date with a time of day. */
interface Moment {
  readonly day: string;
  readonly time: string;
  /** The day in the time zone of the application, if the cell shows a zone. */
  readonly dayHere: string | null;
}

/** Undefined for a date without a time, and for texts that are no moments. */
const findMoment = (text: string, format: ColumnFormat, timezone: string): Moment | undefined => {
  const [day, clock = ""] = readDay(text, format) ?? [];
  if (day === undefined || clock === "") return undefined;
  const [, local = clock, hours = "+00", minutes = "00"] = zoned.exec(clock) ?? [];
  const time = readClockTime(local);
  if (time === undefined) return undefined;
  const dayHere = local === clock ? day : dateAt(`${day}T${time}${hours}:${minutes}`, getZone(timezone));
  return { day, time, dayHere };
};

/** Programs write a day as its midnight, also in another zone. */
const MIDNIGHT = "00:00:00";

/** True for a moment with a zone that is on another day in the time zone of the application. */
export const isOnOtherDay = (text: string, format: ColumnFormat, timezone: string): boolean => {
  const { day, time, dayHere } = findMoment(text, format, timezone) ?? {};
  return time !== MIDNIGHT && dayHere !== day;
};

/** Reads a date. Leaves out the time of a moment, unless its day is not clear. */
export const readDateCell = (text: string, format: ColumnFormat, timezone: string): CellValue => {
  const [day, rest = ""] = readDay(text, format) ?? [];
  if (day === undefined || rest === "") return unchanged(day ?? text);
  const { time } = findMoment(text, format, timezone) ?? {};
  if (time === undefined || isOnOtherDay(text, format, timezone)) return unchanged(text);
  return time === MIDNIGHT ? unchanged(day) : changed(day, { kind: "without time", from: text, to: day });
};
