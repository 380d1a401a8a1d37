import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import { useApplication, useLocale } from "../app/app-context.tsx";
import { localInstant } from "../format/time-zone.ts";
import { findNewScreen } from "../routing/routes.ts";

/** Address of a form that creates a record on a day, at a time in minutes if it has one. */
export type CreateAt = (day: string, minutes: number) => string;

const HOUR = 60;
const LAST_MINUTE = 24 * HOUR - 1;

/** `75` is `01:15`. */
export const toClock = (minutes: number): string =>
  `${String(Math.floor(minutes / HOUR)).padStart(2, "0")}:${String(minutes % HOUR).padStart(2, "0")}`;

/** Null if no form creates records with a start date. */
export const useCreateAt = (entity: EntityJson, from: FieldJson, to: FieldJson | null): CreateAt | null => {
  const { screens } = useApplication();
  const { timezone } = useLocale();
  const form = findNewScreen(screens, entity.name);
  const isGiven = ({ name }: FieldJson): boolean =>
    entity.create?.includes(name) === true && form?.fields.includes(name) === true;
  if (form === null || !isGiven(from)) return null;
  return (day, minutes) => {
    const at = (minute: number): string =>
      from.type === "datetime" ? (localInstant(day, toClock(Math.min(minute, LAST_MINUTE)), timezone) ?? day) : day;
    const params = new URLSearchParams({ [from.name]: at(minutes) });
    if (to !== null && isGiven(to)) params.set(to.name, at(minutes + HOUR));
    return `${form.path}?${params}`;
  };
};
