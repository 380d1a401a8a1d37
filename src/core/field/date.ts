import { isDate } from "../expression/values/calendar.ts";
import { beyond, boundErrors, byRange, byText, entered, type FieldKind, otherBounds, reject, stored } from "./kind.ts";

export const DATE_PATTERN = "(?!0000)\\d{4}-\\d{2}-\\d{2}";

export const date: FieldKind = {
  column: "date",
  type: () => ({ kind: "date" }),
  wire: (spec) => ({
    response: { type: "string", format: "date" },
    request: { type: "string", format: "date", pattern: `^${DATE_PATTERN}$`, ...otherBounds(spec) },
  }),
  refuses: boundErrors,
  bound: (written) => (isDate(written) ? written : undefined),
  read: (json, spec) => {
    if (typeof json !== "string" || !isDate(json)) return reject("WRONG_TYPE");
    return beyond(json, spec, byText) ?? stored(json);
  },
  lists: byRange,
  fields: entered,
  isKey: isDate,
};
