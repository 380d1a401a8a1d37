import { addToDate, getZone, localToInstant, wallClockAt } from "../../core/expression/values/calendar.ts";
import type { MailPreferenceJson, MailTiming } from "../../core/wire/accounts/preferences.ts";

const timings: readonly string[] = ["now", "daily", "never"] satisfies readonly MailTiming[];
const isTiming = (value: unknown): value is MailTiming => typeof value === "string" && timings.includes(value);

/** Maximum number of entities with their own timing. */
const MAX_ENTITIES = 100;

/** Maximum number of lists and overviews that are not sent, and the length of their addresses. */
export const MAX_STOPPED = 100;
const MAX_ADDRESS = 200;

const areAddresses = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= MAX_STOPPED &&
  value.every((one) => typeof one === "string" && one.startsWith("/") && one.length <= MAX_ADDRESS);

const isZone = (value: unknown): boolean => {
  if (typeof value !== "string" || value.length > 50) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
};

/** True for a valid choice of mails about notifications. */
export const isMailPreference = (value: unknown): value is MailPreferenceJson => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { when, at, zone, kinds, reports, stopped, ...more } = value as Readonly<Record<string, unknown>>;
  return (
    Object.keys(more).length === 0 &&
    (when === undefined || isTiming(when)) &&
    (reports === undefined || reports === "never") &&
    (stopped === undefined || areAddresses(stopped)) &&
    (at === undefined || (typeof at === "string" && /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(at))) &&
    (zone === undefined || isZone(zone)) &&
    (kinds === undefined ||
      (typeof kinds === "object" &&
        kinds !== null &&
        !Array.isArray(kinds) &&
        Object.keys(kinds).length <= MAX_ENTITIES &&
        Object.values(kinds).every(isTiming)))
  );
};

/** The time of the digest if neither the document nor the person has chosen one. */
const MORNING = "08:00";

/** The timing of mails about notifications of an entity: at once, unless the person chose otherwise. */
export const timingFor = ({ when = "now", kinds = {} }: MailPreferenceJson, entity: string): MailTiming =>
  (Object.hasOwn(kinds, entity) ? kinds[entity] : undefined) ?? when;

/** The time of the daily mail and its zone, such as "08:00 (Europe/Berlin)". */
export const digestTime = ({ at = MORNING, zone }: MailPreferenceJson, ownZone: string): string =>
  `${at} (${zone ?? ownZone})`;

/** The time of the first digest after an instant. */
export const nextDigest = ({ at = MORNING, zone }: MailPreferenceJson, after: Date, ownZone: string): Date => {
  const rules = getZone(zone ?? ownZone);
  const { day } = wallClockAt(after.toISOString(), rules);
  for (const days of [0, 1, 2]) {
    const date = addToDate(day, { months: 0, days, milliseconds: 0 }, 1);
    const instant = date === null ? null : localToInstant(date, at, rules);
    if (instant !== null && Date.parse(instant) > after.getTime()) return new Date(instant);
  }
  return after;
};
