import {
  addUpGroups,
  groupNumber,
  hasTotal,
  largestGroups,
  sumGroups,
  withoutGaps,
} from "../../../core/derive/client/measured-values.ts";
import type { GroupJson } from "../../../core/wire/overview.ts";
import type { AxisJson, MeasureJson } from "../../../core/wire/screens.ts";
import type { ReportWords } from "../../mail/email-templates.ts";
import type { MailBar, MailBars } from "../../mail/mail-body.ts";

/** The values and words of a chart in a mail. */
interface ChartReader {
  readonly words: ReportWords;
  /** The value of a group in words. */
  readonly name: (key: string | number | boolean, label: string | undefined) => string;
  /** The first day of a period in words. */
  readonly period: (first: string, step: NonNullable<AxisJson["step"]>) => string;
  readonly figure: (value: string | null) => string;
}

/** Maximum number of periods in a mail: the newest ones. */
const MAX_PERIODS = 12;

/** A chart as bars, which mail programs show without loading a picture. */
export const buildBars = (
  per: AxisJson,
  value: MeasureJson,
  groups: readonly GroupJson[],
  { words, name, period, figure }: ChartReader,
): MailBars => {
  const { shown, others, isEarlier } = chooseGroups(per, value, groups);
  // The rest is often much more than any group, whose bars would then be too short to compare.
  const most = Math.max(...shown.map(groupNumber));
  const barOf = (title: string, number: number | null, text: string): MailBar => ({
    title,
    value: text,
    part: number === null || most <= 0 ? 0 : Math.min(1, Math.max(0, number / most)),
  });
  const bars = shown.map((group) => {
    const { key, label } = group;
    const title =
      key === null
        ? words.pivot.none(per.label)
        : per.step !== null && typeof key === "string"
          ? period(key, per.step)
          : name(key, label);
    return barOf(title, groupNumber(group), figure(group.value));
  });
  const rest =
    others === null
      ? []
      : [
          barOf(
            isEarlier ? words.earlier(others.count) : words.pivot.others(others.count),
            others.value,
            others.value === null ? "" : figure(String(others.value)),
          ),
        ];
  return {
    bars: isEarlier ? [...rest, ...bars] : [...bars, ...rest],
    total: hasTotal(value, groups) ? [words.pivot.total, figure(String(sumGroups(groups)))] : null,
  };
};

/** The newest periods of a series over time, else the largest groups. */
const chooseGroups = ({ step }: AxisJson, value: MeasureJson, groups: readonly GroupJson[]) => {
  if (step === null) return { ...largestGroups(groups, value), isEarlier: false };
  const run = withoutGaps(groups, step, value);
  const dated = run.filter(({ key }) => key !== null);
  const earlier = dated.slice(0, -MAX_PERIODS);
  return {
    shown: run.slice(earlier.length),
    others: earlier.length === 0 ? null : addUpGroups(earlier, value),
    isEarlier: true,
  };
};
