import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { ListSearch } from "../../core/derive/list-call.ts";
import type { EntityJson, FieldJson, ListScreenJson } from "../../core/wire.ts";
import { agendaOf, type Entry, entriesIn, onDay, segmentsOf } from "../client/agenda.ts";
import { addDays, addMonths, utcOf, weekStart, weeksOf } from "../client/dates.ts";
import { failureOf } from "../client/failure.ts";
import { keys } from "../client/queries.ts";
import { filtersFor } from "../client/ranges.ts";
import { recordAddress } from "../client/routes.ts";
import { spanQuery } from "../client/search.ts";
import { stateOf } from "../client/standing.ts";
import { valueIn } from "../client/values.ts";
import "../look/board.css";
import "../look/calendar.css";
import { Button, IconButton } from "../part/button.tsx";
import { useApplication, useClient, useHere, usePhone } from "../part/context.tsx";
import { Link } from "../part/link.tsx";
import { PopupPanel, usePopup } from "../part/popup.tsx";
import { FailedRegion, Progress } from "../part/region.tsx";
import { StateMark, StateWord } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { columnsOf } from "./list-table.tsx";
import { RecordCard } from "./record-card.tsx";

interface CalendarProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly from: FieldJson;
  readonly to: FieldJson | null;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}

/** A span is fetched whole, page by page, up to so many pages. */
const mostPages = 5;
const lanes = 3;

/** The records of a list on their days: a month, or an agenda of it on the phone. */
const CalendarLayout = ({ screen, entity, from, to, search, seek }: CalendarProps) => {
  const { calls } = useClient();
  const here = useHere();
  const { say, locale } = useWords();
  const phone = usePhone();
  const anchor = search.at ?? here.today;
  const [agenda, setAgenda] = useState(false);
  const first = weekStart(locale);
  const weeks = useMemo(() => weeksOf(anchor, first), [anchor, first]);
  const monthStart = `${anchor.slice(0, 7)}-01`;
  const listed = agenda || phone;
  const span = listed
    ? { from: monthStart, to: addDays(addMonths(monthStart, 1), -1) }
    : { from: weeks[0]?.[0] ?? anchor, to: weeks.at(-1)?.at(-1) ?? anchor };
  const query = useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, spanQuery(search, screen, spanFilters(from, to, span, here), null).toString()),
    queryFn: ({ pageParam, signal }) =>
      calls.list(entity.calls, spanQuery(search, screen, spanFilters(from, to, span, here), pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page, pages) => (pages.length < mostPages ? page.next : null),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const pages = query.data?.pages;
  const entries = entriesIn(pages?.flatMap((page) => page.items) ?? [], { from, to }, span, here.timezone);
  const cut = pages?.length === mostPages && pages.at(-1)?.next !== null;
  const failure = query.error ? failureOf(query.error) : query.failureReason ? failureOf(query.failureReason) : null;
  const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const turn = (months: number) => seek({ ...search, at: addMonths(monthStart, months) });

  return (
    <div className="month">
      <header className="month-head">
        <h2 aria-live="polite">{month.format(utcOf(anchor))}</h2>
        <IconButton icon="previous" label={say("date.previous")} small onClick={() => turn(-1)} />
        <IconButton icon="next" label={say("date.next")} small onClick={() => turn(1)} />
        <Button small onClick={() => seek({ ...search, at: here.today })}>
          {say("date.today")}
        </Button>
        <span className="grow" />
        {!phone && (
          <Button small look="quiet" onClick={() => setAgenda(!agenda)} aria-pressed={agenda}>
            {say("calendar.agenda")}
          </Button>
        )}
      </header>
      <Progress shown={query.isFetching && !query.isPending} />
      {cut && <p className="month-cut small-words">{say("calendar.cut", { things: entity.many })}</p>}
      {failure && !pages ? (
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      ) : listed ? (
        <Agenda screen={screen} entity={entity} entries={entries} span={span} pending={query.isPending} />
      ) : (
        <Month
          screen={screen}
          entity={entity}
          entries={entries}
          weeks={weeks}
          at={anchor}
          busy={query.isFetching}
          onGo={(day) => seek({ ...search, at: day })}
        />
      )}
    </div>
  );
};

/** What lies in a span begins before its end, and ends after its start, or has no end. */
const spanFilters = (
  from: FieldJson,
  to: FieldJson | null,
  span: { readonly from: string; readonly to: string },
  here: Parameters<typeof filtersFor>[2],
) => {
  const begins = filtersFor(from, span, here);
  if (to === null) return begins;
  const ends = filtersFor(to, span, here);
  return {
    [`${from.name}<`]: begins[`${from.name}<`] ?? [],
    [`${to.name}>`]: ends[`${to.name}>`] ?? [],
    ...(to.optional ? { [to.name]: [""] } : {}),
  };
};

interface DrawnProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly entries: readonly Entry[];
}

const useEntryWords = (screen: ListScreenJson, entity: EntityJson) => {
  const { show } = useWords();
  const [title] = columnsOf(screen, entity);
  return ({ record, time }: Entry): string => {
    const words = (title ? show.value(title, valueIn(record, title.name)) : null) ?? record._label ?? entity.one;
    return time === null ? words : `${time} ${words}`;
  };
};

interface MonthProps extends DrawnProps {
  readonly weeks: readonly (readonly string[])[];
  readonly at: string;
  readonly busy: boolean;
  readonly onGo: (day: string) => void;
}

/** A grid after the ARIA practice: arrows move by day and week, Page Up and Down by month; Enter shows what the day holds. */
const Month = ({ screen, entity, entries, weeks, at, busy, onGo }: MonthProps) => {
  const { say, locale } = useWords();
  const grid = useRef<HTMLDivElement>(null);
  const follows = useRef(false);
  const inWeek = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const whole = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

  useEffect(() => {
    if (follows.current) grid.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus({ preventScroll: true });
    follows.current = false;
  }, [at]);

  const move = (event: KeyboardEvent) => {
    const day = (event.target as HTMLElement).dataset.day;
    if (day === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const across = document.documentElement.dir === "rtl" ? -1 : 1;
    const to: { readonly [key: string]: string } = {
      ArrowRight: addDays(day, across),
      ArrowLeft: addDays(day, -across),
      ArrowDown: addDays(day, 7),
      ArrowUp: addDays(day, -7),
      PageDown: addMonths(day, 1),
      PageUp: addMonths(day, -1),
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    follows.current = true;
    onGo(next);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of days whose bars lie across its cells
    <div
      ref={grid}
      className="month-grid"
      role="grid"
      aria-label={say("calendar.of", { title: screen.title })}
      aria-busy={busy}
      onKeyDown={move}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
      <div className="month-days" role="row">
        {weeks[0]?.map((day) => (
          // biome-ignore lint/a11y/useSemanticElements: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <span key={day} role="columnheader" aria-label={whole.format(utcOf(day))}>
            {inWeek.format(utcOf(day))}
          </span>
        ))}
      </div>
      {weeks.map((week) => (
        <Week key={week[0]} screen={screen} entity={entity} entries={entries} week={week} at={at} />
      ))}
    </div>
  );
};

const Week = ({ screen, entity, entries, week, at }: DrawnProps & { week: readonly string[]; at: string }) => {
  const { screens } = useApplication();
  const { today } = useHere();
  const { say, show, locale } = useWords();
  const words = useEntryWords(screen, entity);
  const segments = segmentsOf(entries, week);
  const figure = new Intl.DateTimeFormat(locale, { day: "numeric", timeZone: "UTC" });
  const hidden = (day: string) => {
    const on = onDay(entries, day).length;
    const shown = segments.filter((one) => {
      const column = week.indexOf(day);
      return one.lane < lanes && one.at <= column && column < one.at + one.span;
    }).length;
    return on - shown;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: its days take the focus
    <div className="month-week" role="row">
      {week.map((day, column) => {
        const on = onDay(entries, day);
        return (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
          <div
            key={day}
            role="gridcell"
            className={day.slice(0, 7) === at.slice(0, 7) ? "month-day" : "month-day other"}
            style={{ gridColumn: column + 1 }}
          >
            <DayButton
              day={day}
              label={say("calendar.day", { day: show.wholeDate(day), count: on.length })}
              figure={figure.format(utcOf(day))}
              current={day === today}
              focusable={day === at}
              entries={on}
              screen={screen}
              entity={entity}
            />
            {segments
              .filter((one) => one.at === column && one.lane < lanes)
              .map(({ entry, span, lane, begins, ends }) => {
                const state = stateOf(entity, entry.record);
                const to = recordAddress(screens, entity.name, entry.record.id);
                const className = ["month-bar", begins ? "begins" : "", ends ? "ends" : ""].filter(Boolean).join(" ");
                const style = {
                  inlineSize: `calc(${span} * 100% + ${span - 1}px - ${(begins ? 4 : 0) + (ends ? 4 : 0)}px)`,
                  insetBlockStart: `${30 + lane * 24}px`,
                };
                const inside = (
                  <>
                    {state && <StateMark mark={state.mark} />}
                    <bdi className="cut">{words(entry)}</bdi>
                    {state && <span className="hidden-words">{state.label}</span>}
                  </>
                );
                return to === null ? (
                  <span
                    key={entry.record.id}
                    className={className}
                    data-hue={state?.mark.hue ?? "neutral"}
                    style={style}
                  >
                    {inside}
                  </span>
                ) : (
                  <Link
                    key={entry.record.id}
                    className={className}
                    data-hue={state?.mark.hue ?? "neutral"}
                    style={style}
                    href={to}
                    title={entry.record._label}
                  >
                    {inside}
                  </Link>
                );
              })}
            {hidden(day) > 0 && <span className="month-more">{say("calendar.more", { count: hidden(day) })}</span>}
          </div>
        );
      })}
    </div>
  );
};

/** The day's figure; pressed, it shows all that the day holds. */
const DayButton = ({
  day,
  label,
  figure,
  current,
  focusable,
  entries,
  screen,
  entity,
}: DrawnProps & { day: string; label: string; figure: string; current: boolean; focusable: boolean }) => {
  const { screens } = useApplication();
  const { say, show } = useWords();
  const popup = usePopup();
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className="month-figure"
        data-day={day}
        tabIndex={focusable ? 0 : -1}
        aria-label={label}
        aria-current={current ? "date" : undefined}
        aria-haspopup="dialog"
      >
        {figure}
      </button>
      <PopupPanel popup={popup} label={label} className="month-popup" focus="first">
        <h3>{show.fullDate(day)}</h3>
        {entries.length === 0 ? (
          <p className="small-words">{say("calendar.empty", { things: entity.many })}</p>
        ) : (
          <ul>
            {entries.map((entry) => (
              <li key={entry.record.id} className="month-entry">
                <EntryLine
                  entry={entry}
                  entity={entity}
                  screen={screen}
                  address={recordAddress(screens, entity.name, entry.record.id)}
                />
              </li>
            ))}
          </ul>
        )}
      </PopupPanel>
    </>
  );
};

const EntryLine = ({
  entry,
  entity,
  screen,
  address,
}: {
  entry: Entry;
  entity: EntityJson;
  screen: ListScreenJson;
  address: string | null;
}) => {
  const state = stateOf(entity, entry.record);
  return (
    <>
      <RecordCard
        columns={columnsOf(screen, entity).filter(({ type }) => type !== "state")}
        record={entry.record}
        address={address}
      />
      {state && <StateWord state={state} />}
    </>
  );
};

const Agenda = ({
  screen,
  entity,
  entries,
  span,
  pending,
}: DrawnProps & { span: { readonly from: string; readonly to: string }; pending: boolean }) => {
  const { screens } = useApplication();
  const { today } = useHere();
  const { say, show } = useWords();
  const days = agendaOf(entries, span);
  if (days.length === 0)
    return <p className="agenda-empty">{pending ? "" : say("calendar.month.empty", { things: entity.many })}</p>;
  return (
    <ol className="agenda">
      {days.map(({ day, entries: on }) => (
        <li key={day}>
          <h3 aria-current={day === today ? "date" : undefined}>{show.fullDate(day)}</h3>
          <ul>
            {on.map((entry) => (
              <li key={entry.record.id} className="month-entry">
                <EntryLine
                  entry={entry}
                  entity={entity}
                  screen={screen}
                  address={recordAddress(screens, entity.name, entry.record.id)}
                />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
};

export default CalendarLayout;
