import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** How wide an element is inside, in pixels; null until that is known. */
export const useRoom = <Held extends HTMLElement>(): {
  readonly held: RefObject<Held | null>;
  readonly room: number | null;
} => {
  const held = useRef<Held>(null);
  const [room, setRoom] = useState<number | null>(null);
  useLayoutEffect(() => {
    const watched = held.current;
    if (!watched) return;
    const measure = () => setRoom(watched.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, []);
  return { held, room };
};
