import type { Model } from "../model.ts";
import type { LetterScreen } from "../screen.ts";

/** The end of the address of a letter, by which an effect names it: `letter` for `/orders/{id}/letter`. */
export const letterName = (path: string): string | undefined => /^[^{}]*\/\{id\}\/([^{}]+)$/u.exec(path)?.[1];

export const findLetter = (
  { screens }: Pick<Model, "screens">,
  entity: string,
  name: string,
): LetterScreen | undefined => {
  const found = screens.find(
    (screen) => screen.kind === "letter" && screen.entity === entity && letterName(screen.path) === name,
  );
  return found?.kind === "letter" ? found : undefined;
};
