import type { EntityJson } from "../../core/wire/entities.ts";
import type { ScreenJson } from "../../core/wire/screens.ts";

/** Two days or two moments of a record between which it lies: the first and the last of its calendar. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly type: "date" | "datetime";
}

/** The fields from which to which a calendar of these records draws them; null where none does. */
export const spanOf = (screens: readonly ScreenJson[], { name, fields }: EntityJson): Span | null => {
  const typeOf = (field: string) => fields.find((one) => one.name === field)?.type;
  for (const screen of screens)
    if (screen.kind === "list" && screen.entity === name)
      for (const layout of screen.layouts)
        if (layout.kind === "calendar" && layout.to !== null) {
          const { from, to } = layout;
          const type = typeOf(from);
          if ((type === "date" || type === "datetime") && type === typeOf(to)) return { from, to, type };
        }
  return null;
};
