import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { toDayNumber } from "../../core/expression/values/calendar.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useUndo } from "../actions/use-undo.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import type { Body } from "../api/requests.ts";
import { useClient, useLocale } from "../app/app-context.tsx";
import { letters } from "../app/font-scale.ts";
import { PRESS_TOLERANCE } from "../app/press-guard.ts";
import { addDays } from "../format/dates.ts";
import { getValue } from "../format/record-values.ts";
import { localInstant } from "../format/time-zone.ts";
import { useWords } from "../i18n/words.tsx";
import { useAnnounce, useToast } from "../ui/overlay/toast.tsx";
import {
  avoidSkippedTimes,
  type CalendarEntry,
  type EntrySpan,
  findDayAt,
  type Hours,
  LAST_MINUTE,
  MINUTE_STEP,
  moveSpan,
  toClock,
  toMinutes,
} from "./entry-layout.ts";
import { useEntryTitle } from "./entry-title.ts";
import { hourHeight } from "./hour-height.ts";
import { type RecordInTheWay, useInTheWay } from "./use-in-the-way.ts";

/** The new end of an entry: a date, and a time if the field has one. */
export interface End {
  readonly day: string;
  readonly time: string | null;
}

/** The part of an entry that changes: both of its ends, or its end alone. */
type Part = "whole" | "end";

/** The outcome of a change that was not carried out. */
export type RescheduleFailure = {
  readonly part: Part;
  readonly id: string;
  readonly label: string;
} & (
  | { readonly kind: "shut"; readonly why: WhyNot | null }
  /** `record`: as it would be. */
  | { readonly kind: "failed"; readonly failure: Failure; readonly record: RecordJson }
);

/**
 * Moves entries, and changes their ends: by dragging the entry or its end, and by arrow keys with Alt or Shift. `hours`
 * are those shown, if the entry is drawn there.
 */
export interface RescheduleControls {
  /** True if entries have an end of their own. */
  readonly hasEnds: boolean;
  readonly isEndOpen: (record: RecordJson) => boolean;
  /** The record that is being moved. */
  readonly moving: string | null;
  /** The record that is being changed and would be refused, and the one in its way. */
  readonly blocked: { readonly id: string; readonly by: RecordInTheWay } | null;
  /** `at` maps a point of the page to an end; null outside the calendar. */
  readonly holdEnd: (entry: CalendarEntry, at: (x: number, y: number) => End | null) => (event: PointerEvent) => void;
  readonly hold: (entry: CalendarEntry, hours: Hours | null) => (event: PointerEvent) => void;
  readonly keys: (
    entry: CalendarEntry,
    hours: Hours | null,
  ) => {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onKeyUp: (event: KeyboardEvent) => void;
    readonly onBlur: (event: FocusEvent) => void;
  };
}

interface RescheduleState {
  readonly entry: CalendarEntry;
  readonly part: Part;
  readonly span: EntrySpan;
}

const DAYS_IN_WEEK = 7;

/** The number of days and minutes that an arrow key stands for; null for other keys. */
const readStep = (key: string, hasHours: boolean): readonly [days: number, minutes: number] | null => {
  const across = document.documentElement.dir === "rtl" ? -1 : 1;
  if (key === "ArrowRight") return [across, 0];
  if (key === "ArrowLeft") return [-across, 0];
  if (key !== "ArrowDown" && key !== "ArrowUp") return null;
  const down = key === "ArrowDown" ? 1 : -1;
  return hasHours ? [0, down * MINUTE_STEP] : [down * DAYS_IN_WEEK, 0];
};

/** The end of a span moved by a key. The end of an entry within hours stays on its day. */
const moveEnd = (span: EntrySpan, days: number, minutes: number, hours: Hours | null): EntrySpan => {
  if (hours === null) {
    const day = addDays(span.to, days);
    return { ...span, to: day < span.from ? span.from : day };
  }
  const begin = toMinutes(span.time ?? "00:00");
  const end = toMinutes(span.until ?? span.time ?? "00:00") + minutes;
  return { ...span, until: toClock(Math.min(Math.max(end, begin + MINUTE_STEP), LAST_MINUTE)) };
};

/** A click at the end of a drag would follow the link of the entry. */
const dropNextClick = (): void => {
  const drop = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("click", drop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", drop, { capture: true }));
};

const isSame = (one: EntrySpan, other: EntrySpan): boolean =>
  one.from === other.from && one.to === other.to && one.time === other.time && one.until === other.until;

/** The fields in which records begin and end: which of them change, and their values and words. */
const useEnds = (from: FieldJson, to: FieldJson | null) => {
  const { timezone } = useLocale();
  const { show } = useWords();
  /** The entered fields that change. An end that is computed, or absent, follows or stays absent. */
  const fieldsOf = (part: Part, record: RecordJson): readonly FieldJson[] =>
    [...(part === "whole" ? [from] : []), ...(to === null ? [] : [to])].filter(
      (field) => part === "end" || (!field.automatic && typeof getValue(record, field.name) === "string"),
    );
  /** Null if out of range. */
  const valueAt = (field: FieldJson, { from: first, to: last, time, until }: EntrySpan): string | null => {
    const [day, clock] = field === from ? [first, time] : [last, until ?? time];
    return field.type === "datetime" ? localInstant(day, clock ?? "00:00", timezone) : day;
  };
  return {
    fieldsOf,
    valueAt,
    isOpen: (part: Part, record: RecordJson): boolean => {
      const changed = fieldsOf(part, record);
      return changed.length > 0 && changed.every(({ name }) => record.may?.update.includes(name) === true);
    },
    /** The record as it would be. */
    move: ({ entry: { record }, part, span }: RescheduleState): RecordJson => {
      const changed = fieldsOf(part, record).map((field) => [field.name, valueAt(field, span)]);
      return { ...record, ...Object.fromEntries(changed) } as RecordJson;
    },
    /** The new beginning, or the new end: `Thu, 3 Dec 2026, 09:00`. */
    inWords: (part: Part, span: EntrySpan): string => {
      const [field, day, clock] = part === "whole" ? [from, span.from, span.time] : [to, span.to, span.until];
      const isTimed = field?.type === "datetime" && clock !== null;
      return isTimed ? `${show.fullDate(day)}, ${show.clock(clock)}` : show.fullDate(day);
    },
  };
};

/** The entry that is being changed, and the outcome of the last change. */
const useChange = (screen: ListScreenJson, entity: EntityJson, from: FieldJson, to: FieldJson | null) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const { restore } = useUndo(entity);
  const toast = useToast();
  const ends = useEnds(from, to);
  const titleOf = useEntryTitle(screen, entity);
  const [moved, setMoved] = useState<RescheduleState | null>(null);
  const [unmoved, setUnmoved] = useState<RescheduleFailure | null>(null);
  const latest = useRef(moved);
  const saved = useRef<RecordJson | null>(null);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const set = (next: RescheduleState | null) => {
    latest.current = next;
    setMoved(next);
  };
  const getLabel = ({ record }: CalendarEntry) => record._label ?? entity.one;
  const opens = (part: Part, entry: CalendarEntry): boolean => {
    if (ends.isOpen(part, entry.record)) {
      setUnmoved(null);
      return true;
    }
    const { id, may } = entry.record;
    setUnmoved({ kind: "shut", part, id, label: getLabel(entry), why: may?.updateRefused ?? null });
    return false;
  };
  const save = async ({ entry, part, span }: RescheduleState, changed: Body) => {
    // The list may not have the result of the last change yet.
    const { record: read } = entry;
    const last = saved.current;
    const record = last !== null && last.id === read.id && last.version > read.version ? last : read;
    const before = Object.fromEntries(Object.keys(changed).map((name) => [name, getValue(record, name) ?? null]));
    try {
      const after = await calls.change(entity.calls, record.id, record.version, changed);
      saved.current = after;
      const day = ends.inWords(part, span);
      const done = say(part === "whole" ? "calendar.moved" : "calendar.end.moved", { label: titleOf(after), day });
      const hasValues = (now: RecordJson) =>
        Object.entries(before).every(
          ([name, value]) => JSON.stringify(getValue(now, name) ?? null) === JSON.stringify(value),
        );
      toast(done, () => void restore([{ after, body: before, hasValues }]));
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.kind !== "signed out") {
        // The body has the values of dates and times as a record has them.
        const wished = { ...record, ...changed } as RecordJson;
        setUnmoved({ kind: "failed", part, id: record.id, label: getLabel(entry), failure, record: wished });
      }
      // Resets at once, even if reloading the others fails.
      if (latest.current === null) setMoved(null);
    }
    await reload(queries, { queryKey: keys.of(entity.calls) });
  };
  const write = async () => {
    const now = latest.current;
    if (!now) return;
    const { entry, span, part } = now;
    const changed = ends.fieldsOf(part, entry.record).map((field) => [field.name, ends.valueAt(field, span)] as const);
    if (isSame(entry, span) || changed.some(([, value]) => value === null)) return set(null);
    latest.current = null;
    setUnmoved(null);
    const saving = queue.current.then(() => save(now, Object.fromEntries(changed)));
    queue.current = saving;
    await saving;
    if (latest.current === null && queue.current === saving) setMoved(null);
  };
  return { ends, moved, latest, set, opens, write, unmoved, forget: () => setUnmoved(null) };
};

/** Follows the pointer until it is released, or Escape ends the drag. Returns a function that ends it without a drop. */
const drag = (follow: (event: globalThis.PointerEvent) => void, onEscape: () => void, drop: () => void) => {
  const over = new AbortController();
  const { signal } = over;
  let isEscaped = false;
  const end = () => {
    over.abort();
    drop();
  };
  window.addEventListener("pointermove", (event) => isEscaped || follow(event), { signal });
  window.addEventListener("pointerup", end, { signal });
  const giveUp = () => {
    isEscaped = true;
    onEscape();
  };
  window.addEventListener("pointercancel", giveUp, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("keydown", ({ key }) => key === "Escape" && giveUp(), { signal });
  return () => over.abort();
};

interface RescheduledList {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly from: FieldJson;
  readonly to: FieldJson | null;
}

/** Changes the fields of records in which they begin and end. A change is shown at once and saved on release. */
export const useReschedule = (
  { screen, entity, from, to }: RescheduledList,
  /** The records that the calendar shows. */
  shown: readonly RecordJson[],
) => {
  const { say } = useWords();
  const { politely } = useAnnounce();
  const { ends, moved, latest, set, opens, write, unmoved, forget } = useChange(screen, entity, from, to);
  const { timezone } = useLocale();
  const findInTheWay = useInTheWay(entity, from, shown);
  /** The record that was moved by keys, until the focus leaves its entry. */
  const byKey = useRef<string | null>(null);
  const cancel = useRef(() => {});
  useEffect(() => () => cancel.current(), []);

  // An entry on another day is drawn in another cell: the focus follows it there, and back if it is not moved after all.
  // Where it is not drawn, it is saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of place moves the focus
  useLayoutEffect(() => {
    if (byKey.current === null) return;
    const own = `[data-entry="${byKey.current}"]`;
    const bar = document.querySelector<HTMLElement>(own);
    if (moved === null) return document.activeElement === document.body ? bar?.focus() : undefined;
    if (document.activeElement?.matches(own)) return;
    if (bar) return bar.focus();
    byKey.current = null;
    document.querySelector<HTMLElement>(`[data-day="${moved.span.from}"]`)?.focus();
    void write();
  }, [moved]);

  const begin = (follow: (event: globalThis.PointerEvent) => void, drop: () => void) => {
    byKey.current = null;
    cancel.current = drag(follow, () => set(null), drop);
  };

  const holdEnd: RescheduleControls["holdEnd"] = (entry, at) => (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (!opens("end", entry)) return;
    const { from: first, time } = entry;
    const follow = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const end = at(clientX, clientY);
      if (end === null) return;
      const span = { from: first, time, to: end.day < first ? first : end.day, until: end.time };
      set({ entry, part: "end", span: avoidSkippedTimes(span, timezone) });
    };
    begin(follow, () => void write());
  };

  const hold: RescheduleControls["hold"] = (entry, hours) => (press) => {
    const { button, pointerType, pageX, pageY } = press;
    const pressed = findDayAt(press.clientX, press.clientY);
    // A finger scrolls the page.
    if (button !== 0 || pointerType === "touch" || press.ctrlKey || press.metaKey || pressed === null) return;
    let state: "pressed" | "moving" | "shut" = "pressed";
    const follow = (move: globalThis.PointerEvent) => {
      if (state === "pressed") {
        if (Math.hypot(move.pageX - pageX, move.pageY - pageY) <= PRESS_TOLERANCE) return;
        state = opens("whole", entry) ? "moving" : "shut";
      }
      const day = findDayAt(move.clientX, move.clientY);
      if (state === "shut" || day === null) return;
      const down = hours === null ? 0 : ((move.pageY - pageY) / (hourHeight * letters())) * 60;
      const minutes = Math.round(down / MINUTE_STEP) * MINUTE_STEP;
      const span = moveSpan(entry, toDayNumber(day) - toDayNumber(pressed), minutes, hours ?? undefined);
      set({ entry, part: "whole", span: avoidSkippedTimes(span, timezone) });
    };
    begin(follow, () => {
      if (state !== "pressed") dropNextClick();
      void write();
    });
  };

  const getKeys: RescheduleControls["keys"] = (entry, hours) => ({
    onKeyDown: (event) => {
      if (event.key === "Escape") set(null);
      if (event.ctrlKey || event.metaKey || event.altKey === event.shiftKey) return;
      const part: Part = event.altKey ? "whole" : "end";
      const step = readStep(event.key, hours !== null);
      if (step === null || (part === "end" && to === null)) return;
      event.preventDefault();
      event.stopPropagation();
      if (!opens(part, entry)) return;
      const [days, minutes] = step;
      // The drawn entry is at its new place already.
      const wished = part === "whole" ? moveSpan(entry, days, minutes) : moveEnd(entry, days, minutes, hours);
      const span = avoidSkippedTimes(wished, timezone, minutes < 0 ? -1 : 1);
      const begun = latest.current?.entry.record.id === entry.record.id ? latest.current.entry : entry;
      byKey.current = entry.record.id;
      const next = { entry: begun, part, span };
      set(next);
      const place = say(part === "whole" ? "calendar.begins.at" : "calendar.end.at", { day: ends.inWords(part, span) });
      const inTheWay = findInTheWay(ends.move(next));
      politely(inTheWay === null ? place : `${place}. ${inTheWay.words}`);
    },
    onKeyUp: (event) => {
      if (byKey.current !== null && (event.key === "Shift" || event.key === "Alt")) void write();
    },
    onBlur: ({ currentTarget }) => {
      if (byKey.current !== null) void write();
      // It keeps the focus while another window has it.
      if (document.activeElement !== currentTarget) byKey.current = null;
    },
  });

  /** The entries to display during a change. */
  const withMoved = (entries: readonly CalendarEntry[]): readonly CalendarEntry[] =>
    moved === null
      ? entries
      : entries.map((entry) => (entry.record.id === moved.entry.record.id ? { ...entry, ...moved.span } : entry));
  const inTheWay = moved && !isSame(moved.entry, moved.span) ? findInTheWay(ends.move(moved)) : null;
  const controls: RescheduleControls = {
    hasEnds: to !== null,
    isEndOpen: (record) => ends.isOpen("end", record),
    moving: moved?.part === "whole" ? moved.entry.record.id : null,
    blocked: moved && inTheWay && { id: moved.entry.record.id, by: inTheWay },
    holdEnd,
    hold,
    keys: getKeys,
  };
  return { controls, drawn: withMoved, unmoved, forget };
};
