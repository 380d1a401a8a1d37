import { useEffect, useEffectEvent, useRef, useState } from "react";

/** Milliseconds without a sign of the reader after which their time stands still. */
const AWAY = 4_000;
/** Milliseconds in which something that fades still takes the press that was meant for it. */
const FADING = 1_000;

const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchmove"] as const;

interface SightOptions {
  readonly isHeld: boolean;
  /** True if the time also stands still while the reader does nothing: they can be looking elsewhere. */
  readonly waitsForReader: boolean;
  readonly onEnd: () => void;
}

/**
 * Ends something that is shown after this time, which stands still while it is held or the page is not in sight. True in
 * the moment before, while it fades.
 */
export const useTimeInSight = (duration: number, { isHeld, waitsForReader, onEnd }: SightOptions): boolean => {
  const [isLeaving, setLeaving] = useState(false);
  const left = useRef(duration);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    setLeaving(false);
    if (isHeld) return;
    const over = new AbortController();
    let [timer, pause, since] = [0, 0, 0];
    const stop = () => {
      if (timer === 0) return;
      clearTimeout(timer);
      timer = 0;
      left.current = Math.max(0, left.current - (Date.now() - since));
    };
    const go = () => {
      clearTimeout(pause);
      if (waitsForReader) pause = window.setTimeout(stop, AWAY);
      if (document.hidden || timer !== 0) return;
      since = Date.now();
      timer = window.setTimeout(() => setLeaving(true), left.current);
    };
    const { signal } = over;
    if (waitsForReader) for (const sign of SIGNS) addEventListener(sign, go, { capture: true, passive: true, signal });
    document.addEventListener("visibilitychange", () => (document.hidden ? stop() : go()), { signal });
    go();
    return () => {
      over.abort();
      clearTimeout(pause);
      stop();
    };
  }, [isHeld, waitsForReader]);
  useEffect(() => {
    if (!isLeaving || isHeld) return;
    const timer = setTimeout(end, FADING);
    return () => clearTimeout(timer);
  }, [isLeaving, isHeld]);
  return isLeaving && !isHeld;
};
