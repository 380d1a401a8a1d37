import type { ScreenJson } from "../../core/wire/screens.ts";
import type { IconName } from "../ui/icon.tsx";

/** An icon says what a screen is, never what its name might mean. */
export const screenIcons = {
  list: "list",
  record: "record",
  form: "form",
  tiles: "overview",
} satisfies Record<ScreenJson["kind"], IconName>;
