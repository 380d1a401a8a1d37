import { useLayoutEffect, useState } from "react";

/** From the lower edge of the window to the upper one of a note, in pixels. */
const NOTE = 76;

/**
 * True while a bar of actions is where a note would cover it. A bar below few rows, or in a tile, is elsewhere. Rows come and go,
 * and pages scroll, while a note is shown.
 */
export const useBarAtFoot = (isShown: boolean): boolean => {
  const [isThere, setThere] = useState(false);
  useLayoutEffect(() => {
    if (!isShown) return;
    let frame = 0;
    const look = () => {
      const bars = [...document.querySelectorAll(".form-foot, .bulk")];
      setThere(bars.some((bar) => bar.getBoundingClientRect().bottom > innerHeight - NOTE));
    };
    const lookLater = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    look();
    const over = new AbortController();
    const changes = new MutationObserver(lookLater);
    changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ["style"] });
    addEventListener("scroll", lookLater, { capture: true, passive: true, signal: over.signal });
    addEventListener("resize", lookLater, { signal: over.signal });
    return () => {
      over.abort();
      changes.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [isShown]);
  return isThere;
};
