import type { FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";

const isNumber = ({ type }: FieldJson): boolean => type === "integer" || type === "decimal" || type === "money";

/** True if the bounds of a field are numbers of characters. */
export const hasLengthBounds = ({ type }: FieldJson): boolean =>
  type === "text" || type === "long text" || type === "email" || type === "url" || type === "phone";

/** Negative for a value below the bound, positive above; 0 also where only the server compares. */
const compare = (field: FieldJson, value: Json, bound: string): number => {
  if (isNumber(field)) return Number(value) - Number(bound);
  if (typeof value !== "string") return 0;
  if (hasLengthBounds(field)) return [...value].length - Number(bound);
  // The order of days and times of day is that of their texts.
  return field.type === "date" || field.type === "time" ? Number(value > bound) - Number(value < bound) : 0;
};

/** The bound of a field that a value to send violates. The server compares all values, and has the last word. */
export const findViolatedBound = (field: FieldJson, value: Json): "min" | "max" | null => {
  const values = Array.isArray(value) ? value : [value];
  const isBeyond = (bound: string | undefined, side: 1 | -1): boolean =>
    bound !== undefined && values.some((one: Json) => one !== null && compare(field, one, bound) * side > 0);
  return isBeyond(field.min, -1) ? "min" : isBeyond(field.max, 1) ? "max" : null;
};
