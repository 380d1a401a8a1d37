import { addDays } from "./dates.ts";
import { toLocalTime } from "./time-zone.ts";

/** "since 14:02" for today, "since Tuesday", "since 10 Sep". */
export const formatRelativeTime = (instant: string, now: number, locale: string, timezone: string): string => {
  const [then, today] = [toLocalTime(instant, timezone).day, toLocalTime(new Date(now).toISOString(), timezone).day];
  const as: Intl.DateTimeFormatOptions =
    then === today
      ? { hour: "2-digit", minute: "2-digit" }
      : then > addDays(today, -7)
        ? { weekday: "long" }
        : { day: "numeric", month: "short", ...(then.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" }) };
  return new Intl.DateTimeFormat(locale, { ...as, timeZone: timezone }).format(new Date(instant));
};

/** "3 minutes ago", "today, 14:02", "yesterday, 09:20"; later the date. All in the application's time zone. */
export const whenWords = (
  instant: string,
  now: number,
  { locale, timezone, join }: { locale: string; timezone: string; join: (day: string, time: string) => string },
): string => {
  const minutes = Math.floor((now - Date.parse(instant)) / 60_000);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  if (minutes < 1) return relative.format(0, "second");
  if (minutes < 60) return relative.format(-minutes, "minute");
  const [then, today] = [toLocalTime(instant, timezone).day, toLocalTime(new Date(now).toISOString(), timezone).day];
  const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: timezone });
  const at = new Date(instant);
  if (then === today) return join(relative.format(0, "day"), time.format(at));
  if (then === addDays(today, -1)) return join(relative.format(-1, "day"), time.format(at));
  const year = then.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" as const };
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", ...year, timeZone: timezone });
  return join(day.format(at), time.format(at));
};
