import { type RefObject, startTransition, useEffect, useLayoutEffect, useState } from "react";
import { useClient, usePrinting } from "../../app/app-context.tsx";

/** Below this number, all rows are rendered, so that the browser's own search finds everything. */
const worthwhile = 60;

/** Maximum number of rows rendered for printing. */
const printed = 2_000;

/** Rows rendered beyond the visible area. */
const ahead = 12;

/** The rendered range changes in steps, so that small movements render nothing. */
const step = 4;

/** The range of rendered rows, and the space of the others above and below. */
export interface DrawnRows {
  readonly from: number;
  readonly to: number;
  readonly above: number;
  readonly below: number;
  /** True if all rows are rendered, or will be shortly. */
  readonly isComplete: boolean;
}

/** On the first visit, only visible rows are rendered before the first paint. */
const useFirstPainted = (): boolean => {
  const { navigation } = useClient();
  const [painted, setPainted] = useState(() => navigation.scrolled() !== null);
  useEffect(() => startTransition(() => setPainted(true)), []);
  return painted;
};

/**
 * Computes the rows in view. `list` contains them and the space of the others. All rows have the height of the first
 * rendered one, assumed to be `guess` until it is measured.
 */
export const useVirtualRows = (count: number, guess: number, list: RefObject<HTMLElement | null>): DrawnRows => {
  const printing = usePrinting();
  const enabled = count > (printing ? printed : worthwhile);
  const painted = useFirstPainted() || printing;
  const [height, setHeight] = useState(guess);
  const [seen, setSeen] = useState({ first: 0, last: worthwhile });
  useLayoutEffect(() => {
    if (!enabled) return;
    const row = list.current?.querySelector("[data-row], [data-select]")?.closest("tr, li");
    setHeight(row?.getBoundingClientRect().height ?? guess);
  }, [enabled, guess, list]);
  useLayoutEffect(() => {
    if (!enabled) return;
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = step * Math.floor(-top / height / step) - ahead;
      const last = step * Math.ceil((window.innerHeight - top) / height / step) + ahead;
      setSeen((now) => (now.first === first && now.last === last ? now : { first, last }));
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [enabled, height, list]);
  if (!painted) {
    const to = Math.min(count, Math.ceil(window.innerHeight / guess));
    return { from: 0, to, above: 0, below: (count - to) * guess, isComplete: !enabled };
  }
  if (!enabled) return { from: 0, to: count, above: 0, below: 0, isComplete: true };
  const to = Math.min(count, Math.max(seen.last, ahead));
  const from = Math.max(0, Math.min(seen.first, to - ahead));
  return { from, to, above: from * height, below: (count - to) * height, isComplete: false };
};
