import { type Duration, isDurationInRange, units } from "../../core/expression/values/duration.ts";
import { readDuration, toIsoDuration } from "../../core/field/duration.ts";
import { durationParts } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import { typedLocale } from "./locale-context.ts";
import { readDecimal } from "./numbers.ts";

/** Formats `P1DT2H` for a control: `1 day, 2 hours`. */
export const typedDuration = (iso: string, locale: string): string => {
  const read = readDuration(iso.replace(/^-/, ""));
  return read === undefined ? iso : durationParts(read, typedLocale(locale), false).join(", ");
};

type Unit = keyof typeof units;
const unitNames = Object.keys(units) as Unit[];

const plain = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase().replace(/\.$/, "");

/** Unit letters common to all languages. */
const usual: readonly (readonly [string, Unit])[] = [
  ["y", "year"],
  ["mo", "month"],
  ["w", "week"],
  ["d", "day"],
  ["h", "hour"],
  ["min", "minute"],
  ["m", "minute"],
  ["s", "second"],
];

/** All words for each unit in the language. */
const wordsIn = memoizeByKey((locale): ReadonlyMap<string, Unit> => {
  const words = new Map<string, Unit>(usual);
  for (const unitDisplay of ["narrow", "short", "long"] as const)
    for (const unit of unitNames) {
      const format = new Intl.NumberFormat(typedLocale(locale), { style: "unit", unit, unitDisplay });
      for (const count of [0, 1, 2, 3, 5, 11, 100]) {
        const word = format
          .formatToParts(count)
          .find((part) => part.type === "unit")
          ?.value.trim();
        // "m" usually means minutes, so it is not a month.
        if (word && !usual.some(([letter]) => letter === plain(word))) words.set(plain(word), unit);
      }
    }
  return words;
});

/** Conjunctions in lists: "and", "et", "e". */
const joiningIn = memoizeByKey((locale): readonly string[] =>
  (["unit", "conjunction"] as const).flatMap((type) =>
    new Intl.ListFormat(typedLocale(locale), { type })
      .formatToParts(["1", "2"])
      .filter((part) => part.type === "literal")
      .map(({ value }) => plain(value.trim())),
  ),
);

const clock = /^(\d{1,4}):([0-5]\d)(?::([0-5]\d))?$/;

/**
 * Parses a duration as people type it, or returns null: `2 weeks`, `1 day, 2 hours`, `1.5 h`, `90 min`, `1:30`. Days
 * and longer units must be integers.
 */
export const readTypedDuration = (typed: string, locale: string): string | null => {
  const text = typed.trim();
  const [, hours, minutes, seconds] = clock.exec(text) ?? [];
  if (hours !== undefined)
    return formatParts({
      months: 0,
      days: 0,
      milliseconds: (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1_000,
    });
  const words = wordsIn(locale);
  const sum = { months: 0, days: 0, milliseconds: 0 };
  let read = 0;
  const rest = text.replace(/(\d[\d.,’']*)\s*(\p{L}[\p{L}\p{M}.]*)/gu, (_, figure: string, word: string) => {
    const unit = words.get(plain(word));
    // Decimal and grouping marks follow the language.
    const count = Number(readDecimal(figure, locale) ?? Number.NaN);
    const one: Partial<Duration> = unit === undefined ? {} : units[unit];
    const isExact = Number.isInteger(count) || one.milliseconds !== undefined;
    if (unit === undefined || !isExact || Number.isNaN(count)) return "?";
    sum.months += count * (one.months ?? 0);
    sum.days += count * (one.days ?? 0);
    sum.milliseconds += Math.round(count * (one.milliseconds ?? 0));
    read++;
    return "";
  });
  const between = rest.split(/[\s,;+&]+/u).filter((word) => word !== "" && !joiningIn(locale).includes(plain(word)));
  return read > 0 && between.length === 0 ? formatParts(sum) : null;
};

const formatParts = (duration: Duration): string | null =>
  isDurationInRange(duration) ? toIsoDuration(duration) : null;
