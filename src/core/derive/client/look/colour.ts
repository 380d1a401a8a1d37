/**
 * Conversion between sRGB and OKLCH, and contrast. OKLCH: Björn Ottosson, "A perceptual color space for image
 * processing" (2020). Contrast: WCAG 2.2, 1.4.3.
 */

/** Lightness from 0 to 1, chroma from 0, hue in degrees. */
export interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

type Triple = readonly [number, number, number];

const channels = (hex: string): Triple => {
  const at = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16) / 255;
  return [at(1), at(3), at(5)];
};

const toLinear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

const parseLinear = (hex: string): Triple => {
  const [r, g, b] = channels(hex);
  return [toLinear(r), toLinear(g), toLinear(b)];
};
const toGamma = (v: number) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);

/** Converts `#rrggbb` to OKLCH. */
export const toOklch = (hex: string): Oklch => {
  const [r, g, b] = parseLinear(hex);
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const middle = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short;
  const bb = 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short;
  const hue = (Math.atan2(bb, a) * 180) / Math.PI;
  return {
    l: 0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    c: Math.hypot(a, bb),
    h: hue < 0 ? hue + 360 : hue,
  };
};

const toLinearRgb = ({ l, c, h }: Oklch): Triple => {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ];
};

const isInGamut = (colour: Oklch) => toLinearRgb(colour).every((v) => v >= -0.0001 && v <= 1.0001);

/** Converts OKLCH to `#rrggbb`. Outside sRGB, chroma is reduced; lightness and hue are kept. */
export const toHex = (colour: Oklch): string => {
  let { c } = colour;
  if (!isInGamut(colour)) {
    let low = 0;
    for (let high = c; high - low > 0.0005; ) {
      c = (low + high) / 2;
      if (isInGamut({ ...colour, c })) low = c;
      else high = c;
    }
    c = low;
  }
  const bytes = toLinearRgb({ ...colour, c }).map((v) => Math.round(toGamma(Math.min(1, Math.max(0, v))) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
};

const luminance = (hex: string): number => {
  const [r, g, b] = parseLinear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** From 1 (equal) to 21 (black on white). */
export const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return a > b ? a / b : b / a;
};
