import type { Type } from "../rule/type.ts";
import { titleOf } from "./words.ts";

/** Values as people read them: in the document's language, datetimes in its zone. */
export type Format = (value: unknown, type: Type) => string;

const MISSING = "…";

/** A formatter of one document; the makers of `Intl` are slow, so it is made once and kept. */
export const formatterOf = (locale: string, timezone: string): Format => {
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const moment = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: timezone,
  });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 10 });
  return (value, type) => {
    if (value === null || value === undefined || value === "") return MISSING;
    switch (type.kind) {
      case "date":
        return day.format(new Date(`${String(value)}T00:00:00Z`));
      case "datetime":
        return moment.format(new Date(String(value)));
      case "integer":
        return number.format(Number(value));
      case "decimal":
      case "money":
        // As text, for a double would round what a decimal holds.
        return number.format(String(value) as `${number}`);
      case "choice":
        return titleOf(String(value));
      default:
        return String(value);
    }
  };
};
