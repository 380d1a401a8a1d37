import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { letters, measureLetters } from "../../app/font-scale.ts";

/**
 * How wide an element is inside, in pixels as sheets say them; null until that is known, or what is guessed meanwhile. Nothing is painted
 * before it was looked at: a guess that is right saves laying out twice.
 */
export const useRoom = <Held extends HTMLElement>(
  guess: () => number | null = () => null,
): {
  readonly held: RefObject<Held | null>;
  readonly room: number | null;
} => {
  const held = useRef<Held>(null);
  const [room, setRoom] = useState(guess);
  useLayoutEffect(() => {
    const watched = held.current;
    if (!watched) return;
    const measure = () => setRoom(watched.clientWidth / measureLetters());
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, []);
  return { held, room };
};

let canvas: CanvasRenderingContext2D | null | undefined;

/** Says how wide words are in the page's text as it is now, in pixels as sheets say them. */
export const rulerOfWords = (strong: boolean): ((words: string) => number) => {
  canvas ??= document.createElement("canvas").getContext("2d");
  const ruler = canvas;
  if (!ruler) return (words) => words.length * 7.2;
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const scale = letters();
  const font = `${strong ? 500 : 400} ${fontSize} ${fontFamily}`;
  return (words) => {
    if (ruler.font !== font) ruler.font = font;
    // Figures in a column are all as wide as a nought, and so is what joins them.
    return ruler.measureText(/\d/u.test(words) ? words.replaceAll(/[\d-]/gu, "0") : words).width / scale;
  };
};
