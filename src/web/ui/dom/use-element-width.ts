import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { letters, measureLetters } from "../../app/font-scale.ts";

/**
 * The inner width of an element in pixels before scaling; null or a prediction until it is measured, before painting. A
 * correct prediction saves a second layout.
 */
export const useElementWidth = <Held extends HTMLElement>(
  guess: () => number | null = () => null,
): {
  readonly ref: RefObject<Held | null>;
  readonly width: number | null;
} => {
  const ref = useRef<Held>(null);
  const [room, setRoom] = useState(guess);
  useLayoutEffect(() => {
    const watched = ref.current;
    if (!watched) return;
    const measure = () => setRoom(watched.clientWidth / measureLetters());
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, []);
  return { ref, width: room };
};

/** True if the page's own font has loaded. Those that stand in for it need not be there. */
const isFontLoaded = (): boolean => {
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  return document.fonts.check(`${fontSize} ${fontFamily.split(",")[0]}`);
};

/** True once the page's font has loaded, so that texts are measured anew. */
export const useFontLoaded = (): boolean => {
  const [isLoaded, setLoaded] = useState(isFontLoaded);
  useEffect(() => {
    if (isLoaded) return;
    const look = () => setLoaded(isFontLoaded());
    look();
    document.fonts.addEventListener("loadingdone", look);
    return () => document.fonts.removeEventListener("loadingdone", look);
  }, [isLoaded]);
  return isLoaded;
};

let canvas: CanvasRenderingContext2D | null | undefined;

/**
 * Measures the width of text in the page's font, in pixels before scaling. `hasFigures`: its digits have equal widths, as
 * in a column of numbers.
 */
export const createTextRuler = (strong: boolean, hasFigures = true): ((words: string) => number) => {
  canvas ??= document.createElement("canvas").getContext("2d");
  const ruler = canvas;
  if (!ruler) return (words) => words.length * 7.2;
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const scale = letters();
  const font = `${strong ? 500 : 400} ${fontSize} ${fontFamily}`;
  // Until the page's font has loaded, the one that stands in for it is measured, which is a little narrower.
  const slack = isFontLoaded() ? 1 : 1.05;
  return (words) => {
    if (ruler.font !== font) ruler.font = font;
    const measured = hasFigures && /\d/u.test(words) ? words.replaceAll(/[\d-]/gu, "0") : words;
    return (ruler.measureText(measured).width * slack) / scale;
  };
};
