import { fencesOf, textOf } from "./pages.ts";

/** The blocks of the tutorial. */
export const fences = fencesOf(textOf("docs/tutorial.md"));

/** Replaces the section with the number, or inserts it in order. */
const withSection = (text: string, section: string): string => {
  const parts = text.split(/^(?=## )/mu);
  const numberOf = (part: string) => Number(/^## (\d)/u.exec(part)?.[1] ?? 0);
  return [...parts.filter((part) => numberOf(part) !== numberOf(section)), `${section.trimEnd()}\n\n`]
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .join("");
};

/** The document after each step. */
export const states: readonly string[] = [1, 2, 3, 4, 5, 6].map((step) => {
  const upTo = fences.filter(({ marks }) => Number(marks?.state) <= step);
  if (!upTo.some(({ marks }) => marks?.state === `${step}`)) throw new Error(`the tutorial has no step ${step}`);
  return upTo.reduce((text, { text: section }) => withSection(text, section), "");
});
