import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { addDays, addMonths, getWeekday, getWeeks, toUtcDate, weekStart } from "../../format/dates.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import "./calendar.css";

interface CalendarProps {
  readonly day: string | null;
  /** Where it begins without a day. */
  readonly begin: string;
  /** The begin of the period that the day ends; null if it is the end of none. Earlier days can be chosen all the same. */
  readonly from: string | null;
  readonly today: string;
  /** True if no day ahead is possible. */
  readonly isPast: boolean;
  readonly onChoose: (day: string) => void;
}

const useDayFormats = () => {
  const { locale } = useWords();
  return useMemo(() => {
    const of = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
    return {
      month: of({ month: "long", year: "numeric" }),
      weekday: of({ weekday: "narrow" }),
      weekdayLong: of({ weekday: "long" }),
      full: of({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
      day: of({ day: "numeric" }),
    };
  }, [locale]);
};

interface DayMarks extends Pick<CalendarProps, "from"> {
  readonly at: string;
  /** The days of the period up to the one that is focused or pointed at. */
  readonly span: { readonly from: string; readonly to: string } | null;
}

const classOfDay = (day: string, { at, from, span }: DayMarks): string =>
  [
    "day",
    day.slice(0, 7) !== at.slice(0, 7) && "other",
    from !== null && day < from && "before",
    span !== null && span.from <= day && day <= span.to && "within",
    day === from && "from",
    day === span?.to && "to",
  ]
    .filter(Boolean)
    .join(" ");

/** Every month has this many rows, so that the buttons stay where they are when the month changes. */
const MOST_WEEKS = 6;

/**
 * A month as a grid, following the ARIA date picker pattern: arrow keys move by day and week, Page Up and Page Down by
 * month (with Shift by year), Home and End within the week, Enter selects.
 */
const Calendar = ({ day, begin, from, today, isPast, onChoose }: CalendarProps) => {
  const { say, show, locale } = useWords();
  const [at, setAt] = useState(day ?? begin);
  const [pointed, setPointed] = useState<string | null>(null);
  /** Arrow keys move the focus; the month buttons keep it. */
  const [follows, setFollows] = useState(true);
  const last = pointed ?? (follows ? at : day);
  const span = from !== null && last !== null && from <= last ? { from, to: last } : null;
  const grid = useRef<HTMLTableElement>(null);
  const first = weekStart(locale);
  const weeks = useMemo(() => getWeeks(at, first, MOST_WEEKS), [at, first]);
  const format = useDayFormats();

  // biome-ignore lint/correctness/useExhaustiveDependencies: focus follows the day
  useEffect(() => {
    if (follows) grid.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus({ preventScroll: true });
  }, [at]);

  const move = (event: KeyboardEvent) => {
    const weekday = (getWeekday(at) - first + 7) % 7;
    const across = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
    const to: { readonly [key: string]: string } = {
      ArrowRight: addDays(at, across),
      ArrowLeft: addDays(at, -across),
      ArrowDown: addDays(at, 7),
      ArrowUp: addDays(at, -7),
      Home: addDays(at, -weekday),
      End: addDays(at, 6 - weekday),
      PageDown: addMonths(at, event.shiftKey ? 12 : 1),
      PageUp: addMonths(at, event.shiftKey ? -12 : -1),
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setFollows(true);
    setPointed(null);
    setAt(next);
  };
  const turn = (months: number) => {
    setFollows(false);
    setPointed(null);
    setAt(addMonths(at, months));
  };

  const getLabel = (one: string): string => {
    const words = format.full.format(toUtcDate(one));
    if (from === null || one > from) return words;
    return say(one === from ? "date.is.start" : "date.is.before", { day: words });
  };

  const monday = addDays(today, 8 - getWeekday(today));
  /** A day before the begin of its period is offered only in the grid, where it is marked. */
  const canEnd = (one: string) => from === null || from <= one;

  return (
    <div className="calendar">
      <header>
        <IconButton icon="previous" label={say("date.previous")} small onClick={() => turn(-1)} />
        <p className="calendar-month" aria-live="polite">
          {format.month.format(toUtcDate(at))}
        </p>
        <IconButton icon="next" label={say("date.next")} small onClick={() => turn(1)} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of days is a table with keys of its own */}
      <table ref={grid} role="grid" aria-label={format.month.format(toUtcDate(at))} onKeyDown={move}>
        <thead>
          <tr>
            {weeks[0]?.map((weekday) => (
              <th key={weekday} scope="col" abbr={format.weekdayLong.format(toUtcDate(weekday))}>
                {format.weekday.format(toUtcDate(weekday))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onPointerLeave={() => setPointed(null)}>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((one) => (
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: grid cells support aria-selected
                <td key={one} aria-selected={one === day}>
                  <button
                    type="button"
                    tabIndex={one === at ? 0 : -1}
                    aria-label={getLabel(one)}
                    aria-current={one === today ? "date" : undefined}
                    className={classOfDay(one, { at, from, span })}
                    onPointerEnter={({ pointerType }) => pointerType === "mouse" && setPointed(one)}
                    onClick={() => onChoose(one)}
                  >
                    {format.day.format(toUtcDate(one))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <footer>
        {from !== null && <p className="small-words figures">{span && show.days(span.from, span.to)}</p>}
        {canEnd(today) && (
          <button type="button" className="button quiet small" onClick={() => onChoose(today)}>
            {say("date.today")}
          </button>
        )}
        {!isPast && canEnd(monday) && (
          <button type="button" className="button quiet small" onClick={() => onChoose(monday)}>
            {say("date.next.monday")}
          </button>
        )}
      </footer>
    </div>
  );
};

export default Calendar;
