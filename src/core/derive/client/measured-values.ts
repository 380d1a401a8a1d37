import { addToDate, fromDayNumber, toDayNumber } from "../../expression/values/calendar.ts";
import { monthsOf } from "../../expression/values/periods.ts";
import type { GroupJson } from "../../wire/overview.ts";
import type { AxisJson, MeasureJson, TargetJson } from "../../wire/screens.ts";

/** Values of charts and figures, for pages and mails. */

type GroupStep = NonNullable<AxisJson["step"]>;

/** The first day of the next group; the last possible date if there is none. */
export const nextGroup = (first: string, step: GroupStep): string => {
  const next =
    step === "day" || step === "week"
      ? fromDayNumber(toDayNumber(first) + (step === "day" ? 1 : 7))
      : addToDate(first, { months: monthsOf[step], days: 0, milliseconds: 0 }, 1);
  return next ?? "9999-12-31";
};

/** True if groups add up to a total: counts and sums do, averages and extremes do not. */
const addsUp = ({ how }: MeasureJson): boolean => how === "count" || how === "sum";

/** Maximum number of empty groups inserted between two groups. */
const mostSteps = 120;

/** Fills gaps in a series over time with zero. */
export const withoutGaps = (
  groups: readonly GroupJson[],
  step: GroupStep,
  measure: MeasureJson,
): readonly GroupJson[] => {
  const dated = groups.filter(({ key }) => typeof key === "string");
  const [first, last] = [dated[0]?.key, dated.at(-1)?.key];
  if (typeof first !== "string" || typeof last !== "string") return groups;
  const known = new Map(dated.map((group) => [group.key, group]));
  const run: GroupJson[] = [];
  for (let at = first; at <= last && run.length <= mostSteps; at = nextGroup(at, step))
    run.push(known.get(at) ?? { key: at, value: addsUp(measure) ? "0" : null });
  const isComplete = run.length <= mostSteps && dated.every(({ key }) => run.some((group) => group.key === key));
  return [...(isComplete ? run : dated), ...groups.filter(({ key }) => typeof key !== "string")];
};

const shownGroups = 8;

/** Groups that have no room of their own. `value`: null if they cannot be added up. */
interface OtherGroups {
  readonly count: number;
  readonly value: number | null;
}

/** The eight largest groups, in the given order, and the total of the others. */
export const largestGroups = (
  groups: readonly GroupJson[],
  measure: MeasureJson,
): { readonly shown: readonly GroupJson[]; readonly others: OtherGroups | null } => {
  if (groups.length <= shownGroups + 1) return { shown: groups, others: null };
  const large = new Set(groups.toSorted((one, other) => groupNumber(other) - groupNumber(one)).slice(0, shownGroups));
  return {
    shown: groups.filter((group) => large.has(group)),
    others: addUpGroups(
      groups.filter((group) => !large.has(group)),
      measure,
    ),
  };
};

export const addUpGroups = (groups: readonly GroupJson[], measure: MeasureJson): OtherGroups => ({
  count: groups.length,
  value: addsUp(measure) ? sumGroups(groups) : null,
});

export const groupNumber = ({ value }: GroupJson): number => Number(value ?? 0);
export const sumGroups = (groups: readonly GroupJson[]): number =>
  groups.reduce((sum, group) => sum + groupNumber(group), 0);
export const hasTotal = (measure: MeasureJson, groups: readonly GroupJson[]): boolean =>
  addsUp(measure) && groups.length > 1;

/** How a value of a measure is written: as a percentage, an amount of money, or a number with its unit. */
export type Notation =
  | { readonly kind: "share" }
  | { readonly kind: "money"; readonly currency: string }
  | { readonly kind: "number"; readonly unit: string | null };

/** A unit that is the label of the measure already is left out. */
export const chooseNotation = ({ how, label, unit, currency }: MeasureJson): Notation => {
  if (how === "share") return { kind: "share" };
  if (how === "count") return { kind: "number", unit: null };
  if (currency !== null) return { kind: "money", currency };
  return { kind: "number", unit: unit?.toLowerCase() === label.toLowerCase() ? null : unit };
};

/** A number with its unit stays in one line. */
export const withUnit = (number: string, unit: string | null): string =>
  unit === null ? number : `${number}\u00a0${unit}`;

/** True if the figure keeps its bound; null without a figure. */
export const keepsTarget = (value: string | null, { bound, value: target }: TargetJson): boolean | null =>
  value === null ? null : bound === "at least" ? Number(value) >= Number(target) : Number(value) <= Number(target);

/** The id of the text about a target, such as "Below the target of 90%". `isMet`: null without a figure. */
export const targetTextOf = ({ bound }: TargetJson, isMet: boolean | null) => {
  if (bound === "at least")
    return isMet === null ? "target.least" : isMet ? "target.least.kept" : "target.least.missed";
  return isMet === null ? "target.most" : isMet ? "target.most.kept" : "target.most.missed";
};
