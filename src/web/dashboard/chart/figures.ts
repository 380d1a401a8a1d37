import { chooseNotation, withUnit } from "../../../core/derive/client/measured-values.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { MeasureJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";

/** Labels of measures. */
export const measures = {
  count: "chart.count",
  sum: "chart.sum",
  min: "chart.min",
  max: "chart.max",
  avg: "chart.avg",
  share: "chart.share",
} satisfies Record<MeasureJson["how"], WordId>;

/** Writes a value of a measure with its currency or unit, a share as a percentage; "none" if there is no value. */
export const useFigure = (measure: MeasureJson): ((value: number | string | null) => string) => {
  const { say, show } = useWords();
  const notation = chooseNotation(measure);
  return (value) => {
    if (value === null) return say("value.none");
    switch (notation.kind) {
      case "share":
        return show.percent(Number(value) / 100, 1);
      case "money":
        return show.money(value, notation.currency);
      case "number":
        return withUnit(show.number(value), notation.unit);
    }
  };
};

/**
 * The difference to another value as a fraction of it; for shares in percentage points. Null if it cannot be stated: a
 * value is missing, or the other one is zero.
 */
export const changeBetween = (how: MeasureJson["how"], before: string | null, now: string | null): number | null => {
  if (before === null || now === null) return null;
  const difference = Number(now) - Number(before);
  if (how === "share") return difference;
  return Number(before) === 0 ? null : difference / Math.abs(Number(before));
};
