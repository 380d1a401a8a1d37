/** The height of letters that browsers come with, in pixels: the sheets' lengths are said for it (vite.config.ts). */
const usual = 16;

/** How large letters are in this browser, where 1 is usual: what is measured in pixels divided by it is as sheets say it. */
export const letters = (): number => {
  const height = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return height > 0 ? height / usual : 1;
};

/** A length as sheets say it, in pixels, for an element's own style: it grows as they do. */
export const grown = (pixels: number): string => `${pixels / usual}rem`;

/** A width of the window as sheets say it, for a media query. */
export const grownWindow = (pixels: number): string => `${pixels / usual}em`;
