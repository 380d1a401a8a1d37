import { type RefObject, useEffect, useRef } from "react";

/**
 * Prevents an element from becoming lower as long as its width is the same: nothing below it moves under the pointer
 * when a row leaves it.
 */
export const useSteadyHeight = <Held extends HTMLElement>(enabled: boolean): RefObject<Held | null> => {
  const ref = useRef<Held>(null);
  useEffect(() => {
    const held = ref.current;
    if (!held || !enabled) return;
    let width = held.offsetWidth;
    const watch = new ResizeObserver(() => {
      if (held.offsetWidth !== width) held.style.minBlockSize = "";
      width = held.offsetWidth;
      held.style.minBlockSize = `${held.offsetHeight}px`;
    });
    watch.observe(held);
    return () => {
      watch.disconnect();
      held.style.minBlockSize = "";
    };
  }, [enabled]);
  return ref;
};
