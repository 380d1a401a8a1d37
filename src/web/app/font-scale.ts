/** The height of letters that browsers come with, in pixels: the sheets' lengths are said for it (vite.config.ts). */
const usual = 16;

let known: number | undefined;

/** Looks at how large letters are in this browser, where 1 is usual: what is as wide as the window changes with them. */
export const measureLetters = (): number => {
  const height = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  known = height > 0 ? height / usual : 1;
  return known;
};

/**
 * How large letters are, as they were when they were looked at last, for to look makes the browser work out styles: what is
 * measured in pixels divided by it is as sheets say it.
 */
export const letters = (): number => known ?? measureLetters();

/** A length as sheets say it, in pixels, for an element's own style: it grows as they do. */
export const grown = (pixels: number): string => `${pixels / usual}rem`;

/** A width of the window as sheets say it, for a media query. */
export const grownWindow = (pixels: number): string => `${pixels / usual}em`;
