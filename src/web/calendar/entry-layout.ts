import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { addDays } from "../format/dates.ts";
import { localInstant, toLocalTime } from "../format/time-zone.ts";

/** The days of an entry, inclusive, and its times. */
export interface EntrySpan {
  readonly from: string;
  readonly to: string;
  /** Start time; null for whole days. */
  readonly time: string | null;
  /** End time; null if it ends with its day, or without an end. */
  readonly until: string | null;
}

/** A record and its days. */
export interface CalendarEntry extends EntrySpan {
  readonly record: RecordJson;
}

const dayAndTime = (field: FieldJson, value: Json | undefined, timezone: string) => {
  if (typeof value !== "string") return null;
  if (field.type !== "datetime") return { day: value, time: null };
  return toLocalTime(value, timezone);
};

/**
 * The records that overlap a period, sorted. If the end precedes the start, the record counts for its first day. `isDropped`:
 * true for those that nothing came of, which are last, so that they take no place from others.
 */
export const findEntries = (
  items: readonly RecordJson[],
  fields: { readonly from: FieldJson; readonly to: FieldJson | null },
  span: { readonly from: string; readonly to: string },
  timezone: string,
  isDropped: (record: RecordJson) => boolean,
): readonly CalendarEntry[] =>
  items
    .flatMap((record): readonly CalendarEntry[] => {
      const from = dayAndTime(fields.from, record[fields.from.name] as Json | undefined, timezone);
      const end = fields.to && dayAndTime(fields.to, record[fields.to.name] as Json | undefined, timezone);
      if (!from) return [];
      const to = end && end.day > from.day ? end.day : from.day;
      return from.day <= span.to && to >= span.from
        ? [{ record, from: from.day, to, time: from.time, until: end ? end.time : null }]
        : [];
    })
    .sort(
      (one, other) =>
        Number(isDropped(one.record)) - Number(isDropped(other.record)) ||
        one.from.localeCompare(other.from) ||
        other.to.localeCompare(one.to) ||
        (one.time ?? "").localeCompare(other.time ?? ""),
    );

/** The part of an entry within one week: first column, number of columns, and lane. */
export interface Segment {
  readonly entry: CalendarEntry;
  readonly at: number;
  readonly span: number;
  readonly lane: number;
  /** True if the entry begins or ends in this week. */
  readonly begins: boolean;
  readonly ends: boolean;
}

/** Assigns lanes to the entries of a week: each gets the first lane that is free on all its days. */
export const layOutSegments = (entries: readonly CalendarEntry[], week: readonly string[]): readonly Segment[] => {
  const [first, last] = [week[0] ?? "", week.at(-1) ?? ""];
  const placed: Segment[] = [];
  for (const entry of entries) {
    if (entry.from > last || entry.to < first) continue;
    const at = entry.from <= first ? 0 : week.indexOf(entry.from);
    const end = entry.to >= last ? week.length - 1 : week.indexOf(entry.to);
    const taken = new Set(placed.flatMap((one) => (one.at <= end && one.at + one.span > at ? [one.lane] : [])));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    placed.push({ entry, at, span: end - at + 1, lane, begins: entry.from >= first, ends: entry.to <= last });
  }
  return placed;
};

export const onDay = (entries: readonly CalendarEntry[], day: string): readonly CalendarEntry[] =>
  entries.filter(({ from, to }) => from <= day && to >= day);

/** The days of a period with entries that begin there or continue from before; and today, if included. */
export const buildAgenda = (
  entries: readonly CalendarEntry[],
  span: { readonly from: string; readonly to: string },
  today: string,
): readonly { readonly day: string; readonly entries: readonly CalendarEntry[] }[] => {
  const days = new Map<string, CalendarEntry[]>(today >= span.from && today <= span.to ? [[today, []]] : []);
  for (const entry of entries) {
    const day = entry.from < span.from ? span.from : entry.from;
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days].sort(([one], [other]) => one.localeCompare(other)).map(([day, some]) => ({ day, entries: some }));
};

/** The position of an entry within a day: start and end in minutes, its column, and the number of columns. */
export interface Slot {
  readonly entry: CalendarEntry;
  readonly from: number;
  readonly to: number;
  readonly column: number;
  readonly columns: number;
}

/** True if the entry starts and ends on one day with times; all others are shown above the hours. */
export const isTimed = ({ from, to, time }: CalendarEntry): boolean => time !== null && from === to;

/** Displayed duration in minutes of an entry without an end, and minimum displayed duration. */
const usually = 30;

export const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** `75` is `01:15`. */
export const toClock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** The last minute of a day. */
export const LAST_MINUTE = 24 * 60 - 1;

/** Granularity of moving and resizing, in minutes. */
export const MINUTE_STEP = 15;

/** A range of hours of the day. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** Moves a span by days, and by minutes within the hours of its day, as far as they reach. */
export const moveSpan = (
  span: EntrySpan,
  days: number,
  minutes: number,
  hours: Hours = { from: 0, to: 24 },
): EntrySpan => {
  const { from, to, time, until } = span;
  const day = { from: addDays(from, days), to: addDays(to, days) };
  if (time === null || minutes === 0) return { ...day, time, until };
  const [begin, end] = [toMinutes(time), toMinutes(until ?? time)];
  const [least, most] = [Math.min(0, hours.from * 60 - begin), Math.max(0, Math.min(hours.to * 60, LAST_MINUTE) - end)];
  const by = Math.min(Math.max(minutes, least), most);
  return { ...day, time: toClock(begin + by), until: until === null ? null : toClock(end + by) };
};

/**
 * A span whose times clocks show. A time that they skip becomes as much later, or earlier if the span moves up and its day
 * has an earlier one; an end within the day then follows as long after its begin as before.
 */
export const avoidSkippedTimes = (span: EntrySpan, timezone: string, direction: 1 | -1 = 1): EntrySpan => {
  const { from, to, time, until } = span;
  if (time === null) return span;
  const begin = findShownTime(from, time, timezone, direction);
  if (until === null) return { ...span, time: begin };
  const end = findShownTime(to, until, timezone, direction);
  if (from < to || begin < end || until <= time) return { ...span, time: begin, until: end };
  const length = toMinutes(until) - toMinutes(time);
  return { ...span, time: begin, until: toClock(Math.min(toMinutes(begin) + length, LAST_MINUTE)) };
};

const findShownTime = (day: string, time: string, timezone: string, direction: 1 | -1): string => {
  const instant = localInstant(day, time, timezone);
  if (instant === null) return time;
  const shown = toLocalTime(instant, timezone).time;
  if (direction === 1 || shown === time) return shown;
  const skipped = (toMinutes(shown) - toMinutes(time)) * 60_000;
  const earlier = toLocalTime(new Date(Date.parse(instant) - skipped).toISOString(), timezone);
  // Clocks that skip midnight show no earlier time on this day.
  return earlier.day === day ? earlier.time : shown;
};

/** The day at a point of the page. */
export const findDayAt = (x: number, y: number): string | null => {
  const cell = document.elementsFromPoint(x, y).find((one): one is HTMLElement => one.matches("[data-on]"));
  return cell?.dataset.on ?? null;
};

/** Positions the entries of a day; overlapping ones share the width. */
export const layOutSlots = (entries: readonly CalendarEntry[], day: string): readonly Slot[] => {
  const timed = entries
    .filter((entry) => isTimed(entry) && entry.from === day)
    .map((entry) => {
      const from = toMinutes(entry.time ?? "00:00");
      const to = entry.until === null ? from + usually : Math.max(toMinutes(entry.until), from + usually);
      return { entry, from, to: Math.min(to, 24 * 60) };
    })
    .sort((one, other) => one.from - other.from || other.to - one.to);
  const slots: Slot[] = [];
  let together: {
    readonly entry: CalendarEntry;
    readonly from: number;
    readonly to: number;
    readonly column: number;
  }[] = [];
  const settle = () => {
    const columns = Math.max(0, ...together.map(({ column }) => column + 1));
    slots.push(...together.map((one) => ({ ...one, columns })));
    together = [];
  };
  for (const one of timed) {
    if (together.every(({ to }) => to <= one.from)) settle();
    const taken = together.filter(({ to }) => to > one.from).map(({ column }) => column);
    let column = 0;
    while (taken.includes(column)) column += 1;
    together.push({ ...one, column });
  }
  settle();
  return slots;
};
