import { type RefObject, useEffect, useRef } from "react";

/** Milliseconds after which a tile of a new width is drawn: the division of its rows follows the width. */
const SETTLED = 250;

/**
 * Lets a tile become lower only when that moves nothing under the pointer: while the pointer is in its column or below it,
 * the tile keeps its height when a row leaves it. Then it takes the height that it needs, in a short movement. A pointer
 * that has not moved since the tile is drawn aims at nothing: rows that left the tile meanwhile leave no gap.
 */
export const useSteadyHeight = <Held extends HTMLElement>(enabled: boolean): RefObject<Held | null> => {
  const ref = useRef<Held>(null);
  useEffect(() => {
    const held = ref.current;
    if (!held || !enabled) return;
    let width = held.offsetWidth;
    let kept = 0;
    let hasPointed = false;
    const point = () => {
      hasPointed = true;
    };
    document.addEventListener("pointermove", point, { passive: true, once: true });
    const keep = () => {
      kept = held.offsetHeight;
      held.style.minBlockSize = `${kept}px`;
    };
    let settling: ReturnType<typeof setTimeout> | null = null;
    /** A height of another width, or of a tile that is being drawn, says nothing. */
    const settle = () => {
      if (settling !== null) clearTimeout(settling);
      held.style.minBlockSize = "";
      settling = setTimeout(() => {
        settling = null;
        keep();
      }, SETTLED);
    };
    settle();
    const watch = new ResizeObserver(() => {
      if (held.offsetWidth !== width) {
        width = held.offsetWidth;
        settle();
      } else if (settling === null && held.offsetHeight > kept && held.getAnimations().length === 0) keep();
    });
    watch.observe(held);
    let frame = 0;
    const tryAgain = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(release);
    };
    const release = () => {
      if (settling !== null) return;
      const from = held.offsetHeight;
      // A movement that is under way would be taken for the height that the tile needs.
      for (const movement of held.getAnimations()) movement.cancel();
      held.style.minBlockSize = "";
      const to = held.offsetHeight;
      const isLower = to < from && held.checkVisibility();
      if (isLower && hasPointed && isPointedBelow(held)) {
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
    // Also after what only a part of it draws anew.
    const changes = new MutationObserver(tryAgain);
    changes.observe(held, { childList: true, characterData: true, subtree: true });
    return () => {
      watch.disconnect();
      changes.disconnect();
      if (settling !== null) clearTimeout(settling);
      cancelAnimationFrame(frame);
      document.removeEventListener("pointermove", tryAgain);
      document.removeEventListener("pointermove", point);
      held.style.minBlockSize = "";
    };
  }, [enabled]);
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
