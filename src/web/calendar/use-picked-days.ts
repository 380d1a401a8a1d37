import { type PointerEvent, useState } from "react";
import { useClient } from "../app/app-context.tsx";
import { type CreateAt, MORNING } from "./create-at.ts";
import { findDayAt } from "./entry-layout.ts";

/** Days chosen for a new record, in order. */
export interface PickedDays {
  readonly from: string;
  readonly to: string;
}

const inOrder = (one: string, other: string): PickedDays =>
  one <= other ? { from: one, to: other } : { from: other, to: one };

/** End of the last day of several, in minutes. */
const EVENING = 17 * 60;

/**
 * Chooses the days of a new record: a press on a free part of a cell, a drag over several cells, or Shift with the arrow
 * keys. Without permission to create records, a press opens the day. `areWhole`: the hours of a day have cells of their own,
 * so that its cell stands for the whole day.
 */
export const usePickedDays = (makeAt: CreateAt | null, areWhole: boolean) => {
  const { navigation } = useClient();
  const [picked, setPicked] = useState<(PickedDays & { readonly anchor: string }) | null>(null);
  const create = ({ from, to }: PickedDays) => {
    setPicked(null);
    if (makeAt === null) return;
    navigation.go(makeAt(from, MORNING, from === to && !areWhole ? null : { day: to, minutes: EVENING }));
  };
  return {
    picked,
    clear: () => setPicked(null),
    /** Extends the days from the first one chosen; `day` is the focused one. */
    extend: (day: string, to: string) => {
      const anchor = picked?.anchor ?? day;
      if (makeAt !== null) setPicked({ anchor, ...inOrder(anchor, to) });
    },
    create,
    begin: (day: string, open: () => void) => (event: PointerEvent<HTMLElement>) => {
      if (event.target !== event.currentTarget || event.button !== 0) return;
      const over = new AbortController();
      const { signal } = over;
      let days = inOrder(day, day);
      const end = () => {
        over.abort();
        setPicked(null);
      };
      const drag = (move: globalThis.PointerEvent) => {
        if (makeAt === null) return;
        days = inOrder(day, findDayAt(move.clientX, move.clientY) ?? day);
        if (days.from !== days.to) setPicked({ anchor: day, ...days });
      };
      const drop = () => {
        end();
        if (makeAt === null) open();
        else create(days);
      };
      const cancel = ({ key }: KeyboardEvent) => key === "Escape" && end();
      window.addEventListener("pointermove", drag, { signal });
      window.addEventListener("pointerup", drop, { signal });
      // The page scrolls under a finger.
      window.addEventListener("pointercancel", end, { signal });
      window.addEventListener("keydown", cancel, { signal });
    },
  };
};
