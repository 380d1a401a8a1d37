import { useLayoutEffect, useRef } from "react";
import { Icon } from "../ui/icon.tsx";
import type { RescheduleControls } from "./use-reschedule.ts";

const GAP = 6;
const MARGIN = 8;

/** Says at an entry that is being moved which record is in its way there. The keys announce it, too. */
export const BlockedWords = ({ id, by }: NonNullable<RescheduleControls["blocked"]>) => {
  const own = useRef<HTMLParagraphElement>(null);
  // At each move: the entry is drawn elsewhere then.
  useLayoutEffect(() => {
    const bar = document.querySelector(`[data-entry="${id}"]`)?.getBoundingClientRect();
    const note = own.current;
    if (!bar || !note) return;
    const { width, height } = note.getBoundingClientRect();
    const below = bar.bottom + GAP;
    const top = below + height + MARGIN > window.innerHeight ? bar.top - GAP - height : below;
    const left = Math.min(bar.left, document.documentElement.clientWidth - width - MARGIN);
    note.style.translate = `${Math.max(MARGIN, left)}px ${Math.max(MARGIN, top)}px`;
  });
  return (
    <p ref={own} className="blocked-words" aria-hidden="true">
      <Icon name="lock" size={13} />
      {by.words}
    </p>
  );
};
