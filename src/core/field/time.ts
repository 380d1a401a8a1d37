import type { JsonSchema } from "../wire.ts";
import { type FieldKind, type FieldSpec, refused, stored } from "./kind.ts";

/** Whether the day exists in the Gregorian calendar, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text);
  if (match === null || match[1] === "0000") return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
};

/** Days have bounds that JSON Schema has no word for. */
const bounds = ({ min, max }: FieldSpec): JsonSchema => ({
  ...(min === null ? {} : { "x-minimum": min }),
  ...(max === null ? {} : { "x-maximum": max }),
});

const DAY = "(?!0000)\\d{4}-\\d{2}-\\d{2}";

export const date: FieldKind = {
  is: "a date",
  column: "date",
  type: () => ({ kind: "date" }),
  wire: (spec) => ({
    answers: { type: "string", format: "date" },
    takes: { type: "string", format: "date", pattern: `^${DAY}$`, ...bounds(spec) },
  }),
  refuses: ({ min, max }) => [
    "WRONG_TYPE",
    ...(min === null ? [] : (["TOO_SMALL"] as const)),
    ...(max === null ? [] : (["TOO_LARGE"] as const)),
  ],
  read: (json, spec) => {
    if (typeof json !== "string" || !isDate(json)) return refused("WRONG_TYPE");
    if (spec.min !== null && json < spec.min) return refused("TOO_SMALL", { min: spec.min });
    if (spec.max !== null && json > spec.max) return refused("TOO_LARGE", { max: spec.max });
    return stored(json);
  },
};

/** An instant, in milliseconds; written with its offset, kept and answered in UTC. */
export const datetime: FieldKind = {
  is: "a date and time with its offset",
  column: "timestamptz(3)",
  type: () => ({ kind: "datetime" }),
  wire: () => ({
    answers: { type: "string", format: "date-time" },
    takes: {
      type: "string",
      format: "date-time",
      pattern: `^${DAY}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$`,
    },
  }),
  refuses: () => ["WRONG_TYPE"],
  read: (json) => {
    if (typeof json !== "string") return refused("WRONG_TYPE");
    const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/u.exec(json);
    const parsed = new Date(json);
    if (match === null || !isDate(match[1] ?? "") || Number.isNaN(parsed.getTime())) return refused("WRONG_TYPE");
    const utc = parsed.toISOString();
    return isDate(utc.slice(0, 10)) ? stored(utc) : refused("WRONG_TYPE");
  },
};
