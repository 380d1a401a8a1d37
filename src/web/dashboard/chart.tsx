import { useLayoutEffect, useRef, useState } from "react";
import type { EntityJson, StateMarkJson as Mark } from "../../core/wire/entities.ts";
import type { GroupJson } from "../../core/wire/overview.ts";
import type { AxisJson, MeasureJson, TargetJson } from "../../core/wire/screens.ts";
import { useLocale } from "../app/app-context.tsx";
import { letters, scaleLength } from "../app/font-scale.ts";
import { useWords } from "../i18n/words.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { measures, targetWords, useFigure } from "./figures.ts";
import {
  chooseTicks,
  compareToToday,
  foremostGroups,
  groupNumber,
  hasTotal,
  sumGroups,
  withoutGaps,
} from "./tile-layout.ts";
import "../styles/drawings.css";
import "./chart.css";

interface ChartProps {
  readonly kind: "columns" | "bars" | "lines" | "parts";
  readonly name: string;
  readonly per: AxisJson;
  readonly value: MeasureJson;
  readonly target: TargetJson | null;
  readonly entity: EntityJson;
  readonly groups: readonly GroupJson[];
  readonly more: boolean;
  readonly asTable: boolean;
}

/** A group with its full and short label, and the icon of a state. */
interface NamedGroup extends GroupJson {
  readonly words: string;
  readonly short: string;
  readonly mark: Mark | null;
  readonly at: "past" | "now" | "future";
}

const useNamedGroups = ({ per, value, entity, groups }: ChartProps): readonly NamedGroup[] => {
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
        ? say(key ? "value.yes" : "value.no")
        : field
          ? (show.value(field, key, false) ?? "")
          : typeof key === "number"
            ? String(key)
            : key);
    return { ...group, ...named, words, short: words };
  });
};

/** A chart, or its data as a table. It has a sentence as its accessible name, and nothing depends on colour alone. */
export const Chart = (props: ChartProps) => {
  const { say } = useWords();
  const { kind, name, value, target, per, asTable, more } = props;
  const groups = useNamedGroups(props);
  const figure = useFigure(value);
  const largest = groups.reduce<NamedGroup | null>(
    (most, one) => (most && groupNumber(most) >= groupNumber(one) ? most : one),
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
  if (asTable) return <ChartTable name={name} per={per} value={value} groups={groups} figure={figure} />;
  return (
    <figure className="chart">
      {kind === "columns" || kind === "lines" ? (
        <Plot kind={kind} groups={groups} figure={figure} target={target} sentence={sentence} />
      ) : kind === "bars" ? (
        <Bars groups={groups} value={value} figure={figure} />
      ) : (
        <Parts groups={groups} value={value} figure={figure} />
      )}
      {target !== null && (
        <p className="figure-line plot-legend">
          <span className="target-sample" aria-hidden="true" />
          {say(targetWords(target, null), { value: figure(target.value) })}
        </p>
      )}
      {more && <figcaption className="small-words">{say("chart.more", { count: groups.length })}</figcaption>}
    </figure>
  );
};

interface DrawnProps {
  readonly groups: readonly NamedGroup[];
  readonly figure: (value: number | string | null) => string;
}

const ChartTable = ({
  name,
  per,
  value,
  groups,
  figure,
}: DrawnProps & { name: string; per: AxisJson; value: MeasureJson }) => {
  const { say, show } = useWords();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
    <section className="chart-table" tabIndex={0} aria-label={name}>
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
          {groups.map(({ words, value: number, mark, key }) => (
            <tr key={String(key)}>
              <th scope="row">
                {mark && <StateMark mark={mark} />} <bdi>{words}</bdi>
              </th>
              <td className="end figures">{figure(number)}</td>
            </tr>
          ))}
        </tbody>
        {hasTotal(value, groups) && (
          <tfoot>
            <tr>
              <th scope="row">{say("chart.together")}</th>
              <td className="end figures">{show.number(sumGroups(groups))}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
};

/** Horizontal bars by category, largest first, the ninth and later combined. */
const Bars = ({ groups, value, figure }: DrawnProps & { value: MeasureJson }) => {
  const { say, show } = useWords();
  const { shown, others } = foremostGroups(groups, value);
  const named = shown as readonly NamedGroup[];
  const most = Math.max(...groups.map(groupNumber), others?.value ?? 0, 1e-9);
  const width = (number: number) => `${Math.max(0, Math.min(100, (number / most) * 100))}%`;
  return (
    <>
      <ul className="bars">
        {named.map((group, at) => (
          <li
            key={String(group.key)}
            data-hue={group.mark?.hue}
            className={at === 0 && !group.mark ? "bar foremost" : "bar"}
          >
            <span className="bar-name">
              {group.mark && <StateMark mark={group.mark} />}
              <bdi className="cut" title={group.words}>
                {group.words}
              </bdi>
            </span>
            <span className="figures">{figure(group.value)}</span>
            <span className="bar-track">
              <i style={{ inlineSize: width(groupNumber(group)) }} />
            </span>
          </li>
        ))}
        {others && (
          <li className="bar others">
            <span className="bar-name">{say("chart.others", { count: others.count })}</span>
            <span className="figures">{others.value === null ? "" : show.number(others.value)}</span>
            <span className="bar-track">
              {others.value !== null && <i style={{ inlineSize: width(others.value) }} />}
            </span>
          </li>
        )}
      </ul>
      {hasTotal(value, groups) && (
        <p className="chart-total">
          <span>{say("chart.together")}</span>
          <b className="figures">{figure(String(sumGroups(groups)))}</b>
        </p>
      )}
    </>
  );
};

/** Parts of a whole: one bar with a legend. */
const Parts = ({ groups, value, figure }: DrawnProps & { value: MeasureJson }) => {
  const { say, show } = useWords();
  const { shown, others } = foremostGroups(groups, value);
  const parts = [
    ...(shown as readonly NamedGroup[]).map((group) => ({
      key: String(group.key),
      words: group.words,
      hue: group.mark?.hue,
      value: groupNumber(group),
      text: figure(group.value),
    })),
    ...(others?.value
      ? [
          {
            key: " others",
            words: say("chart.others", { count: others.count }),
            hue: "neutral" as const,
            value: others.value,
            text: show.number(others.value),
          },
        ]
      : []),
  ];
  const total = parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  return (
    <>
      <p className="parts-total">
        <b className="big-figure">{figure(String(sumGroups(groups)))}</b>
      </p>
      <div className="parts" aria-hidden="true">
        {parts.map((part, at) => (
          <i
            key={part.key}
            data-hue={part.hue ?? getHue(at)}
            style={{ flexGrow: total > 0 ? Math.max(0, part.value) : 1 }}
          />
        ))}
      </div>
      <ul className="parts-key">
        {parts.map((part, at) => (
          <li key={part.key} data-hue={part.hue ?? getHue(at)}>
            <i aria-hidden="true" />
            <bdi className="cut">{part.words}</bdi>
            <span className="figures">{part.text}</span>
            <span className="figures small-words">
              {total > 0 ? show.percent(Math.max(0, part.value) / total) : ""}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

/** Colours for groups without one of their own, in order. */
const order = ["blue", "amber", "violet", "olive", "teal", "plum", "bronze", "indigo"] as const;
const getHue = (at: number) => order[at % order.length] ?? "blue";

const frame = { top: 22, bottom: 26, height: 236 };

/** Maximum width of a group, in drawing units. */
const WIDEST_ROOM = 112;

/** A series over time or numbers: columns from zero, or a line. */
const Plot = ({
  kind,
  groups,
  figure,
  target,
  sentence,
}: DrawnProps & { kind: "columns" | "lines"; target: TargetJson | null; sentence: string }) => {
  const { say, show } = useWords();
  const wrap = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  useLayoutEffect(() => {
    const watched = wrap.current;
    if (!watched) return;
    const measure = () => setWidth(watched.clientWidth / letters() || 560);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, []);

  const aim = target === null ? [] : [Number(target.value)];
  const ticks = chooseTicks([...groups.map(groupNumber), ...aim]);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const labels = ticks.map((tick) => show.number(tick));
  const start = Math.max(...labels.map((label) => label.length)) * 7.2 + 14;
  const inner = frame.height - frame.top - frame.bottom;
  const y = (value: number) => frame.top + inner * (1 - (value - low) / (high - low));
  // A few columns stand close together for comparison.
  const room = Math.min(WIDEST_ROOM, (width - start) / Math.max(1, groups.length));
  const x = (at: number) => start + room * (at + 0.5);
  const column = Math.min(28, Math.max(3, room * 0.56));
  const widest = Math.max(...groups.map(({ short }) => short.length), 1) * 6.6 + 10;
  const every = Math.max(1, Math.ceil(widest / room));
  const top = Math.max(...groups.map(groupNumber));
  const known = groups.flatMap((group, at) => (group.value === null ? [] : [{ group, at }]));
  /** All values are labelled if there is room; otherwise the highest and the current one. */
  const hasLabel = (group: NamedGroup) => groups.length <= 8 || groupNumber(group) === top || group.at === "now";

  return (
    <div ref={wrap} className="plot">
      <svg
        width={scaleLength(width)}
        height={scaleLength(frame.height)}
        viewBox={`0 0 ${width} ${frame.height}`}
        role="img"
        aria-label={sentence}
      >
        {ticks.map((tick, at) => (
          <g key={tick} className="plot-tick">
            <line x1={start} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? "plot-base" : undefined} />
            <text x={start - 8} y={y(tick) + 4} textAnchor="end">
              {labels[at]}
            </text>
          </g>
        ))}
        {kind === "columns"
          ? groups.map((group, at) => {
              const value = groupNumber(group);
              const [from, to] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
              return (
                <g key={String(group.key)} className={`plot-group ${group.at}`}>
                  <rect
                    className="plot-reach"
                    x={x(at) - room / 2}
                    y={frame.top - 18}
                    width={room}
                    height={inner + 18}
                  />
                  {to - from > 0.5 && (
                    <path
                      className="plot-column"
                      d={columnPath(x(at) - column / 2, from, column, to - from, Math.min(2.5, column / 2))}
                    />
                  )}
                  <text
                    className={hasLabel(group) && value !== 0 ? "plot-value" : "plot-value on-hover"}
                    x={x(at)}
                    y={from - 6}
                    textAnchor="middle"
                  >
                    {figure(group.value)}
                  </text>
                  <title>{say("label.value", { label: group.words, value: figure(group.value) })}</title>
                </g>
              );
            })
          : null}
        {kind === "lines" && (
          <>
            <polyline
              className="plot-line"
              points={known.map(({ group, at }) => `${x(at)},${y(groupNumber(group))}`).join(" ")}
            />
            {known.map(({ group, at }) => (
              <g key={String(group.key)} className={`plot-group ${group.at}`}>
                <rect className="plot-reach" x={x(at) - room / 2} y={frame.top - 18} width={room} height={inner + 18} />
                <circle className="plot-point" cx={x(at)} cy={y(groupNumber(group))} r={known.length > 40 ? 2 : 3.2} />
                <text
                  className={hasLabel(group) ? "plot-value" : "plot-value on-hover"}
                  x={x(at)}
                  y={y(groupNumber(group)) - 9}
                  textAnchor="middle"
                >
                  {figure(group.value)}
                </text>
                <title>{say("label.value", { label: group.words, value: figure(group.value) })}</title>
              </g>
            ))}
          </>
        )}
        {aim.map((value) => (
          <line key={value} x1={start} x2={width} y1={y(value)} y2={y(value)} className="plot-target" />
        ))}
        {groups.map((group, at) =>
          at % every === 0 ? (
            <text
              key={String(group.key)}
              className={`plot-label ${group.at}`}
              x={x(at)}
              y={frame.height - 8}
              textAnchor="middle"
            >
              {group.short}
            </text>
          ) : null,
        )}
      </svg>
    </div>
  );
};

/** A column with rounded upper corners. */
const columnPath = (x: number, y: number, width: number, height: number, radius: number): string => {
  const r = Math.min(radius, height);
  return `M${x} ${y + height}V${y + r}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}V${y + height}z`;
};
