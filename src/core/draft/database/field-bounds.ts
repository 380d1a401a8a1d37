import type { CheckPart } from "./parse-check.ts";

export const WHOLE_NUMBER = /^-?\d{1,15}$/u;
const DATE = /^\d{4}-\d{2}-\d{2}$/u;

/** The keys that a bound gives a field; undefined if the field cannot have it. */
export const toBound = (
  { operator, value }: Extract<CheckPart, { kind: "bound" }>,
  type: string,
): Readonly<Record<string, string | number>> | undefined => {
  const isWhole = type === "integer" && WHOLE_NUMBER.test(value);
  if (!isWhole && !(type === "decimal" && !DATE.test(value)) && !(type === "date" && DATE.test(value)))
    return undefined;
  const limit = type === "date" ? value : Number(value);
  if (operator === ">=") return { min: limit };
  if (operator === "<=") return { max: limit };
  if (operator === ">" && isWhole) return { min: Number(value) + 1 };
  if (operator === "<" && isWhole) return { max: Number(value) - 1 };
  return undefined;
};

/** The keys that a check of a length gives a text. */
export const toLength = ({
  operator,
  value,
}: Extract<CheckPart, { kind: "length" }>): Readonly<Record<string, number>> => {
  if (operator === "=") return { min: value, max: value };
  if (operator === ">" || operator === ">=") return { min: operator === ">" ? value + 1 : value };
  return operator === "<>" ? {} : { max: operator === "<" ? value - 1 : value };
};
