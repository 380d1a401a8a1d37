import { assigned } from "./kind.ts";
import { textKind } from "./text.ts";

const LONGEST = 100;

/** Letters without an accent to remove. */
const others: { readonly [letter: string]: string } = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** Converts a text for use in addresses: `Größe & Gewicht` becomes `grosse-gewicht`. Empty if no letter remains. */
export const slugify = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[ßæœøłđðþı]/gu, (letter) => others[letter] ?? "")
    .replace(/[^a-z0-9]+/gu, "-")
    // Leaves room for a number that makes it unique.
    .slice(0, LONGEST - 10)
    .replace(/^-+|-+$/gu, "");

/** A text for use in addresses, unique within the entity. */
export const slug = textKind(LONGEST, /^[a-z0-9]+(-[a-z0-9]+)*$/u, assigned);
