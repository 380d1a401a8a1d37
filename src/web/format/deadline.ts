import type { FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toUtcDate } from "./dates.ts";
import { getValue } from "./record-values.ts";
import { toLocalTime } from "./time-zone.ts";

export type DeadlineUnit = "minutes" | "hours" | "days" | "weeks" | "months";

/** A deadline near or past: how much time is left, or how long it is overdue. */
export interface DeadlineDistance {
  readonly late: boolean;
  readonly count: number;
  readonly unit: DeadlineUnit;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Beyond this number of days, the date says more than the distance. */
const NEAR_DAYS = 6;

const inDays = (days: number): Omit<DeadlineDistance, "late"> => {
  if (days < 14) return { count: days, unit: "days" };
  return days < 60 ? { count: Math.floor(days / 7), unit: "weeks" } : { count: Math.floor(days / 30), unit: "months" };
};

/** The days from one day to another. */
const countDays = (from: string, to: string): number =>
  Math.round((toUtcDate(to).getTime() - toUtcDate(from).getTime()) / DAY);

/**
 * A date is overdue when its day is over, a datetime at its moment. Null for a deadline that is not near. What is due
 * today or in the next hours is counted in hours, anything later in days of the calendar.
 */
const getDistance = (value: string, today: string, now: number, timezone: string): DeadlineDistance | null => {
  if (value.length === 10) {
    const days = countDays(today, value);
    if (days < 0) return { late: true, ...inDays(-days) };
    return days <= NEAR_DAYS ? { late: false, count: days, unit: "days" } : null;
  }
  const remaining = Date.parse(value) - now;
  const size = Math.abs(remaining);
  const late = remaining < 0;
  if (size < HOUR) return { late, count: Math.floor(size / MINUTE), unit: "minutes" };
  const hours = { late, count: Math.floor(size / HOUR), unit: "hours" } as const;
  if (late) return size < 2 * DAY ? hours : { late, ...inDays(Math.floor(size / DAY)) };
  const dayOf = (time: number) => toLocalTime(new Date(time).toISOString(), timezone).day;
  const days = countDays(dayOf(now), dayOf(Date.parse(value)));
  if (days === 0 || size < DAY / 2) return hours;
  return days <= NEAR_DAYS ? { late, count: days, unit: "days" } : null;
};

/** True if what the deadline is about has been done, or nobody will do it. */
export const isDeadlineOver = ({ deadline }: FieldJson, record: RecordJson): boolean => {
  const state = deadline === undefined ? undefined : getValue(record, deadline.field);
  return typeof state === "string" && deadline?.over.includes(state) === true;
};

/** The distance of a deadline; null if the field is none in the record’s state, or the state is not known. */
export const findDeadline = (
  { name, deadline }: FieldJson,
  record: RecordJson,
  { today, timezone }: { readonly today: string; readonly timezone: string },
  now: number,
): DeadlineDistance | null => {
  if (deadline === undefined) return null;
  const [state, value] = [getValue(record, deadline.field), getValue(record, name)];
  if (typeof state !== "string" || typeof value !== "string" || !deadline.states.includes(state)) return null;
  return getDistance(value, today, now, timezone);
};
