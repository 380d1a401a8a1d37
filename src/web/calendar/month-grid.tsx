import { type CSSProperties, type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import { useKeys, useLocale } from "../app/app-context.tsx";
import { scaleLength } from "../app/font-scale.ts";
import { addDays, addMonths, toUtcDate } from "../format/dates.ts";
import { useWords } from "../i18n/words.tsx";
import { Grid, GridCell, GridHead, GridRow } from "../ui/dom/grid.tsx";
import type { DrawnDaysProps } from "./agenda.tsx";
import { DayButton } from "./day-button.tsx";
import { EntryBar } from "./entry-bar.tsx";
import { findDayAt, isTimed, layOutSegments, onDay } from "./entry-layout.ts";
import { FIGURE_HEIGHT, LANE_HEIGHT, useLanes } from "./use-lanes.ts";
import { usePickedDays } from "./use-picked-days.ts";
import type { RescheduleControls } from "./use-reschedule.ts";
import { WeekHours } from "./week-hours.tsx";

interface GridProps extends DrawnDaysProps {
  readonly scale: "month" | "week";
  readonly weeks: readonly (readonly string[])[];
  readonly at: string;
  readonly busy: boolean;
  /** False until entries are known. The hours of a week follow from them, so that nothing moves. */
  readonly hasLoaded: boolean;
  readonly onGo: (day: string) => void;
  readonly controls: RescheduleControls;
  /** True if entries have times, so that a week shows hours. */
  readonly timed: boolean;
}

/**
 * A grid following the ARIA pattern: arrow keys move by day and week, Page Up and Page Down by month, or by week in the
 * week view; Enter opens the day. Shift with the arrow keys chooses several days, and Enter creates a record there.
 */
export const CalendarGrid = (props: GridProps) => {
  const { screen, scale, weeks, at, busy, hasLoaded, onGo, timed, makeAt } = props;
  const { say, locale } = useWords();
  const { today } = useLocale();
  const grid = useRef<HTMLDivElement>(null);
  const follows = useRef(false);
  const inWeek = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const longNames = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });
  const hours = scale === "week" && timed;
  const days = usePickedDays(makeAt, hours);
  const lanesInMonth = useLanes(grid, weeks[0]?.[0]);

  useEffect(() => {
    if (follows.current) grid.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus({ preventScroll: true });
    follows.current = false;
  }, [at]);

  // From the page, the down arrow moves to the current day; from an entry, each arrow key moves to its day.
  const enter = useCallback((event: globalThis.KeyboardEvent) => {
    const on = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-on]")?.dataset.on : undefined;
    if (event.shiftKey || (on === undefined && event.key !== "ArrowDown")) return;
    const day = grid.current?.querySelector<HTMLElement>(
      on === undefined ? '[data-day][tabindex="0"]' : `[data-day="${on}"]`,
    );
    if (day) event.preventDefault();
    day?.focus();
  }, []);
  useKeys(useMemo(() => ({ ArrowDown: enter, ArrowUp: enter, ArrowLeft: enter, ArrowRight: enter }), [enter]));

  const move = (event: KeyboardEvent) => {
    const day = (event.target as HTMLElement).dataset.day;
    if (day === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const across = document.documentElement.dir === "rtl" ? -1 : 1;
    const to: { readonly [key: string]: string } = {
      ArrowRight: addDays(day, across),
      ArrowLeft: addDays(day, -across),
      ArrowDown: addDays(day, 7),
      ArrowUp: addDays(day, -7),
      PageDown: scale === "week" ? addDays(day, 7) : addMonths(day, 1),
      PageUp: scale === "week" ? addDays(day, -7) : addMonths(day, -1),
    };
    if (days.picked !== null && (event.key === "Enter" || event.key === "Escape")) {
      event.preventDefault();
      if (event.key === "Enter") days.create(days.picked);
      else days.clear();
      return;
    }
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (event.shiftKey) days.extend(day, next);
    else days.clear();
    follows.current = true;
    onGo(next);
  };

  return (
    <Grid
      ref={grid}
      className={`month-grid by-${scale}${hours ? " with-hours" : ""}`}
      aria-label={say("calendar.of", { title: screen.title })}
      aria-busy={busy}
      style={{ "--lanes": lanesInMonth } as CSSProperties}
      onKeyDown={move}
    >
      <GridRow className="month-days">
        {weeks[0]?.map((day) => (
          <GridHead
            key={day}
            aria-label={longNames.format(toUtcDate(day))}
            data-today={scale === "week" && day === today ? "" : undefined}
          >
            {inWeek.format(toUtcDate(day))}
          </GridHead>
        ))}
      </GridRow>
      {weeks.map((week) => (
        <Week key={week[0]} {...props} week={week} days={days} lanesInMonth={lanesInMonth} />
      ))}
      {hours && hasLoaded && weeks[0] && <WeekHours {...props} week={weeks[0]} />}
    </Grid>
  );
};

/** A week with the entries across its days. */
const Week = ({
  screen,
  entity,
  entries,
  week,
  at,
  scale,
  controls,
  timed,
  makeAt,
  days,
  lanesInMonth,
}: GridProps & { week: readonly string[]; days: ReturnType<typeof usePickedDays>; lanesInMonth: number }) => {
  const { locale } = useWords();
  const above = scale === "week" && timed ? entries.filter((entry) => !isTimed(entry)) : entries;
  const segments = layOutSegments(above, week);
  const lanes = scale === "week" ? Number.POSITIVE_INFINITY : lanesInMonth;
  const most = Math.max(0, ...segments.map(({ lane }) => lane + 1));
  const figure = new Intl.DateTimeFormat(locale, { day: "numeric", timeZone: "UTC" });
  const hidden = (day: string) => {
    const column = week.indexOf(day);
    const shown = segments.filter((one) => one.lane < lanes && one.at <= column && column < one.at + one.span).length;
    return onDay(above, day).length - shown;
  };
  const cell = (day: string, column: number): ReactNode => (
    <GridCell
      key={day}
      data-on={day}
      className={scale === "week" || day.slice(0, 7) === at.slice(0, 7) ? "month-day" : "month-day other"}
      data-picked={(days.picked !== null && days.picked.from <= day && day <= days.picked.to) || undefined}
      onPointerDown={days.begin(day, () => document.querySelector<HTMLElement>(`[data-day="${day}"]`)?.click())}
      style={scale === "week" ? { blockSize: scaleLength(FIGURE_HEIGHT + most * LANE_HEIGHT + 8) } : undefined}
    >
      <DayButton
        day={day}
        words={figure.format(toUtcDate(day))}
        focusable={day === at}
        entries={entries}
        screen={screen}
        entity={entity}
        makeAt={makeAt}
        hidden={hidden(day)}
      />
      {segments
        .filter((one) => one.at === column && one.lane < lanes)
        .map(({ entry, span, lane, begins, ends: isEnd }) => (
          <EntryBar
            key={entry.record.id}
            screen={screen}
            entity={entity}
            entry={entry}
            controls={controls}
            className={["month-bar", begins ? "begins" : "", isEnd ? "ends" : ""].filter(Boolean).join(" ")}
            style={{
              inlineSize: `calc(${span} * 100% + ${span - 1}px - ${scaleLength((begins ? 4 : 0) + (isEnd ? 4 : 0))})`,
              insetBlockStart: scaleLength(FIGURE_HEIGHT + lane * LANE_HEIGHT),
            }}
            endAt={
              isEnd
                ? (x, y) => {
                    const day = findDayAt(x, y);
                    return day === null ? null : { day, time: entry.until };
                  }
                : null
            }
          />
        ))}
    </GridCell>
  );
  return <GridRow className="month-week">{week.map(cell)}</GridRow>;
};
