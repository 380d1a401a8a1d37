import { type Duration, isDurationInRange, units } from "../expression/values/duration.ts";
import { toIsoDuration } from "../expression/values/iso-duration.ts";
import { typedLocale } from "../model/format.ts";
import { memoizeByKey } from "../util/memoize.ts";

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

/** All words for each unit in a language. */
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

const clock = /^(\d{1,7}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/;

/**
 * Parses a duration as people write it, or returns null: `2 weeks`, `1 day, 2 hours`, `1.5 h`, `90 min`, `1:30`. Days
 * and longer units must be integers. `readCount` parses the number before a unit.
 */
export const readDurationText = (
  typed: string,
  locale: string,
  readCount: (figure: string) => string | null,
): string | null => {
  const text = typed.trim();
  const [, hours, minutes, seconds] = clock.exec(text) ?? [];
  if (hours !== undefined)
    return formatParts({
      months: 0,
      days: 0,
      milliseconds: Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1_000),
    });
  const words = wordsIn(locale);
  const sum = { months: 0, days: 0, milliseconds: 0 };
  let read = 0;
  const rest = text.replace(/(\d[\d.,’']*)\s*(\p{L}[\p{L}\p{M}.]*)/gu, (_, figure: string, word: string) => {
    const unit = words.get(plain(word));
    const count = Number(readCount(figure) ?? Number.NaN);
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
