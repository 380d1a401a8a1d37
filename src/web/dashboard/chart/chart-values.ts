import { nextGroup } from "../../../core/derive/client/measured-values.ts";
import type { GroupJson } from "../../../core/wire/overview.ts";
import type { AxisJson } from "../../../core/wire/screens.ts";

/** Tick marks in even steps that include zero, the last at or above the maximum. Whole numbers have whole steps. */
export const chooseTicks = (values: readonly number[]): readonly number[] => {
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)];
  const span = most - least;
  if (span === 0) return [0, 1];
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const isPossible = (step: number) => step >= rough && (Number.isInteger(step) || !values.every(Number.isInteger));
  const step = [1, 2, 2.5, 5, 10].map((item) => item * power).find(isPossible) ?? Math.ceil(rough);
  const [from, to] = [Math.floor(least / step), Math.ceil(most / step)];
  return Array.from({ length: to - from + 1 }, (_, at) => Number(((from + at) * step).toPrecision(12)));
};

/** Compares a date group with today. */
export const compareToToday = (
  key: GroupJson["key"],
  step: AxisJson["step"],
  today: string,
): "past" | "now" | "future" => {
  if (typeof key !== "string" || step === null) return "past";
  if (key > today) return "future";
  return today < nextGroup(key, step) ? "now" : "past";
};
