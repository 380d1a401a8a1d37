import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import { useApplication, useLocale } from "../app/app-context.tsx";
import { localInstant } from "../format/time-zone.ts";
import { findNewScreen } from "../routing/routes.ts";
import { avoidSkippedTimes, LAST_MINUTE, toClock } from "./entry-layout.ts";

/** A day, and a time of it in minutes. */
interface DayAndMinute {
  readonly day: string;
  readonly minutes: number;
}

/** Address of a form that creates a record on a day, at a time in minutes if it has one; by default for an hour. */
export type CreateAt = (day: string, minutes: number, end?: DayAndMinute | null) => string;

/** Default start time of a record created on a day, in minutes. */
export const MORNING = 9 * 60;

const HOUR = 60;

/** Null if no form creates records with a start date. */
export const useCreateAt = (entity: EntityJson, from: FieldJson, to: FieldJson | null): CreateAt | null => {
  const { screens } = useApplication();
  const { timezone } = useLocale();
  const form = findNewScreen(screens, entity.name);
  const isGiven = ({ name }: FieldJson): boolean =>
    entity.create?.includes(name) === true && form?.fields.includes(name) === true;
  if (form === null || !isGiven(from)) return null;
  return (day, minutes, end = null) => {
    const last = end ?? { day, minutes: minutes + HOUR };
    const clockOf = (on: DayAndMinute) => toClock(Math.min(on.minutes, LAST_MINUTE));
    const wished = { from: day, to: last.day, time: clockOf({ day, minutes }), until: clockOf(last) };
    const { time, until } = avoidSkippedTimes(wished, timezone);
    const at = (day: string, clock: string | null): string =>
      from.type === "datetime" && clock !== null ? (localInstant(day, clock, timezone) ?? day) : day;
    const params = new URLSearchParams({ [from.name]: at(day, time) });
    if (to !== null && isGiven(to)) params.set(to.name, at(last.day, until));
    return `${form.path}?${params}`;
  };
};
