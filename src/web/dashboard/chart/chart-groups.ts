import { withoutGaps } from "../../../core/derive/client/measured-values.ts";
import type { EntityJson, StateMarkJson } from "../../../core/wire/entities.ts";
import type { GroupJson } from "../../../core/wire/overview.ts";
import type { AxisJson, MeasureJson } from "../../../core/wire/screens.ts";
import { useLocale } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { compareToToday } from "./chart-values.ts";

/** The data of a chart as the server counts it. */
export interface ChartData {
  readonly per: AxisJson;
  readonly value: MeasureJson;
  readonly entity: EntityJson;
  readonly groups: readonly GroupJson[];
}

/** A group with its full and short label, and the icon of a state. */
export interface NamedGroup extends GroupJson {
  readonly words: string;
  readonly short: string;
  readonly mark: StateMarkJson | null;
  readonly at: "past" | "now" | "future";
}

/** Names the groups of a chart, and adds those without records to a series over time. */
export const useNamedGroups = ({ per, value, entity, groups }: ChartData): readonly NamedGroup[] => {
  const { say, show } = useWords();
  const { today } = useLocale();
  const field = entity.fields.find(({ name }) => name === per.field);
  const states = field?.type === "state" ? entity.states?.states : undefined;
  const run = per.step === null ? groups : withoutGaps(groups, per.step, value);
  const years = new Set(run.map(({ key }) => (typeof key === "string" ? key.slice(0, 4) : "")));
  return run.map((group, at) => {
    const { key, label } = group;
    const named = {
      mark: states?.find(({ name }) => name === key)?.mark ?? null,
      at: compareToToday(key, per.step, today),
    };
    if (key === null) return { ...group, ...named, words: say("value.none"), short: say("value.none") };
    if (per.step !== null && typeof key === "string") {
      const first = at === 0 || run[at - 1]?.key?.toString().slice(0, 4) !== key.slice(0, 4);
      return {
        ...group,
        ...named,
        words: show.period(key, per.step),
        short: show.period(key, per.step, years.size > 1 && first),
      };
    }
    const words =
      label ??
      (typeof key === "boolean"
        ? show.boolean(key)
        : field
          ? (show.value(field, key, false) ?? "")
          : typeof key === "number"
            ? String(key)
            : key);
    return { ...group, ...named, words, short: words };
  });
};

/** Named groups, and how their values are written. */
export interface DrawnGroups {
  readonly groups: readonly NamedGroup[];
  readonly figure: (value: number | string | null) => string;
  readonly addressOf: GroupAddress;
}

/** The address of the list that shows the records of a group; null if no list can. */
export type GroupAddress = (group: NamedGroup) => string | null;
