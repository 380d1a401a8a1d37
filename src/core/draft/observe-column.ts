import { toChoiceKey, toChoiceName, toWords } from "./names.ts";
import { areNamesOfPeople } from "./names-of-people.ts";
import { orderStates } from "./order-states.ts";
import { isNearlyAll } from "./strays.ts";
import type { SheetColumn } from "./table.ts";

/** The type of a column, with the evidence for it. */
export interface Observation {
  readonly type: string;
  /** Further keys of the field: `{ values: [open, closed] }`. */
  readonly keys: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** Number of rows with a value. */
  readonly filled: number;
  /** The indexes of rows whose value is no number, although nearly all are. The type is that of the others, or text. */
  readonly strays: readonly number[];
  /** True if every row has a value and all values are distinct. */
  readonly isKey: boolean;
  /** Parts of a sentence: "4 values", "empty in 7 of 42 rows". */
  readonly evidence: readonly string[];
  /** Sentences about what the values do not show. */
  readonly questions: readonly string[];
}

/** Maximum number of choices: with more distinct values, the column is a text. */
const MOST_CHOICES = 12;

/** Minimum average number of rows per choice. */
const SEEN_PER_CHOICE = 5;

const LONGEST_CHOICE = 40;

/** Longer texts are long texts. */
const LONGEST_LINE = 200;

const yesOrNo = ["true", "false", "yes", "no", "y", "n", "ja", "nein", "oui", "non", "wahr", "falsch", "vrai", "faux"];
const booleans: ReadonlySet<string> = new Set(yesOrNo);

const day = /(?:1\d|20)\d{2}([-/])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])/u.source;
const clock = /(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?/u.source;
const isoDay = new RegExp(`^${day}$`, "u");
const midnight = new RegExp(`^${day}[T ]00:00(?::00(?:\\.0+)?)?Z?$`, "u");
const moment = new RegExp(`^${day}[T ]${clock}(?:Z|[+-]\\d{2}:?\\d{2})?$`, "u");
const time = new RegExp(`^${clock}$`, "u");
const month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const spelledDay = new RegExp(`^(?:${month}\\.? \\d{1,2},?|\\d{1,2}[. -]+${month}\\.?)[ -]\\d{4}$`, "iu");
const numericDay = /^(\d{1,2})([./-])(\d{1,2})\2(\d{2}|\d{4})$/u;
/** True for a date that can be read in one way only. */
const isClearDay = (value: string): boolean => isoDay.test(value) || midnight.test(value) || spelledDay.test(value);

const integer = /^-?(?:0|[1-9]\d{0,14})$/u;
const decimal = /^[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:[,.' ’]\d{3})+)(?:[.,]\d+)?$/u;
const percentage = /^[+-]?\d+(?:[.,]\d+)? ?%$/u;
const email = /^[^\s@,;]+@[^\s@,;]+\.[a-z]{2,}$/iu;
const url = /^https?:\/\/\S+$/iu;
const phoneHeader = /phone|tel|mobile|fax|handy/iu;
const phone = /^\+?[\d\s()/.-]{6,25}$/u;

const currencies: Readonly<Record<string, string>> = { "€": "EUR", $: "USD", "£": "GBP", "¥": "JPY" };
const amount = /^(?:(€|\$|£|¥|[A-Z]{3}) ?)?([+-]?\d[\d,.'’ ]*?)(?: ?(€|\$|£|¥|[A-Z]{3}))?$/u;

/** Codes that headers have often. Other words of three capital letters can mean anything. */
const codes: ReadonlySet<string> = new Set([
  ...Object.values(currencies),
  ...["CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "NZD", "INR", "CNY", "BRL", "MXN", "ZAR", "SGD"],
]);

/** “Price (EUR)”, “Price in EUR” or “Price €”: the header without its currency, and the currency. */
const headed = /^(.*?\S)(?:\s+in)?\s*[([]?\s*(€|\$|£|¥|\b[A-Z]{3})\s*[)\]]?$/u;

const readCurrency = (header: string): { readonly plain: string; readonly currency: string } | undefined => {
  const [, plain = "", unit = ""] = headed.exec(header.trim()) ?? [];
  const currency = currencies[unit] ?? unit;
  return codes.has(currency) ? { plain, currency } : undefined;
};

/** The header of an amount without its currency, which the type says. */
export const toPlainHeader = (header: string): string => readCurrency(header)?.plain ?? header;

/** Headers of columns that identify a record. */
const keyWord =
  /^(?:id|no|nr|num|number|nummer|numero|code|key|sku|isbn|ean|email|mail|slug|serial|uuid|guid|barcode|vin|iban)$/u;

const isKeyHeader = (header: string): boolean => {
  const words = toWords(header);
  if (["postal", "post", "zip", "country", "area"].includes(words.at(-2) ?? "")) return false;
  return keyWord.test(words.at(-1) ?? "") || header.trim().endsWith("#");
};

type Typed = Pick<Observation, "type" | "keys" | "evidence" | "questions">;

const toTyped = (type: string, more: Partial<Typed> = {}): Typed => ({
  type,
  keys: {},
  evidence: [],
  questions: [],
  ...more,
});

/** The currency of all amounts, if they agree. */
const findCurrency = (values: readonly string[]): string | undefined => {
  const found = new Set(
    values.map((value) => {
      const [, before, number = "", after] = amount.exec(value) ?? [];
      const unit = before ?? after;
      return unit === undefined || !decimal.test(number) ? undefined : (currencies[unit] ?? unit);
    }),
  );
  const [only] = found;
  return found.size === 1 ? only : undefined;
};

/**
 * Dates such as 3.4.2026, also among dates that can be read in one way only. Dots mean that the day comes first; otherwise, a
 * number above 12 determines the order.
 */
const typeOfDays = (header: string, values: readonly string[]): Typed | undefined => {
  const others = values.filter((value) => !numericDay.test(value));
  if (others.some((value) => !isClearDay(value))) return undefined;
  const numeric = values.filter((value) => numericDay.test(value));
  if (numeric.length === 0) return toTyped("date");
  const parts = numeric.map((value) => numericDay.exec(value));
  let first = 0;
  let second = 0;
  let points = 0;
  for (const part of parts) {
    if (part === null) return undefined;
    const [, one, sign, two] = part;
    first = Math.max(first, Number(one));
    second = Math.max(second, Number(two));
    if (sign === ".") points++;
  }
  if (Math.min(first, second) > 12 || Math.max(first, second) > 31)
    return first > 31 || second > 31
      ? undefined
      : toTyped("text", {
          evidence: ["dates in two orders"],
          questions: [`The files don’t show which dates of “${header}” begin with the day and which with the month.`],
        });
  if (first > 12 || points === parts.length) return toTyped("date", { evidence: ["the day comes first"] });
  if (second > 12) return toTyped("date", { evidence: ["the month comes first"] });
  return toTyped("date", {
    questions: [`Whether “${numeric[0] ?? ""}” in “${header}” begins with the day or with the month is not shown.`],
  });
};

/** Dates, of which some have a time: nearly none, or so many that the others may be midnights. */
const typeOfDaysAndTimes = (header: string, values: readonly string[]): Typed | undefined => {
  const times = values.filter((value) => moment.test(value) && !midnight.test(value));
  const days = values.filter((value) => !times.includes(value));
  const [time = ""] = times;
  if (times.length === 0) return undefined;
  const question = `Whether times such as “${time}” in “${header}” matter beside dates without one is not shown.`;
  const typed = isNearlyAll(days.length, times.length) ? typeOfDays(header, days) : undefined;
  if (typed?.type === "date") return { ...typed, questions: [...typed.questions, question] };
  return days.every((value) => isoDay.test(value) || midnight.test(value))
    ? toTyped("datetime", { questions: [question] })
    : undefined;
};

/** People find values that have no order by their names: `hall_2` before `hall_10`. */
const byName = new Intl.Collator("en", { numeric: true });

/** The spellings of each choice that an import tells apart, the most frequent first. */
const groupSpellings = (values: readonly string[]): readonly (readonly string[])[] => {
  const groups = new Map<string, Map<string, number>>();
  for (const value of values) {
    const key = toChoiceKey(value);
    const group = groups.get(key) ?? new Map<string, number>();
    groups.set(key, group.set(value, (group.get(value) ?? 0) + 1));
  }
  return [...groups.values()].map((group) =>
    [...group].toSorted(([, one], [, other]) => other - one).map(([spelling]) => spelling),
  );
};

const typeOfText = (header: string, values: readonly string[], dates: readonly string[] | undefined): Typed => {
  if (values.some((value) => value.includes("\n") || value.length > LONGEST_LINE)) return toTyped("long text");
  const groups = groupSpellings(values);
  const few = groups.length > 1 && groups.length <= MOST_CHOICES && values.length >= groups.length * SEEN_PER_CHOICE;
  const spellings = groups.flat();
  if (!few || spellings.some((value) => value.length > LONGEST_CHOICE)) return toTyped("text");
  const distinct = groups.flatMap(
    (group) => group.find((value) => toChoiceName(value) !== undefined) ?? group[0] ?? [],
  );
  if (areNamesOfPeople(header, distinct))
    return toTyped("text", {
      evidence: [`${groups.length} different values`],
      questions: [`Whether the people in “${header}” sign in, or are a choice of names, is not shown.`],
    });
  const other = spellings.find((value) => !distinct.includes(value));
  const evidence = [
    `${groups.length} different values`,
    ...(other === undefined ? [] : [`${spellings.length} spellings such as “${other}”`]),
  ];
  const plain = distinct.map((value) => toChoiceName(value));
  // “S” beside “XL” is called `S`, as one name with capitals shows how the others are written.
  const names = plain.every((name) => name === name?.toLowerCase())
    ? plain
    : distinct.map((value) => toChoiceName(value, true));
  const choices = names.filter((name) => name !== undefined);
  if (new Set(choices).size < names.length)
    return toTyped("text", { evidence, questions: [`The files don’t show if “${header}” takes other values.`] });
  const ordered = orderStates(header, choices, values, dates) ?? choices.toSorted(byName.compare);
  return toTyped("choice", { keys: { values: ordered }, evidence });
};

/** The type of numbers that are written alike. */
const typeOfNumbers = (header: string, distinct: readonly string[]): Typed | undefined => {
  const all = (pattern: RegExp) => distinct.every((value) => pattern.test(value));
  const currency = readCurrency(header)?.currency;
  if (currency !== undefined && all(decimal)) return toTyped("money", { keys: { currency } });
  if (all(integer)) return toTyped("integer");
  if (all(decimal)) return toTyped("decimal");
  const plain = distinct.find((value) => decimal.test(value));
  if (!distinct.every((value) => percentage.test(value) || decimal.test(value))) return undefined;
  return toTyped("decimal", {
    keys: { unit: "%" },
    questions: plain === undefined ? [] : [`Whether “${plain}” in “${header}” is a percentage is not shown.`],
  });
};

/** Amounts in one currency, some of which may be written without it. */
const typeOfAmounts = (header: string, distinct: readonly string[]): Typed | undefined => {
  const plain = distinct.filter((value) => decimal.test(value));
  const currency = findCurrency(distinct.filter((value) => !decimal.test(value)));
  const [first] = plain;
  if (currency === undefined) return undefined;
  return toTyped("money", {
    keys: { currency },
    questions:
      first === undefined ? [] : [`Whether “${first}” in “${header}” is an amount in ${currency} is not shown.`],
  });
};

/** Columns of codes: beside a cell that is no number, the numbers are not for calculating either. */
const isHeaderOfCodes = (header: string): boolean =>
  isKeyHeader(header) || phoneHeader.test(header) || /\b(?:post(?:al|code)?|zip|plz)\b/iu.test(header);

/** Cells such as 01234, 12a, A-17 and 12345-6789, which show that the numbers beside them may be codes, too. */
const code = /^0\d|^\p{L}+[-/]?\d|^\d+[-/ ]?\p{L}$|^\d+-\d+$/u;

/** True for a number in any notation, which an import could read although the others are written differently. */
const isNumber = (value: string): boolean =>
  decimal.test(value) || percentage.test(value) || codes.has(findCurrency([value]) ?? "");

/** The type of a column in which nearly all cells are numbers, undefined if they may be codes. */
const typeOfMostNumbers = (
  header: string,
  values: readonly string[],
): { readonly typed: Typed | undefined; readonly strays: readonly number[] } | undefined => {
  if (isHeaderOfCodes(header)) return undefined;
  const numbers = values.filter(isNumber);
  const strays = values.flatMap((value, row) => (value === "" || isNumber(value) ? [] : [row]));
  if (strays.length === 0 || !isNearlyAll(numbers.length, strays.length)) return undefined;
  const typed = typeOfNumbers(header, numbers) ?? typeOfAmounts(header, numbers);
  if (typed === undefined) return undefined;
  return { typed: strays.some((row) => code.test(values[row] ?? "")) ? undefined : typed, strays };
};

/** The narrowest type that fits every value; undefined for other texts. */
const typeOf = (header: string, distinct: readonly string[], hasGaps: boolean): Typed | undefined => {
  const all = (pattern: RegExp) => distinct.every((value) => pattern.test(value));
  if (distinct.length === 0)
    return toTyped("text", { questions: [`No row has a value in “${header}”, so its type is not shown.`] });
  if (!hasGaps && distinct.every((value) => booleans.has(value.toLowerCase())))
    return toTyped("boolean", { evidence: [distinct.map((value) => `“${value}”`).join(" and ")] });
  const numbers = typeOfNumbers(header, distinct);
  if (numbers !== undefined) return numbers;
  if (distinct.every(isClearDay)) return toTyped("date");
  if (all(moment)) return toTyped("datetime");
  if (all(time)) return toTyped("time");
  const days = typeOfDays(header, distinct) ?? typeOfDaysAndTimes(header, distinct);
  if (days !== undefined) return days;
  const amounts = typeOfAmounts(header, distinct);
  if (amounts !== undefined) return amounts;
  if (all(email)) return toTyped("email");
  if (all(url)) return toTyped("url");
  if (all(phone) && phoneHeader.test(header)) return toTyped("phone");
  return undefined;
};

const orderOfFirst = (values: readonly string[]): readonly string[] => [...new Set(values)];

/** Reads the columns of a table. The first one with dates shows in which order the states of its rows follow. */
export const observeColumns = (columns: readonly SheetColumn[]): readonly Observation[] => {
  const dates = columns.find(({ values }) => {
    const filled = values.filter((value) => value !== "");
    return filled.length > 0 && filled.every((value) => isoDay.test(value) || moment.test(value));
  })?.values;
  return columns.map((column) => observeColumn(column, dates));
};

/**
 * The type of a column and its evidence. `unique` is set only for columns whose header suggests a key. `dates`: a column of
 * dates in the same rows.
 */
const observeColumn = ({ header, values }: SheetColumn, dates: readonly string[] | undefined): Observation => {
  const filled = values.filter((value) => value !== "");
  const distinct = orderOfFirst(filled);
  const filledDates = dates?.filter((_, row) => values[row] !== "");
  const observed = typeOf(header, distinct, filled.length < values.length) ?? typeOfText(header, filled, filledDates);
  const most = ["text", "choice"].includes(observed.type) ? typeOfMostNumbers(header, values) : undefined;
  const found = most?.typed ?? observed;
  const isKey = values.length > 1 && distinct.length === values.length;
  const noTwoAlike = filled.length > 1 && distinct.length === filled.length && isKeyHeader(header);
  const unique = noTwoAlike && ["text", "integer", "email"].includes(found.type);
  const gaps = values.length - filled.length;
  return {
    type: found.type,
    keys: { ...found.keys, ...(unique ? { unique: true } : {}) },
    filled: filled.length,
    strays: most?.strays ?? [],
    isKey,
    evidence: [
      ...found.evidence,
      ...(unique ? [`no two of ${filled.length} rows share it`] : []),
      ...(gaps > 0 ? [`empty in ${gaps} of ${values.length} rows`] : []),
    ],
    questions: found.questions,
  };
};
