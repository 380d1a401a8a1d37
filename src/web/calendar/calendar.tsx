import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { type CalendarScale, calendarScales, type ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { CollidingRecords } from "../form/colliding-records.tsx";
import { addDays, addMonths, getWeek, getWeeks, lastOfMonth, toUtcDate, weekStart } from "../format/dates.ts";
import { spanQuery } from "../list/filter/list-search.ts";
import { filtersFor } from "../list/filter/range-filter.ts";
import { findState, isNegativeEnd } from "../workflow/workflow.ts";
import { findEntries } from "./entry-layout.ts";
import "../board/board.css";
import "./calendar.css";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { useClient, useLocale, usePhone, useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { FailedRegion, Progress } from "../ui/page/region-status.tsx";
import { WhySentence } from "../ui/page/why-sentence.tsx";
import { Agenda } from "./agenda.tsx";
import { BlockedWords } from "./blocked-words.tsx";
import { useCreateAt } from "./create-at.ts";
import { CalendarGrid } from "./month-grid.tsx";
import { type RescheduleFailure, useReschedule } from "./use-reschedule.ts";

interface CalendarProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly from: FieldJson;
  readonly to: FieldJson | null;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}

/** Maximum number of pages loaded for a period. */
const mostPages = 5;

const scaleWords = {
  month: "calendar.month",
  week: "calendar.week",
  agenda: "calendar.agenda",
} as const satisfies Record<CalendarScale, WordId>;

/**
 * The records of a list on their days: by month, by week with hours, or as an agenda, which is the only form on a
 * phone.
 */
const CalendarLayout = ({ screen, entity, from, to, search, seek }: CalendarProps) => {
  const { calls } = useClient();
  const context = useLocale();
  const { say, show, locale } = useWords();
  const phone = usePhone();
  const makeAt = useCreateAt(entity, from, to);
  const anchor = search.at ?? context.today;
  const scale = search.scale ?? "month";
  const first = weekStart(locale);
  const weeks = useMemo(
    () => (scale === "week" ? [getWeek(anchor, first)] : getWeeks(anchor, first)),
    [scale, anchor, first],
  );
  const monthStart = `${anchor.slice(0, 7)}-01`;
  const listed = phone || scale === "agenda";
  const span =
    listed && scale !== "week"
      ? { from: monthStart, to: lastOfMonth(monthStart) }
      : { from: weeks[0]?.[0] ?? anchor, to: weeks.at(-1)?.at(-1) ?? anchor };
  const query = useInfiniteQuery({
    queryKey: keys.drawn(
      entity.calls,
      spanQuery(search, screen, spanFilters(from, to, span, context), null).toString(),
    ),
    queryFn: ({ pageParam, signal }) =>
      calls.list(entity.calls, spanQuery(search, screen, spanFilters(from, to, span, context), pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page, pages) => (pages.length < mostPages ? page.next : null),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const pages = query.data?.pages;
  const hasLoaded = useRef(false);
  if (pages) hasLoaded.current = true;
  const records = pages?.flatMap((page) => page.items) ?? [];
  const { controls, drawn, unmoved, forget } = useReschedule({ screen, entity, from, to }, records);
  const isDropped = (record: RecordJson) => isNegativeEnd(findState(entity, record));
  const entries = drawn(findEntries(records, { from, to }, span, context.timezone, isDropped));
  const cut = pages?.length === mostPages && pages.at(-1)?.next !== null;
  const inTitle = scale === "week" ? span : { from: monthStart, to: lastOfMonth(monthStart) };
  const there = entries.filter((one) => one.from <= inTitle.to && one.to >= inTitle.from).length;
  const failure = toFailureOf(query);
  const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const go = (day: string) => {
    forget();
    seek({ ...search, at: day });
  };
  /** The focus was in the note: it goes to the entry that the note is about. */
  const closeNote = (id: string) => {
    forget();
    document.querySelector<HTMLElement>(`[data-entry="${id}"]`)?.focus();
  };
  const turn = (by: 1 | -1) => go(scale === "week" ? addDays(anchor, 7 * by) : addMonths(monthStart, by));
  const title = scale === "week" ? show.days(span.from, span.to) : month.format(toUtcDate(anchor));

  const countWords = say("list.count", { count: show.number(there), things: there === 1 ? entity.one : entity.many });

  return (
    <div className="month">
      <CalendarHead
        title={title}
        scale={scale}
        count={pages && !cut && !hasNextPage ? countWords : null}
        onTurn={turn}
        onToday={() => go(context.today)}
        onScale={(next) => seek({ ...search, scale: next })}
      />
      <Progress shown={query.isFetching && !query.isPending} />
      {cut && <p className="month-cut small-words">{say("calendar.cut", { things: entity.many })}</p>}
      {failure && !pages ? (
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      ) : listed ? (
        <Agenda
          screen={screen}
          entity={entity}
          entries={entries}
          span={span}
          at={anchor}
          pending={query.isPending}
          empty={say(scale === "week" ? "calendar.week.empty" : "calendar.month.empty", { things: entity.many })}
        />
      ) : (
        <CalendarGrid
          screen={screen}
          entity={entity}
          entries={entries}
          scale={scale === "week" ? "week" : "month"}
          weeks={weeks}
          at={anchor}
          busy={query.isFetching}
          hasLoaded={hasLoaded.current}
          onGo={go}
          controls={controls}
          timed={from.type === "datetime"}
          makeAt={makeAt}
        />
      )}
      {controls.blocked && <BlockedWords {...controls.blocked} />}
      {/* After the days, over their last ones: above, it would move the days under the pointer. */}
      {unmoved && (
        <div className="note-over">
          <UnmovedNote entity={entity} unmoved={unmoved} onClose={() => closeNote(unmoved.id)} />
        </div>
      )}
    </div>
  );
};

interface CalendarHeadProps {
  readonly title: string;
  readonly scale: CalendarScale;
  /** The number of records, in words; null until all of them are loaded. */
  readonly count: string | null;
  readonly onTurn: (by: 1 | -1) => void;
  readonly onToday: () => void;
  readonly onScale: (scale: CalendarScale) => void;
}

const CalendarHead = ({ title, scale, count, onTurn, onToday, onScale }: CalendarHeadProps) => {
  const { say } = useWords();
  const phone = usePhone();
  // On a phone all forms are agendas of different length.
  const scales = calendarScales.filter((one) => !phone || one !== "agenda");
  const previous = say(scale === "week" ? "calendar.week.previous" : "date.previous");
  const next = say(scale === "week" ? "calendar.week.next" : "date.next");
  useTools({
    [previous]: () => onTurn(-1),
    [next]: () => onTurn(1),
    [say("date.today")]: onToday,
    ...Object.fromEntries(
      scales
        .filter((one) => one !== scale)
        .map((one) => [
          say("label.value", { label: say("calendar.scale"), value: say(scaleWords[one]) }),
          () => onScale(one),
        ]),
    ),
  });
  return (
    <header className="month-head">
      <h2 aria-live="polite">{title}</h2>
      <IconButton icon="previous" label={previous} small onClick={() => onTurn(-1)} />
      <IconButton icon="next" label={next} small onClick={() => onTurn(1)} />
      <Button small onClick={onToday}>
        {say("date.today")}
      </Button>
      {/* Its place is there before the count. */}
      <span className="month-count small-words figures">{count}</span>
      <span className="grow" />
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that are pressed, not the choices of a form */}
      <div className="layouts" role="group" aria-label={say("calendar.scale")}>
        {scales.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === scale || (phone && one === "month" && scale === "agenda")}
            onClick={() => onScale(one)}
          >
            {say(scaleWords[one])}
          </button>
        ))}
      </div>
    </header>
  );
};

/** Explains why an entry was not moved or resized. */
const UnmovedNote = ({
  entity,
  unmoved,
  onClose,
}: {
  entity: EntityJson;
  unmoved: RescheduleFailure;
  onClose: () => void;
}) => {
  const { say } = useWords();
  const title = say(unmoved.part === "whole" ? "calendar.moved.not" : "calendar.end.not", { label: unmoved.label });
  if (unmoved.kind === "failed") {
    const { failure, record } = unmoved;
    const problem = failure.kind === "refused" ? failure.problem : null;
    const clauses = [problem?.clause, ...(problem?.errors ?? []).map(({ clause }) => clause)];
    return (
      <ProblemNote title={title} failure={failure} onClose={onClose}>
        {[...new Set(clauses)].map((clause) => (
          <CollidingRecords
            key={clause}
            entity={entity}
            clause={clause ?? null}
            valueAt={(name) => record[name] as Json | undefined}
            except={record.id}
          />
        ))}
      </ProblemNote>
    );
  }
  return (
    <div className="note" role="alert">
      <Icon name="lock" size={18} />
      <div className="grow">
        <h2>{title}</h2>
        <div className="note-words">
          <WhySentence words={unmoved.why?.because ?? say("calendar.end.shut")} clause={unmoved.why?.clause} />
        </div>
      </div>
      <IconButton icon="close" small label={say("close")} onClick={onClose} />
    </div>
  );
};

/** Filters for records that overlap a period: they start before its end, and end after its start or have no end. */
const spanFilters = (
  from: FieldJson,
  to: FieldJson | null,
  span: { readonly from: string; readonly to: string },
  context: Parameters<typeof filtersFor>[2],
) => {
  const begins = filtersFor(from, span, context);
  if (to === null) return begins;
  const ends = filtersFor(to, span, context);
  return {
    [`${from.name}<`]: begins[`${from.name}<`] ?? [],
    [`${to.name}>`]: ends[`${to.name}>`] ?? [],
    ...(to.optional ? { [to.name]: [""] } : {}),
  };
};

export default CalendarLayout;
