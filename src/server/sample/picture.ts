import { encodePng } from "../util/png.ts";

const WIDTH = 480;
const HEIGHT = 320;

/** Generates a picture of hills: a PNG of 480 × 320 pixels, different for each seed. */
export const samplePicture = (seed: number): Buffer => {
  const hue = (seed * 47) % 360;
  const shades = [92, 78, 64, 50].map((lightness) => colour(hue, lightness));
  const pixels = Buffer.alloc(WIDTH * 3 * HEIGHT);
  for (let x = 0; x < WIDTH; x++) {
    // From top to bottom, each colour ends where the next row of hills begins.
    const tops = [...drawHills(x, seed), HEIGHT];
    let y = 0;
    for (const [hill, top] of tops.entries()) {
      const [red = 0, green = 0, blue = 0] = shades[hill] ?? [];
      for (; y < top; y++) {
        const at = (y * WIDTH + x) * 3;
        pixels[at] = red;
        pixels[at + 1] = green;
        pixels[at + 2] = blue;
      }
    }
  }
  return encodePng(WIDTH, pixels, 3);
};

/** The tops of three rows of hills. */
const drawHills = (x: number, seed: number): readonly number[] =>
  [0, 1, 2].map((hill) => HEIGHT * (0.4 + hill * 0.18) + 28 * Math.sin(x / (55 + hill * 20) + seed + hill * 2));

/** Converts hue in degrees and lightness in percent to muted RGB, 0 to 255. */
const colour = (hue: number, lightness: number): readonly number[] => {
  const reach = 0.3 * Math.min(lightness / 100, 1 - lightness / 100);
  return [0, 8, 4].map((part) => {
    const at = (part + hue / 30) % 12;
    return Math.round(255 * (lightness / 100 - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  });
};
