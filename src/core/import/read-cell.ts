import { toChoiceKey } from "../draft/names.ts";
import { getZone, isDate, localToInstant } from "../expression/values/calendar.ts";
import { USUAL_CURRENCY } from "../field/money.ts";
import type { States } from "../model/entity.ts";
import type { Field } from "../model/field.ts";
import { toValueTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Json } from "../wire/json.ts";
import { type ColumnFormat, type DayOrder, ordersOfDay } from "./column-format.ts";
import { inEachLanguage } from "./map-columns.ts";

/**
 * Converts the text of a cell to JSON as in a request. A text that it cannot read stays unchanged, so that the request
 * is refused.
 */
export type CellReader = (text: string) => Json;

/** Splits several values in one cell. */
export const splitCell = (text: string): readonly string[] => text.split(/\s*[;\n]\s*/u).filter((part) => part !== "");

const yes: ReadonlySet<string> = new Set(["true", "yes", "y", "1", "x", "ja", "j", "oui", "o", "wahr", "vrai", "✓"]);
const no: ReadonlySet<string> = new Set(["false", "no", "n", "0", "-", "nein", "non", "falsch", "faux"]);

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
const readTime = (text: string): string | undefined => {
  const [, hours, minutes, seconds = "00", half] =
    /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?\s*([ap]m?)?\.?m?\.?$/iu.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const hour =
    half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0);
  return hour < 24 && Number(minutes) < 60 && Number(seconds) < 60 ? `${pad(hour)}:${minutes}:${seconds}` : undefined;
};

const readMoment = (text: string, format: ColumnFormat, timezone: string): string | undefined => {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/u.test(text)) return text;
  const [day, rest = ""] = readDay(text, format) ?? [];
  if (day === undefined) return undefined;
  const time = rest === "" ? "00:00:00" : readTime(rest);
  return time === undefined ? undefined : (localToInstant(day, time, getZone(timezone)) ?? undefined);
};

const groupedByPoints = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;
const groupedByCommas = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u;

/** "1.234,50 €" → 1234.50, by the column's decimal separator. */
const readNumber = (text: string, { decimal }: ColumnFormat): string | undefined => {
  const plain = text
    .replaceAll(/[\s'’\u00a0\u202f]/gu, "")
    .replace(/^\+/u, "")
    .replace(/^\u2212/u, "-");
  const [, negative, body = "", minus] = /^(-|\()?(\d[\d.,]*|[.,]\d+)(-|\))?$/u.exec(plain) ?? [];
  if (body === "") return undefined;
  const own = /^\d+$/u.test(body) ? "." : decimal === "," ? "," : decimal === "." || decimal === null ? "." : undefined;
  if (own === undefined) return undefined;
  const group = own === "," ? "." : ",";
  const isGrouped = (own === "," ? groupedByPoints : groupedByCommas).test(body);
  if (body.includes(group) && !isGrouped) return undefined;
  const number = body.replaceAll(group, "").replace(own, ".").replace(/^\./u, "0.");
  if (!/^\d+(?:\.\d+)?$/u.test(number)) return undefined;
  return negative === undefined && minus === undefined ? number : `-${number}`;
};

const symbols: Readonly<Record<string, string>> = { "€": "EUR", $: "USD", "£": "GBP", "¥": "JPY" };

const readAmount = (text: string, format: ColumnFormat, currency: string): Json | undefined => {
  const [, before, body = "", after] =
    /^(?:([€$£¥]|[A-Z]{3})\s*)?([-+−(]?\s*[\d.,'’\s]*\d[\d.,'’\s]*\)?-?)\s*([€$£¥]|[A-Z]{3})?$/u.exec(text) ?? [];
  const amount = readNumber(body, format);
  if (amount === undefined) return undefined;
  const unit = before ?? after;
  return unit === undefined ? amount : { amount, currency: (symbols[unit] ?? unit === currency) ? currency : unit };
};

/** The values of a choice, by their names and their titles in each language of the document. */
const choiceWords = (model: Model, { values }: Field): ReadonlyMap<string, string> =>
  new Map(
    values.flatMap((value) => [
      ...inEachLanguage(model, toValueTitle(value)).map((title) => [toChoiceKey(title), value] as const),
      [toChoiceKey(value), value] as const,
    ]),
  );

/** The states of an entity, by their names and their titles in each language of the document. */
export const findStateWords = (model: Model, { states }: Pick<States, "states">): ReadonlyMap<string, string> =>
  new Map(
    states.flatMap(({ name, title }) =>
      [...inEachLanguage(model, title), ...inEachLanguage(model, toValueTitle(name)), name].map(
        (text) => [toChoiceKey(text), name] as const,
      ),
    ),
  );

/** The state that a cell names, by its name or its title. */
export const readState = (words: ReadonlyMap<string, string>, text: string): string | undefined =>
  words.get(toChoiceKey(text));

/** Creates a reader for the cells of a column. References stay text, because their records are looked up together. */
export const buildCellReader = (model: Model, field: Field, format: ColumnFormat): CellReader => {
  const cellReader = readerOfType(model, field, format);
  if (!field.many) return cellReader;
  return (text) => splitCell(text).map(cellReader);
};

const readerOfType = (model: Model, field: Field, format: ColumnFormat): CellReader => {
  switch (field.type) {
    case "boolean":
      return (text) => (yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : text);
    case "integer":
      return (text) => {
        const number = readNumber(text, format);
        return number === undefined ? text : number.replace(/\.0+$/u, "");
      };
    case "decimal":
      return (text) => readNumber(text.replace(/\s*%$/u, ""), format) ?? text;
    case "money":
      return (text) => readAmount(text, format, field.currency ?? USUAL_CURRENCY) ?? text;
    case "date":
      return (text) => {
        const [day, rest = ""] = readDay(text, format) ?? [];
        return day !== undefined && (rest === "" || readTime(rest.replace(/Z$/u, "")) !== undefined) ? day : text;
      };
    case "datetime":
      return (text) => readMoment(text, format, model.timezone) ?? text;
    case "time":
      return (text) => readTime(text) ?? text;
    case "choice": {
      const words = choiceWords(model, field);
      return (text) => words.get(toChoiceKey(text)) ?? text;
    }
    case "json":
      return (text) => {
        try {
          return JSON.parse(text) as Json;
        } catch {
          return text;
        }
      };
    case "text":
    case "long text":
    case "rich text":
    case "duration":
    case "email":
    case "url":
    case "phone":
    case "file":
    case "image":
    case "sequence":
    case "integer sequence":
    case "slug":
    case "position":
    case "reference":
    case "state":
      return (text) => text;
  }
};
