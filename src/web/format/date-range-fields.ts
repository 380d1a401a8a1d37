import type { EntityJson } from "../../core/wire/entities.ts";
import type { ScreenJson } from "../../core/wire/screens.ts";

/** The fields with the start and end of a record in its calendar. */
export interface DateRangeFields {
  readonly from: string;
  readonly to: string;
  readonly type: "date" | "datetime";
}

/** The start and end fields used by a calendar of these records; null if there is none. */
export const findDateRangeFields = (
  screens: readonly ScreenJson[],
  { name, fields }: EntityJson,
): DateRangeFields | null => {
  const typeOf = (field: string) => fields.find((candidate) => candidate.name === field)?.type;
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
