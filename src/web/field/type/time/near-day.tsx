import { memoizeByKey } from "../../../../core/util/memoize.ts";
import { useLocale } from "../../../app/app-context.tsx";
import { addDays } from "../../../format/dates.ts";

const relativeIn = memoizeByKey((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));

/** Says “yesterday”, “today” or “tomorrow” for a day; null for any other. */
export const useNearDay = (): ((day: string) => string | null) => {
  const { locale, today } = useLocale();
  return (day) => {
    const distance = [-1, 0, 1].find((days) => addDays(today, days) === day);
    return distance === undefined ? null : relativeIn(locale).format(distance, "day");
  };
};

/** A date or a time in a cell, near enough for words. The date itself is read aloud, shown on hover and printed. */
export const NearTime = ({ value, words, absolute }: { value: string; words: string; absolute: string }) => (
  <time className="figures near-time" dateTime={value} title={absolute}>
    <span className="unbroken">{words}</span>
    <span className="hidden-words">
      <span>, </span>
      {absolute}
    </span>
  </time>
);
