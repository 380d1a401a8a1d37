import { type RefObject, useLayoutEffect, useState } from "react";

/** True while an element has more content than fits its width. Each render can change the content. */
export const useOverflow = (ref: RefObject<HTMLElement | null>): boolean => {
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setOverflows(element.scrollWidth > element.clientWidth + 1);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    for (const part of element.children) watch.observe(part);
    return () => watch.disconnect();
  });
  return overflows;
};
