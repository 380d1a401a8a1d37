import { textKind } from "./text.ts";

const LONGEST = 100;

/** Letters that have no accent to take away. */
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

/** A text as a word for addresses: `Größe & Gewicht` is `grosse-gewicht`. Empty where no letter of it can stand there. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[ßæœøłđðþı]/gu, (letter) => others[letter] ?? "")
    .replace(/[^a-z0-9]+/gu, "-")
    // Room for a number that tells it from others.
    .slice(0, LONGEST - 10)
    .replace(/^-+|-+$/gu, "");

/** A word for addresses. No two records of an entity have the same. */
export const slug = textKind(
  "small letters and digits with hyphens between them",
  LONGEST,
  /^[a-z0-9]+(-[a-z0-9]+)*$/u,
);
