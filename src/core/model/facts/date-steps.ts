import type { Operation } from "../../expression/operations/operations.ts";
import { addToDate, fromDayNumber, toDayNumber } from "../../expression/values/calendar.ts";
import { monthsOf } from "../../expression/values/periods.ts";

/** The periods of dates by which records are grouped. */
export const dateSteps = ["month", "quarter", "year"] as const;
export type DateStep = (typeof dateSteps)[number];

/** The function that returns the first day of a period, as in the charts of a document. */
export const stepFunctions = {
  month: "month_of(date)",
  quarter: "quarter_of(date)",
  year: "year_of(date)",
} as const satisfies Record<DateStep, Operation>;

/** A field by whose values records are grouped. Null if nothing is said about periods: dates are grouped by month. */
export interface GroupKey {
  readonly field: string;
  readonly step: DateStep | null;
}

const inPeriods = /^(month|quarter|year)_of\(\s*(\w+)\s*\)$/u;

/** Parses `kind`, `day` and `quarter_of(day)`, as in documents, addresses and calls. */
export const parseGroupKey = (text: string): GroupKey => {
  const [, named, field] = inPeriods.exec(text) ?? [];
  const step = dateSteps.find((one) => one === named);
  return step === undefined || field === undefined ? { field: text, step: null } : { field, step };
};

/** The shortest form, because texts are compared. */
export const writeGroupKey = ({ field, step }: GroupKey): string =>
  step === null || step === "month" ? field : `${step}_of(${field})`;

/** Changes the field and keeps the period. */
export const mapGroupKey = (text: string, change: (field: string) => string): string => {
  const { field, step } = parseGroupKey(text);
  return writeGroupKey({ field: change(field), step });
};

/** The first day of the next period; null after the last possible date. */
const nextPeriod = (first: string, step: DateStep): string | null =>
  addToDate(first, { months: monthsOf[step], days: 0, milliseconds: 0 }, 1);

/** The last day of the period that begins with a day. */
export const lastOfPeriod = (first: string, step: DateStep): string => {
  const next = nextPeriod(first, step);
  return (next === null ? null : fromDayNumber(toDayNumber(next) - 1)) ?? "9999-12-31";
};
