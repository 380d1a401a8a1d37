import type { ScreenJson } from "../../core/wire/screens.ts";

/** A letter per screen for the G shortcut: the first letter of its title that no earlier screen uses. */
export const assignLetters = (screens: readonly Pick<ScreenJson, "path" | "title">[]): ReadonlyMap<string, string> => {
  const taken = new Set<string>();
  const letters = new Map<string, string>();
  for (const { path, title } of screens) {
    const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const letter = [...plain].find((item) => /[a-z0-9]/u.test(item) && !taken.has(item));
    if (letter === undefined) continue;
    taken.add(letter);
    letters.set(letter, path);
  }
  return letters;
};
