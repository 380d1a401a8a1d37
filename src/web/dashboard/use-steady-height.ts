import { type RefObject, useEffect, useRef } from "react";

/**
 * Lets a tile become lower only when that moves nothing under the pointer: while the pointer is in its column or below it,
 * the tile keeps its height when a row leaves it. Then it takes the height that it needs, in a short movement.
 */
export const useSteadyHeight = <Held extends HTMLElement>(enabled: boolean): RefObject<Held | null> => {
  const ref = useRef<Held>(null);
  const lower = useRef<() => void>(null);
  useEffect(() => {
    const held = ref.current;
    if (!held || !enabled) return;
    let width = held.offsetWidth;
    let kept = 0;
    const keep = () => {
      kept = held.offsetHeight;
      held.style.minBlockSize = `${kept}px`;
    };
    const watch = new ResizeObserver(() => {
      if (held.offsetWidth !== width) held.style.minBlockSize = "";
      else if (held.offsetHeight <= kept || held.getAnimations().length > 0) return;
      width = held.offsetWidth;
      keep();
    });
    watch.observe(held);
    let frame = 0;
    const tryAgain = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(release);
    };
    const release = () => {
      const from = held.offsetHeight;
      // A movement that is under way would be taken for the height that the tile needs.
      for (const movement of held.getAnimations()) movement.cancel();
      held.style.minBlockSize = "";
      const to = held.offsetHeight;
      const isLower = to < from && held.checkVisibility();
      if (isLower && isPointedBelow(held)) {
        held.style.minBlockSize = `${from}px`;
        document.addEventListener("pointermove", tryAgain, { passive: true });
        return;
      }
      document.removeEventListener("pointermove", tryAgain);
      keep();
      if (!isLower) return;
      const style = getComputedStyle(held);
      held.animate([{ minBlockSize: `${from}px` }, { minBlockSize: `${to}px` }], {
        duration: Number.parseFloat(style.getPropertyValue("--slow")),
        easing: style.getPropertyValue("--ease"),
      });
    };
    lower.current = release;
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      document.removeEventListener("pointermove", tryAgain);
      lower.current = null;
      held.style.minBlockSize = "";
    };
  }, [enabled]);
  // The tile is drawn anew when its rows change.
  useEffect(() => lower.current?.());
  return ref;
};

/** True if the pointer is in the column of a tile, or in a column that begins below it. A finger stays nowhere. */
const isPointedBelow = (tile: HTMLElement): boolean => {
  if (!matchMedia("(hover: hover)").matches) return false;
  const pointed = document.querySelector(".tile-stack:hover");
  return (
    pointed !== null &&
    (pointed.contains(tile) || pointed.getBoundingClientRect().top >= tile.getBoundingClientRect().bottom)
  );
};
