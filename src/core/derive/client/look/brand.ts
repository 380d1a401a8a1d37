import { type AccentTones, deriveAccent } from "./accent.ts";

/**
 * The program's own colours, for places that no style sheet reaches: mails, icons, and the page without a connection. They
 * equal the tokens of `web/styles/tokens.css`, which a test compares.
 */
export const brand = {
  canvas: { light: "#f5f7f7", dark: "#111416" },
  control: { light: "#868d90", dark: "#70787b" },
  text: { light: "#1a1f21", dark: "#e6ecef" },
  "text-2": { light: "#4c5356", dark: "#b2babd" },
  "text-3": { light: "#666d70", dark: "#949b9e" },
  accent: { light: "#006272", dark: "#4aacbf" },
  "accent-hover": { light: "#00505d", dark: "#63bfd1" },
  "on-accent": { light: "#ffffff", dark: "#04181c" },
} as const;

export type ButtonTones = Pick<AccentTones, "fill" | "hover" | "on">;

const ownTones = (theme: "light" | "dark"): ButtonTones => ({
  fill: brand.accent[theme],
  hover: brand["accent-hover"][theme],
  on: brand["on-accent"][theme],
});

/** The tones of a document's accent, or of the program's own, which is tuned by hand. */
export const findButtonTones = (accent: string | null): { readonly light: ButtonTones; readonly dark: ButtonTones } =>
  accent === null ? { light: ownTones("light"), dark: ownTones("dark") } : deriveAccent(accent);
