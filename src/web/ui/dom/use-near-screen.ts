import { type RefObject, useEffect, useRef, useState } from "react";

/** True once the element is on the screen or within its height above or below, or the page is printed. */
export const useNearScreen = <Node extends HTMLElement>(): {
  readonly place: RefObject<Node | null>;
  readonly isNear: boolean;
} => {
  const place = useRef<Node>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const node = place.current;
    if (isNear || node === null) return;
    const show = () => setNear(true);
    const watch = new IntersectionObserver(
      (moments) => {
        if (moments.some(({ isIntersecting }) => isIntersecting)) show();
      },
      { rootMargin: "100% 0px" },
    );
    watch.observe(node);
    window.addEventListener("beforeprint", show);
    return () => {
      watch.disconnect();
      window.removeEventListener("beforeprint", show);
    };
  }, [isNear]);
  return { place, isNear };
};
