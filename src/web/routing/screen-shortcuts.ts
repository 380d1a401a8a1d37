import type { ScreenJson } from "../../core/wire/screens.ts";

/** A letter for each screen, by which G goes there: the first of its title that no screen before it has. */
export const lettersOf = (screens: readonly Pick<ScreenJson, "path" | "title">[]): ReadonlyMap<string, string> => {
  const taken = new Set<string>();
  const letters = new Map<string, string>();
  for (const { path, title } of screens) {
    const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const letter = [...plain].find((one) => /[a-z0-9]/u.test(one) && !taken.has(one));
    if (letter === undefined) continue;
    taken.add(letter);
    letters.set(letter, path);
  }
  return letters;
};
