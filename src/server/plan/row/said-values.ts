import type { Type } from "../../../core/expression/values/type.ts";
import type { Format } from "../../../core/model/format.ts";
import { type ShownValue, toTyped } from "./labels.ts";

/** The values of a stored notification by placeholder: texts, or values that each reader's language formats. */
export type SaidValues = Readonly<Record<string, string | ShownValue>>;

const formattedLater: ReadonlySet<Type["kind"]> = new Set([
  "boolean",
  "integer",
  "decimal",
  "money",
  "date",
  "time",
  "datetime",
  "duration",
]);

/** The values to store. Labels and titles become texts, because a later document can have others. */
export const toSaidValues = (values: Readonly<Record<string, ShownValue>>, format: Format): SaidValues =>
  Object.fromEntries(
    Object.entries(values).map(([place, shown]) => {
      const { value, type } = shown;
      return [place, formattedLater.has(type.kind) ? shown : format(toTyped(value, type), type)];
    }),
  );

/** Stored values, as a text shows them. */
export const fromSaidValues = (said: object): Readonly<Record<string, ShownValue>> =>
  Object.fromEntries(
    Object.entries(said as SaidValues).map(([place, value]) => [
      place,
      typeof value === "string" ? { value, type: { kind: "text" } } : value,
    ]),
  );
