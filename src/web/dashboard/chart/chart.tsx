import { type ReactNode, useRef } from "react";
import { groupNumber, targetTextOf } from "../../../core/derive/client/measured-values.ts";
import type { TargetJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { useArrowStops } from "../../ui/dom/use-arrow-stops.ts";
import { Bars, PartsOfTotal } from "./bars.tsx";
import { type ChartData, type GroupAddress, type NamedGroup, useNamedGroups } from "./chart-groups.ts";
import { ChartTable } from "./chart-table.tsx";
import { useFigure } from "./figures.ts";
import { Plot } from "./plot.tsx";
import "../../styles/drawings.css";
import "./chart.css";

interface ChartProps extends ChartData {
  readonly kind: "columns" | "bars" | "lines" | "parts";
  readonly name: string;
  readonly target: TargetJson | null;
  readonly more: boolean;
  readonly asTable: boolean;
  readonly addressOf: GroupAddress;
}

/** A chart, or its data as a table. It has a sentence as its accessible name, and nothing depends on colour alone. */
export const Chart = (props: ChartProps) => {
  const { say } = useWords();
  const { kind, name, value, target, per, asTable, more, addressOf } = props;
  const groups = useNamedGroups(props);
  const figure = useFigure(value);
  const largest = groups.reduce<NamedGroup | null>(
    (largestYet, group) => (largestYet && groupNumber(largestYet) >= groupNumber(group) ? largestYet : group),
    null,
  );
  const sentence = largest
    ? say("chart.sentence", {
        name,
        count: groups.length,
        by: per.label,
        largest: largest.words,
        value: figure(largest.value),
      })
    : name;
  if (asTable)
    return <ChartTable name={name} per={per} value={value} groups={groups} figure={figure} addressOf={addressOf} />;
  return (
    <Drawing>
      {kind === "columns" || kind === "lines" ? (
        <Plot kind={kind} groups={groups} figure={figure} addressOf={addressOf} target={target} sentence={sentence} />
      ) : kind === "bars" ? (
        <Bars groups={groups} value={value} figure={figure} addressOf={addressOf} />
      ) : (
        <PartsOfTotal groups={groups} value={value} figure={figure} addressOf={addressOf} />
      )}
      {target !== null && (
        <p className="figure-line plot-legend">
          <span className="target-sample" aria-hidden="true" />
          {say(targetTextOf(target, null), { value: figure(target.value) })}
        </p>
      )}
      {more && <figcaption className="small-words">{say("chart.more", { count: groups.length })}</figcaption>}
    </Drawing>
  );
};

const Drawing = ({ children }: { children: ReactNode }) => {
  const drawing = useRef<HTMLElement>(null);
  useArrowStops(drawing);
  return (
    <figure ref={drawing} className="chart">
      {children}
    </figure>
  );
};
