/** The default font size of browsers in pixels, which style sheets assume (`vite.config.ts`). */
const usual = 16;

let known: number | undefined;

/** Measures the browser's font size as a factor of the default. */
export const measureLetters = (): number => {
  const height = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  known = height > 0 ? height / usual : 1;
  return known;
};

/**
 * The font size as last measured, because measuring forces a style calculation. Dividing pixels by it gives style sheet
 * lengths.
 */
export const letters = (): number => known ?? measureLetters();

/** A style sheet length for an inline style: it scales with the font size. */
export const scaleLength = (pixels: number): string => `${pixels / usual}rem`;

/** A window width for a media query: it scales with the font size. */
export const grownWindow = (pixels: number): string => `${pixels / usual}em`;
