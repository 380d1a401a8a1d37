import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { groupNumber } from "../../../core/derive/client/measured-values.ts";
import type { TargetJson } from "../../../core/wire/screens.ts";
import { letters, scaleLength } from "../../app/font-scale.ts";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import type { DrawnGroups, NamedGroup } from "./chart-groups.ts";
import { chooseTicks } from "./chart-values.ts";

const margins = { top: 22, bottom: 26 };

/** The size before it is measured, in drawing units. The style sheet has the same least height. */
const FIRST_SIZE = { width: 560, height: 236 };

/** Maximum width of a group, in drawing units. */
const WIDEST_ROOM = 168;

/** A series over time or numbers: columns from zero, or a line. */
export const Plot = ({
  kind,
  groups,
  figure,
  addressOf,
  target,
  sentence,
}: DrawnGroups & { kind: "columns" | "lines"; target: TargetJson | null; sentence: string }) => {
  const { show } = useWords();
  const wrap = useRef<HTMLDivElement>(null);
  const size = useDrawingSize(wrap);
  const { width, height } = size;
  const targetValue = target === null ? null : Number(target.value);
  const ticks = chooseTicks([...groups.map(groupNumber), ...(targetValue === null ? [] : [targetValue])]);
  const labels = ticks.map((tick) => show.number(tick));
  const layout = layOut(groups, ticks, labels, size);
  const { start, y } = layout;
  return (
    <div ref={wrap} className="plot">
      <svg
        width={scaleLength(width)}
        height={scaleLength(height)}
        viewBox={`0 0 ${width} ${height}`}
        // An image would hide its links.
        role={groups.some((group) => addressOf(group) !== null) ? "group" : "img"}
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
        {kind === "columns" ? (
          <Columns groups={groups} figure={figure} addressOf={addressOf} layout={layout} />
        ) : (
          <Line groups={groups} figure={figure} addressOf={addressOf} layout={layout} />
        )}
        {targetValue !== null && (
          <line x1={start} x2={width} y1={y(targetValue)} y2={y(targetValue)} className="plot-target" />
        )}
        <GroupLabels groups={groups} layout={layout} width={width} />
      </svg>
    </div>
  );
};

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an element in drawing units. */
const useDrawingSize = (element: { readonly current: HTMLElement | null }): Size => {
  const [size, setSize] = useState<Size>(FIRST_SIZE);
  useLayoutEffect(() => {
    const watched = element.current;
    if (!watched) return;
    const measure = () => {
      const [width, height] = [watched.clientWidth, watched.clientHeight].map((length) => length / letters());
      setSize((before) => {
        const now = { width: width || FIRST_SIZE.width, height: height || FIRST_SIZE.height };
        return now.width === before.width && now.height === before.height ? before : now;
      });
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, [element]);
  return size;
};

/** Places in the drawing. */
interface Layout {
  /** Where the area begins, after the labels of the ticks. */
  readonly start: number;
  /** The width of a group. */
  readonly room: number;
  /** The middle of a group. */
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  /** The lower edge of the drawing. */
  readonly end: number;
}

const layOut = (
  groups: readonly NamedGroup[],
  ticks: readonly number[],
  labels: readonly string[],
  { width, height }: Size,
): Layout => {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const start = Math.max(...labels.map((label) => label.length)) * 7.2 + 14;
  // A few columns stand close together for comparison, in the middle.
  const room = Math.min(WIDEST_ROOM, (width - start) / Math.max(1, groups.length));
  const first = start + (width - start - room * groups.length) / 2;
  return {
    start,
    room,
    x: (at) => first + room * (at + 0.5),
    y: (value) => margins.top + (height - margins.top - margins.bottom) * (1 - (value - low) / (high - low)),
    end: height,
  };
};

type SeriesProps = DrawnGroups & { readonly layout: Layout };

const Columns = ({ groups, figure, addressOf, layout }: SeriesProps) => {
  const { room, x, y, end } = layout;
  const width = Math.min(28, Math.max(3, room * 0.56));
  return groups.map((group, at) => {
    const value = groupNumber(group);
    const [from, to] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
    return (
      <Group
        key={String(group.key)}
        group={group}
        href={addressOf(group)}
        x={x(at)}
        room={room}
        end={end}
        textY={from - 6}
        text={figure(group.value)}
        hasText={hasLabel(group, groups) && value !== 0}
      >
        {to - from > 0.5 && (
          <path
            className="plot-column"
            d={columnPath(x(at) - width / 2, from, width, to - from, Math.min(2.5, width / 2))}
          />
        )}
      </Group>
    );
  });
};

/** A column with rounded upper corners. */
const columnPath = (x: number, y: number, width: number, height: number, radius: number): string => {
  const r = Math.min(radius, height);
  return `M${x} ${y + height}V${y + r}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}V${y + height}z`;
};

const Line = ({ groups, figure, addressOf, layout }: SeriesProps) => {
  const { room, x, y, end } = layout;
  const known = groups.flatMap((group, at) => (group.value === null ? [] : [{ group, at }]));
  return (
    <>
      <polyline
        className="plot-line"
        points={known.map(({ group, at }) => `${x(at)},${y(groupNumber(group))}`).join(" ")}
      />
      {known.map(({ group, at }) => (
        <Group
          key={String(group.key)}
          group={group}
          href={addressOf(group)}
          x={x(at)}
          room={room}
          end={end}
          textY={y(groupNumber(group)) - 9}
          text={figure(group.value)}
          hasText={hasLabel(group, groups)}
        >
          <circle className="plot-point" cx={x(at)} cy={y(groupNumber(group))} r={known.length > 40 ? 2 : 3.2} />
        </Group>
      ))}
    </>
  );
};

/** All values are labelled if there is room; otherwise the highest and the current one. */
const hasLabel = (group: NamedGroup, groups: readonly NamedGroup[]): boolean =>
  groups.length <= 8 || groupNumber(group) === Math.max(...groups.map(groupNumber)) || group.at === "now";

/** The mark of a group with its value, which is also shown while the pointer is above it. */
const Group = ({
  group,
  href,
  x,
  room,
  end,
  textY,
  text,
  hasText,
  children,
}: {
  readonly group: NamedGroup;
  readonly href: string | null;
  readonly x: number;
  readonly room: number;
  readonly end: number;
  readonly textY: number;
  readonly text: string;
  readonly hasText: boolean;
  readonly children: ReactNode;
}) => {
  const { say } = useWords();
  const name = say("label.value", { label: group.words, value: text });
  const drawing = (
    <>
      <rect
        className="plot-reach"
        x={x - room / 2}
        y={margins.top - 18}
        width={room}
        height={end - margins.bottom - margins.top + 18}
      />
      {children}
      <text className={hasText ? "plot-value" : "plot-value on-hover"} x={x} y={textY} textAnchor="middle">
        {text}
      </text>
      <title>{name}</title>
    </>
  );
  return (
    <g className={`plot-group ${group.at}`}>
      {href === null ? (
        drawing
      ) : (
        <Link href={href} aria-label={name}>
          {drawing}
        </Link>
      )}
    </g>
  );
};

/** The names of the groups, as many as fit. */
const GroupLabels = ({
  groups,
  layout: { room, x, end },
  width,
}: {
  groups: readonly NamedGroup[];
  layout: Layout;
  width: number;
}) => {
  const widthOf = (text: string): number => text.length * 6.6;
  const widest = Math.max(...groups.map(({ short }) => widthOf(short)), 6.6) + 10;
  const every = Math.max(1, Math.ceil(widest / room));
  return groups.map((group, at) =>
    at % every === 0 ? (
      <text
        key={String(group.key)}
        className={`plot-label ${group.at}`}
        // The last label ends with the drawing.
        x={Math.min(x(at), width - widthOf(group.short) / 2)}
        y={end - 8}
        textAnchor="middle"
      >
        {group.short}
      </text>
    ) : null,
  );
};
