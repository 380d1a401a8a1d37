import type { ScreenJson } from "../../core/wire/screens.ts";
import type { IconName } from "../ui/icon.tsx";

/** Icons by kind of screen, never guessed from its name. */
export const screenIcons = {
  list: "list",
  record: "record",
  form: "form",
  tiles: "overview",
  letter: "print",
} satisfies Record<ScreenJson["kind"], IconName>;
