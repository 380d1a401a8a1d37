import { contrast, type Oklch, toHex, toOklch } from "./colour.ts";

/** Colours of a theme derived from the accent. */
export interface AccentTones {
  /** Fill, focus and selection. */
  readonly fill: string;
  readonly hover: string;
  /** Text on a fill. */
  readonly on: string;
  /** Links and selected items. */
  readonly text: string;
  readonly soft: string;
  /** Chart marks in their normal state. */
  readonly quiet: string;
  readonly line: string;
}

export interface Accent {
  readonly light: AccentTones;
  readonly dark: AccentTones;
  /** State colours that are too similar to the accent, shifted away from it. */
  readonly marks: readonly { readonly hue: string; readonly light: string; readonly dark: string }[];
}

const surface = { light: "#ffffff", dark: "#1a1e20" };
const stateHues = { blue: 252, amber: 78, violet: 300, olive: 125, teal: 180, plum: 345, bronze: 52, indigo: 278 };

/** Steps through lightness until a colour is acceptable; returns the last one otherwise. */
const first = (from: Oklch, step: number, good: (hex: string) => boolean): string => {
  let hex = toHex(from);
  for (let l = from.l; l > 0 && l < 1 && !good(hex); l += step) hex = toHex({ ...from, l });
  return hex;
};

const lighter = (hex: string, by: number, c: number): string => {
  const colour = toOklch(hex);
  return toHex({ ...colour, l: Math.min(1, Math.max(0, colour.l + by)), c });
};

const hueDistance = (a: number, b: number) => {
  const turn = Math.abs(a - b) % 360;
  return Math.min(turn, 360 - turn);
};

/**
 * Derives the accent colours from the author's colour: its hue is kept, its chroma limited, and its lightness chosen
 * for sufficient contrast. `deriveAccent("#ffff00").light.fill` is a dark olive, not yellow.
 */
export const deriveAccent = (hex: string): Accent => {
  const preferred = toOklch(hex);
  const grey = preferred.c < 0.02;
  const c = grey ? 0 : Math.min(preferred.c, 0.16);
  const tone = (l: number, most: number = c): Oklch => ({ l, c: Math.min(c, most), h: preferred.h });

  const softLight = toHex(tone(0.955, 0.03));
  const fillLight = first(
    tone(0.52),
    -0.005,
    (at) => contrast(at, surface.light) >= 5 && contrast(at, softLight) >= 4.55,
  );
  const softDark = toHex(tone(0.29, 0.03));
  const fillDark = first(tone(0.68), 0.005, (at) => contrast(at, surface.dark) >= 6);

  return {
    light: {
      fill: fillLight,
      hover: lighter(fillLight, -0.06, c),
      on: "#ffffff",
      text: fillLight,
      soft: softLight,
      quiet: first(tone(0.68, 0.09), -0.005, (at) => contrast(at, surface.light) >= 3.2),
      line: toHex(tone(0.83, 0.05)),
    },
    dark: {
      fill: fillDark,
      hover: lighter(fillDark, 0.06, c),
      on: toHex(tone(0.2, 0.05)),
      text: first(tone(toOklch(fillDark).l), 0.005, (at) => contrast(at, softDark) >= 6.5),
      soft: softDark,
      quiet: first(tone(0.5, 0.09), 0.005, (at) => contrast(at, surface.dark) >= 3.4),
      line: toHex(tone(0.44, 0.06)),
    },
    marks: grey
      ? []
      : Object.entries(stateHues)
          .filter(([, h]) => hueDistance(h, preferred.h) <= 20)
          .map(([hue, h]) => ({
            hue,
            light: toHex({ l: 0.58 - 0.08, c: 0.13, h }),
            dark: toHex({ l: 0.74 + 0.06, c: 0.115, h }),
          })),
  };
};

/** The accent as CSS that overrides `web/styles/tokens.css`. */
export const accentSheet = ({ light, dark, marks }: Accent): string => {
  const tokens: readonly (readonly [string, keyof AccentTones])[] = [
    ["accent", "fill"],
    ["accent-hover", "hover"],
    ["on-accent", "on"],
    ["accent-text", "text"],
    ["accent-soft", "soft"],
    ["accent-quiet", "quiet"],
    ["accent-line", "line"],
  ];
  const lines = [
    ...tokens.map(([token, tone]) => `--${token}: light-dark(${light[tone]}, ${dark[tone]});`),
    ...marks.map((mark) => `--s-${mark.hue}: light-dark(${mark.light}, ${mark.dark});`),
  ];
  return `:root { ${lines.join(" ")} }`;
};
