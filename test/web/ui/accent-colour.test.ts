import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type AccentTones, accentSheet, deriveAccent } from "../../../src/core/derive/client/look/accent.ts";
import { brand } from "../../../src/core/derive/client/look/brand.ts";
import { contrast, toHex, toOklch } from "../../../src/core/derive/client/look/colour.ts";
import fc from "../../chance.ts";

const tried = {
  pink: "#e91e63",
  amber: "#ffb300",
  yellow: "#ffff00",
  green: "#00c853",
  blue: "#1565c0",
  violet: "#7b1fa2",
  black: "#000000",
  grey: "#808080",
  white: "#ffffff",
};

const light = ["#ffffff", "#f5f7f7"];
const dark = ["#111416", "#1a1e20", "#23282b"];

const worst = (tones: AccentTones, surfaces: readonly string[]) =>
  Math.min(
    contrast(tones.on, tones.fill),
    contrast(tones.on, tones.hover),
    contrast(tones.text, tones.soft),
    ...surfaces.map((surface) => contrast(tones.text, surface)),
    ...surfaces.map((surface) => contrast(tones.fill, surface)),
  );

describe("the accent colours from the author’s colour", () => {
  test.each(Object.entries(tried))("%s is readable: never below 4.5", (_, hex) => {
    const accent = deriveAccent(hex);
    expect(worst(accent.light, light)).toBeGreaterThanOrEqual(4.5);
    expect(worst(accent.dark, dark)).toBeGreaterThanOrEqual(4.5);
  });

  test("any colour is too", () => {
    const colour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, "0")}`);
    fc.assert(
      fc.property(colour, (hex) => {
        const accent = deriveAccent(hex);
        return worst(accent.light, light) >= 4.5 && worst(accent.dark, dark) >= 4.5;
      }),
      { numRuns: 300 },
    );
  });

  test("charts have a contrast of 3:1", () => {
    for (const hex of Object.values(tried)) {
      const accent = deriveAccent(hex);
      expect(contrast(accent.light.quiet, "#ffffff")).toBeGreaterThanOrEqual(3);
      expect(contrast(accent.dark.quiet, "#1a1e20")).toBeGreaterThanOrEqual(3);
    }
  });

  test("keep the author’s hue, with limited chroma", () => {
    const accent = deriveAccent("#c2185b");
    expect(Math.abs(toOklch(accent.light.fill).h - toOklch("#c2185b").h)).toBeLessThan(4);
    expect(toOklch(accent.light.fill).c).toBeLessThanOrEqual(0.162);
  });

  test("keep grey: black, grey and white have no hue", () => {
    for (const hex of ["#000000", "#808080", "#ffffff"])
      expect(toOklch(deriveAccent(hex).light.fill).c).toBeLessThan(0.005);
  });

  test("a state with a similar hue gets another one, and others stay", () => {
    const near = deriveAccent(toHex({ l: 0.5, c: 0.12, h: 252 })).marks.map((mark) => mark.hue);
    expect(near).toEqual(["blue"]);
    expect(deriveAccent("#808080").marks).toEqual([]);
  });

  test("the style sheet contains only tokens", () => {
    expect(accentSheet(deriveAccent("#c2185b"))).toMatch(
      /^:root \{ (--[a-z-]+: light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\); ?)+\}$/,
    );
  });
});

describe("colour conversion", () => {
  test("survives a round trip", () => {
    for (const hex of Object.values(tried)) expect(toHex(toOklch(hex))).toBe(hex);
  });

  test("contrast is 21 for black on white and 1 for a colour on itself", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#c2185b", "#c2185b")).toBe(1);
  });

  test("a colour outside sRGB loses chroma, not lightness", () => {
    const shown = toOklch(toHex({ l: 0.7, c: 0.4, h: 145 }));
    expect(shown.l).toBeCloseTo(0.7, 1);
    expect(shown.c).toBeLessThan(0.3);
  });
});

test("colours outside style sheets are those of the tokens", () => {
  const tokens = readFileSync(new URL("../../../src/web/styles/tokens.css", import.meta.url), "utf8");
  const page = readFileSync(new URL("../../../src/web/index.html", import.meta.url), "utf8");
  for (const [name, { light, dark }] of Object.entries(brand))
    expect(tokens, name).toContain(`--${name}: light-dark(${light}, ${dark});`);
  expect(page).toContain(`<meta name="theme-color" content="${brand.canvas.light}" />`);
});
