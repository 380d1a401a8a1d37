import { type CSSProperties, type PointerEvent, useState } from "react";

/** Pixels after which it is gone. */
const FAR = 56;

/** Where a finger is, from where it began. */
interface Swipe {
  readonly id: number;
  readonly from: { readonly x: number; readonly y: number };
  readonly by: { readonly x: number; readonly y: number };
}

/** The properties of an element that a finger moves away, to either side or down. */
export const useSwipeAway = (onGone: () => void) => {
  const [swipe, setSwipe] = useState<Swipe | null>(null);
  const { x = 0, y = 0 } = swipe?.by ?? {};
  const isAcross = Math.abs(x) > y;
  const style: CSSProperties | undefined =
    swipe === null
      ? undefined
      : {
          translate: isAcross ? `${x}px 0` : `0 ${y}px`,
          opacity: 1 - Math.min(0.8, (isAcross ? Math.abs(x) : y) / (4 * FAR)),
        };
  return {
    ...(style && { style }),
    onPointerDown: ({ pointerType, pointerId: id, clientX, clientY }: PointerEvent) => {
      if (pointerType !== "mouse") setSwipe({ id, from: { x: clientX, y: clientY }, by: { x: 0, y: 0 } });
    },
    onPointerMove: ({ pointerId, clientX, clientY }: PointerEvent) =>
      setSwipe((now) =>
        now?.id === pointerId ? { ...now, by: { x: clientX - now.from.x, y: Math.max(0, clientY - now.from.y) } } : now,
      ),
    // The last moves of a quick finger may not have been drawn yet, so the distance is that of this event.
    onPointerUp: ({ pointerId, clientX, clientY }: PointerEvent) => {
      setSwipe(null);
      if (swipe?.id !== pointerId) return;
      if (Math.max(Math.abs(clientX - swipe.from.x), clientY - swipe.from.y) >= FAR) onGone();
    },
    onPointerCancel: () => setSwipe(null),
  };
};
