import { useRef } from "react";
import { hasTotal, sumGroups } from "../../../core/derive/client/measured-values.ts";
import type { AxisJson, MeasureJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { useArrowStops } from "../../ui/dom/use-arrow-stops.ts";
import { StateMark } from "../../ui/state-mark.tsx";
import { GroupLink } from "./bars.tsx";
import type { DrawnGroups } from "./chart-groups.ts";
import { measures } from "./figures.ts";

/** The data of a chart as a table. */
export const ChartTable = ({
  name,
  per,
  value,
  groups,
  figure,
  addressOf,
}: DrawnGroups & { name: string; per: AxisJson; value: MeasureJson }) => {
  const { say } = useWords();
  const table = useRef<HTMLDivElement>(null);
  useArrowStops(table);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of data, not of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
    <div ref={table} className="chart-table" role="group" tabIndex={0} aria-label={name}>
      <table>
        <caption className="hidden-words">{name}</caption>
        <thead>
          <tr>
            <th scope="col">{per.label}</th>
            <th scope="col" className="end">
              {say(measures[value.how], { of: value.label })}
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={String(group.key)}>
              <th scope="row">
                {group.mark && <StateMark mark={group.mark} />}{" "}
                <GroupLink words={group.words} href={addressOf(group)} />
              </th>
              <td className="end figures">{figure(group.value)}</td>
            </tr>
          ))}
        </tbody>
        {hasTotal(value, groups) && (
          <tfoot>
            <tr>
              <th scope="row">{say("chart.together")}</th>
              <td className="end figures">{figure(sumGroups(groups))}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
};
