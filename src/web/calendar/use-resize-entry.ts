import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, useLocale } from "../app/app-context.tsx";
import { addDays } from "../format/dates.ts";
import { localInstant } from "../format/time-zone.ts";
import { useWords } from "../i18n/words.tsx";
import { useAnnounce, useToast } from "../ui/overlay/toast.tsx";
import type { CalendarEntry } from "./entry-layout.ts";

/** The new end of an entry: a date, and a time if the field has one. */
export interface End {
  readonly day: string;
  readonly time: string | null;
}

/** The outcome of a resize that was not carried out. */
export type ResizeFailure =
  | { readonly kind: "shut"; readonly label: string; readonly why: WhyNot | null }
  | { readonly kind: "failed"; readonly label: string; readonly failure: Failure };

/** Resizing of entries, by dragging the end or with Shift and arrow keys. */
export interface ResizeControls {
  /** True if entries have an end that can be changed. */
  readonly canResize: boolean;
  readonly isOpen: (record: RecordJson) => boolean;
  /** `at` maps a point of the page to an end; null outside the calendar. */
  readonly hold: (entry: CalendarEntry, at: (x: number, y: number) => End | null) => (event: PointerEvent) => void;
  readonly keys: (entry: CalendarEntry) => {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onKeyUp: (event: KeyboardEvent) => void;
    readonly onBlur: () => void;
  };
}

interface ResizeState {
  readonly entry: CalendarEntry;
  readonly end: End;
}

/** Changes the end field of records. The change is shown at once and saved on release. */
export const useResizeEntry = (entity: EntityJson, to: FieldJson | null) => {
  const { calls, queries } = useClient();
  const { timezone } = useLocale();
  const { say, show } = useWords();
  const { politely } = useAnnounce();
  const toast = useToast();
  const [pulled, setPulled] = useState<ResizeState | null>(null);
  const [unmoved, setUnmoved] = useState<ResizeFailure | null>(null);
  const latest = useRef(pulled);
  const setState = (next: ResizeState | null) => {
    latest.current = next;
    setPulled(next);
  };
  const cancel = useRef(() => {});
  useEffect(() => () => cancel.current(), []);

  const getLabel = ({ record }: CalendarEntry) => record._label ?? entity.one;
  const isOpen = (record: RecordJson) => to !== null && record.may?.update.includes(to.name) === true;
  const opens = (entry: CalendarEntry): boolean => {
    // Keeps an earlier message until this resize is over, because removing it would move the days under the pointer.
    if (isOpen(entry.record)) return true;
    setUnmoved({ kind: "shut", label: getLabel(entry), why: entry.record.may?.updateRefused ?? null });
    return false;
  };
  const write = async () => {
    const now = latest.current;
    if (!now || !to) return;
    const { entry, end } = now;
    const value = to.type === "datetime" ? localInstant(end.day, end.time ?? entry.time ?? "00:00", timezone) : end.day;
    if (value === null || (end.day === entry.to && end.time === entry.until)) {
      setState(null);
      return;
    }
    latest.current = null;
    setUnmoved(null);
    try {
      await calls.change(entity.calls, entry.record.id, entry.record.version, { [to.name]: value });
      const time = to.type === "datetime" && end.time !== null ? ` ${show.clock(end.time)}` : "";
      toast(say("calendar.end.moved", { label: getLabel(entry), day: `${show.fullDate(end.day)}${time}` }));
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.kind !== "signed out") setUnmoved({ kind: "failed", label: getLabel(entry), failure });
      // Resets at once, even if reloading the others fails.
      if (latest.current === null) setPulled(null);
    }
    await reload(queries, { queryKey: keys.of(entity.calls) });
    if (latest.current === null) setPulled(null);
  };

  const hold: ResizeControls["hold"] = (entry, at) => (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (!opens(entry)) return;
    const follow = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const end = at(clientX, clientY);
      if (end) setState({ entry, end: end.day < entry.from ? { ...end, day: entry.from } : end });
    };
    const leave = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setState(null);
      cancel.current();
    };
    const drop = () => {
      cancel.current();
      void write();
    };
    cancel.current = () => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", drop);
      window.removeEventListener("keydown", leave);
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", drop);
    window.addEventListener("keydown", leave);
  };

  const getKeys: ResizeControls["keys"] = (entry) => ({
    onKeyDown: (event) => {
      if (event.key === "Escape") setState(null);
      if (!to || !event.shiftKey) return;
      const across = document.documentElement.dir === "rtl" ? -1 : 1;
      const steps: { readonly [key: string]: number } = {
        ArrowRight: across,
        ArrowLeft: -across,
        ArrowDown: 7,
        ArrowUp: -7,
      };
      const by = steps[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      if (!opens(entry)) return;
      const from = latest.current?.entry.record.id === entry.record.id ? latest.current : null;
      const day = addDays(from?.end.day ?? entry.to, by);
      const end = { day: day < entry.from ? entry.from : day, time: entry.until };
      setState({ entry: from?.entry ?? entry, end });
      politely(say("calendar.end.at", { day: show.fullDate(end.day) }));
    },
    onKeyUp: (event) => {
      if (event.key === "Shift") void write();
    },
    onBlur: () => void write(),
  });

  /** The entries to display during a resize. */
  const withResized = (entries: readonly CalendarEntry[]): readonly CalendarEntry[] =>
    pulled === null
      ? entries
      : entries.map((entry) =>
          entry.record.id === pulled.entry.record.id ? { ...entry, to: pulled.end.day, until: pulled.end.time } : entry,
        );
  const ends: ResizeControls = { canResize: to !== null, isOpen, hold, keys: getKeys };
  return { ends, drawn: withResized, unmoved, forget: () => setUnmoved(null) };
};
