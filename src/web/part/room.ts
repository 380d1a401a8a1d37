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

let ruler: CanvasRenderingContext2D | null | undefined;

/** How wide words are in the page's text, in pixels. */
export const wordsWidth = (words: string, strong: boolean): number => {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return words.length * 7.2;
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const font = `${strong ? 500 : 400} ${fontSize} ${fontFamily}`;
  if (ruler.font !== font) ruler.font = font;
  // Figures in a column are all as wide as a nought, and so is what joins them.
  return ruler.measureText(/\d/u.test(words) ? words.replaceAll(/[\d-]/gu, "0") : words).width;
};
