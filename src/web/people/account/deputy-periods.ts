import type { RecordJson } from "../../../core/wire/records.ts";
import { addDays } from "../../format/dates.ts";

export interface Period {
  readonly first: string;
  readonly last: string;
}

/** The days of an arrangement. */
export const getPeriod = ({ first_day, last_day }: RecordJson): Period => ({
  first: String(first_day),
  last: String(last_day),
});

/** The first day, from today on, that none of these arrangements has. */
export const findFreeDay = (records: readonly RecordJson[], today: string): string =>
  records
    .map(getPeriod)
    .toSorted((one, other) => one.first.localeCompare(other.first))
    .reduce((day, { first, last }) => (first <= day && day <= last ? addDays(last, 1) : day), today);

export const findInPeriod = (records: readonly RecordJson[], period: Period | null): readonly RecordJson[] =>
  period === null
    ? []
    : records.filter((record) => getPeriod(record).first <= period.last && getPeriod(record).last >= period.first);

/** How an arrangement makes room for a later one: it ends the day before, unless it begins no earlier. */
export type Room = { readonly kind: "end"; readonly last: string } | { readonly kind: "remove" };

/** How an arrangement makes room from a day on; null if the user cannot change it so. */
export const findRoom = (record: RecordJson, from: string): Room | null => {
  const { update = [], delete: mayRemove = false } = record.may ?? {};
  if (getPeriod(record).first < from)
    return update.includes("last_day") ? { kind: "end", last: addDays(from, -1) } : null;
  return mayRemove ? { kind: "remove" } : null;
};
