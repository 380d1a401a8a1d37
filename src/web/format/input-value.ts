import { durationText } from "../../core/import/duration-words.ts";
import { typedLocale } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { FileJson, ReferenceJson } from "../../core/wire/records.ts";
import { toUtcDate } from "./dates.ts";
import type { LocaleContext } from "./locale-context.ts";
import { isLocalNotation, readDecimal, readInteger, suggestDecimal, typedNumber } from "./numbers.ts";
import { isShownByClocks, localInstant, readTime, toLocalTime } from "./time-zone.ts";
import { readDate, readTypedDuration } from "./typed-dates.ts";
import { areFiles, areReferences, isFile, isMoney, isReference } from "./value-shapes.ts";

/** The content of a control: text ("" is empty), records, or uploaded files. */
export type Entered = string | ReferenceJson | readonly ReferenceJson[] | FileJson | readonly FileJson[] | null;

/** The contents of several controls, by field. */
export type EnteredValues = { readonly [field: string]: Entered };

/** Input in wire format. Only types with their own syntax can be unreadable. */
export type ParsedEntry = { readonly kind: "value"; readonly value: Json } | { readonly kind: "unreadable" };

/** A text of the interface for input that cannot be read. */
type UnreadableText =
  | "unreadable.date"
  | "unreadable.datetime"
  | "unreadable.skipped"
  | "unreadable.decimal"
  | "unreadable.duration"
  | "unreadable.integer"
  | "unreadable.json"
  | "unreadable.time";

interface Entering {
  /** Converts wire format to the content of a control. */
  readonly from: (value: Json, context: LocaleContext) => Entered;
  /** Parses input; never called with empty input, which is null. */
  readonly read: (entered: string, context: LocaleContext) => ParsedEntry;
  /** The text for input that `read` cannot read; null for a type that reads every text. */
  readonly unreadable: UnreadableText | null;
  /** Several values have one control each. Otherwise they are lines of one control. */
  readonly hasSeparateControls?: true;
}

const value = (json: Json): ParsedEntry => ({ kind: "value", value: json });
const readable = (json: Json): ParsedEntry => (json === null ? { kind: "unreadable" } : value(json));
const asText = (json: Json): string => (typeof json === "string" || typeof json === "number" ? String(json) : "");

/** `2026-12-03` in a date control: `3 Dec 2026`. */
export const typedDate = (day: string, locale: string): string => dateIn(locale).format(toUtcDate(day));

const dateIn = memoizeByKey(
  (locale) =>
    new Intl.DateTimeFormat(typedLocale(locale), {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
);

/** A datetime is entered in two boxes, stored with a line break in between. */
export const splitMoment = (entered: string): { readonly date: string; readonly time: string } => {
  const [date = "", time = ""] = entered.split("\n");
  return { date, time };
};
export const joinMoment = (date: string, time: string): string =>
  date.trim() === "" && time.trim() === "" ? "" : `${date}\n${time}`;

const readMoment = (entered: string, context: LocaleContext) => {
  const { date, time } = splitMoment(entered);
  return { day: readDate(date, context), at: readTime(time) };
};

/** True for a day and time that clocks skip. Nobody means the later time that it would be. */
const isSkipped = (entered: string, context: LocaleContext): boolean => {
  const { day, at } = readMoment(entered, context);
  return day !== null && at !== null && !isShownByClocks(day, at, context.timezone);
};

const file: Entering = {
  from: (json) => (isFile(json) ? json : null),
  read: (entered) => value(entered),
  unreadable: null,
};

const words: Entering = { from: asText, read: (entered) => value(entered.trim()), unreadable: null };
const longWords: Entering = {
  from: asText,
  read: (entered) => value(entered),
  unreadable: null,
  hasSeparateControls: true,
};

const toInteger = (wire: string): Json => (Number.isSafeInteger(Number(wire)) ? Number(wire) : wire);

const integer: Entering = {
  from: asText,
  read: (entered, { locale }) => {
    const wire = readInteger(entered, locale);
    return readable(wire === null ? null : toInteger(wire));
  },
  unreadable: "unreadable.integer",
};

const entering: { readonly [T in FieldTypeName]: Entering } = {
  text: words,
  "long text": longWords,
  "rich text": longWords,
  email: words,
  url: words,
  phone: words,
  sequence: words,
  "integer sequence": integer,
  slug: words,
  choice: words,
  state: words,
  integer,
  decimal: {
    from: (json, { locale }) => typedNumber(asText(json), locale),
    read: (entered, { locale }) => readable(readDecimal(entered, locale)),
    unreadable: "unreadable.decimal",
  },
  money: {
    from: (json, { locale }) => typedNumber(asText(isMoney(json) ? json.amount : json), locale),
    read: (entered, { locale }) => readable(readDecimal(entered, locale)),
    unreadable: "unreadable.decimal",
  },
  position: integer,
  file,
  image: file,
  json: {
    from: (json) => JSON.stringify(json, null, 2),
    read: (entered) => {
      try {
        return value(JSON.parse(entered) as Json);
      } catch {
        return { kind: "unreadable" };
      }
    },
    unreadable: "unreadable.json",
  },
  boolean: {
    from: (json) => (typeof json === "boolean" ? String(json) : ""),
    read: (entered) => value(entered === "true"),
    unreadable: null,
  },
  date: {
    from: (json, { locale }) => (typeof json === "string" ? typedDate(json, locale) : ""),
    read: (entered, context) => readable(readDate(entered, context)),
    unreadable: "unreadable.date",
  },
  time: {
    from: (json) => (typeof json === "string" ? json.replace(/:00$/, "") : ""),
    read: (entered) => readable(/^\d\d:\d\d:\d\d$/.test(entered.trim()) ? entered.trim() : readTime(entered)),
    unreadable: "unreadable.time",
  },
  duration: {
    from: (json, { locale }) => (typeof json === "string" ? durationText(json, locale) : ""),
    read: (entered, { locale }) => readable(readTypedDuration(entered, locale)),
    unreadable: "unreadable.duration",
  },
  datetime: {
    from: (json, { locale, timezone }) => {
      if (typeof json !== "string") return "";
      const { day, time } = toLocalTime(json, timezone);
      return joinMoment(typedDate(day, locale), time);
    },
    read: (entered, context) => {
      const { day, at } = readMoment(entered, context);
      return readable(day && at && !isSkipped(entered, context) ? localInstant(day, at, context.timezone) : null);
    },
    unreadable: "unreadable.datetime",
    hasSeparateControls: true,
  },
  reference: {
    from: (json) => (isReference(json) ? { id: json.id, label: json.label } : null),
    read: (entered) => value(entered),
    unreadable: null,
  },
};

/** Separates values that may contain line breaks or have several boxes. */
const APART = "\u001e";

/** True for types whose multiple values have one control each. */
export const hasSeparateControls = ({ type }: FieldJson): boolean => entering[type].hasSeparateControls === true;
/** The text for input in a field that cannot be read. */
export const unreadableText = ({ type }: FieldJson, entered: string, context: LocaleContext): UnreadableText | null => {
  const isOfSkipped = type === "datetime" && splitValues(entered).some((one) => isSkipped(one, context));
  return isOfSkipped ? "unreadable.skipped" : entering[type].unreadable;
};
export const splitValues = (entered: string): readonly string[] => entered.split(APART);
export const joinValues = (values: readonly string[]): string => values.join(APART);

const isOfFiles = ({ type }: FieldJson): boolean => type === "file" || type === "image";

/** Multiple values are one per line, except files and records. */
export const toEntered = (field: FieldJson, json: Json | undefined, context: LocaleContext): Entered => {
  if (field.many && isOfFiles(field)) return areFiles(json) ? json : [];
  if (field.many && field.type === "reference") return areReferences(json) ? json : [];
  if (!field.many || !Array.isArray(json)) return oneEntered(field, json, context);
  const values = json
    .map((item) => oneEntered(field, item as Json, context))
    .filter((item) => typeof item === "string");
  return hasSeparateControls(field) ? joinValues(values) : values.join("\n");
};

const oneEntered = (field: FieldJson, json: Json | undefined, context: LocaleContext): Entered =>
  json === undefined || json === null
    ? field.type === "reference" || isOfFiles(field)
      ? null
      : ""
    : entering[field.type].from(json, context);

export const readEntered = (field: FieldJson, entered: Entered, context: LocaleContext): ParsedEntry => {
  if (entered === null) return value(null);
  if (isChosen(entered)) return value(entered.map(({ id }) => id));
  if (typeof entered !== "string") return value(entered.id);
  if (field.many) return readSeveral(field, entered, context);
  return entered.trim() === "" ? value(null) : entering[field.type].read(entered, context);
};

const hasFraction = ({ type, many }: FieldJson): boolean => many !== true && (type === "decimal" || type === "money");

/** Input that the person probably meant instead of what cannot be read; null if none suggests itself. */
export const suggestEntry = (field: FieldJson, entered: Entered, { locale }: LocaleContext): string | null =>
  hasFraction(field) && typeof entered === "string" ? suggestDecimal(entered, locale) : null;

const typedAsText: ReadonlySet<FieldTypeName> = new Set(["date", "datetime", "time", "duration"]);

/** True if readable input is rewritten once its control is left, to show how it was understood. */
export const isRewritten = (field: FieldJson, entered: Entered, { locale }: LocaleContext): boolean =>
  typedAsText.has(field.type) ||
  (hasFraction(field) && typeof entered === "string" && entered.trim() !== "" && !isLocalNotation(entered, locale));

const readSeveral = (field: FieldJson, entered: string, context: LocaleContext): ParsedEntry => {
  const read = (hasSeparateControls(field) ? splitValues(entered) : enteredLines(entered))
    .filter((item) => item.trim() !== "")
    .map((line) => entering[field.type].read(line, context));
  const values = read.flatMap((entry) => (entry.kind === "value" ? [entry.value] : []));
  return values.length < read.length ? { kind: "unreadable" } : value(values);
};

export const enteredLines = (entered: string): readonly string[] =>
  entered.split("\n").filter((line) => line.trim() !== "");

export const sameEntered = (one: Entered, other: Entered): boolean => toComparable(one) === toComparable(other);
const isChosen = (entered: Entered): entered is readonly ReferenceJson[] | readonly FileJson[] =>
  Array.isArray(entered);
const toComparable = (entered: Entered) =>
  isChosen(entered)
    ? `ids:${entered.map(({ id }) => id).join(" ")}`
    : typeof entered === "object" && entered !== null
      ? `id:${entered.id}`
      : `text:${entered ?? ""}`;
