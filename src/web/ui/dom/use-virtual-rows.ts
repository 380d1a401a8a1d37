import { type RefObject, startTransition, useEffect, useLayoutEffect, useState } from "react";
import { useClient, usePrinting } from "../../app/app-context.tsx";

/** Fewer rows than this are all there: a page of them, and what the browser's own search sees is then the whole. */
const worthwhile = 60;

/** On paper all of them stand, up to what anybody would print. */
const printed = 2_000;

/** So many rows are there before one scrolls to them. */
const ahead = 12;

/** What is drawn changes by so many rows at once: a little scrolling draws nothing. */
const step = 4;

/** Which of many rows of one height are drawn, and how much room the others take above and below. */
export interface DrawnRows {
  readonly from: number;
  readonly to: number;
  readonly above: number;
  readonly below: number;
  /** Whether all of them are drawn, or will be in a moment. */
  readonly whole: boolean;
}

/** What nobody comes back to shows first what lies in the window; the rest follows once that was painted. */
const useFirstPainted = (): boolean => {
  const { navigation } = useClient();
  const [painted, setPainted] = useState(() => navigation.scrolled() !== null);
  useEffect(() => startTransition(() => setPainted(true)), []);
  return painted;
};

/**
 * The rows that lie in the window, and some beyond. `list` holds them and the room of the others; they are all as high as
 * the first that is drawn, which is `guess` until that is known.
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
    return { from: 0, to, above: 0, below: (count - to) * guess, whole: !enabled };
  }
  if (!enabled) return { from: 0, to: count, above: 0, below: 0, whole: true };
  const to = Math.min(count, Math.max(seen.last, ahead));
  const from = Math.max(0, Math.min(seen.first, to - ahead));
  return { from, to, above: from * height, below: (count - to) * height, whole: false };
};
