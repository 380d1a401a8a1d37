import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { LocaleContext } from "./locale-context.ts";

/** A field's value; undefined if the person cannot read it. */
export const getValue = (record: RecordJson, field: string): Json | undefined => record[field] as Json | undefined;

const areRecords = (value: unknown): value is readonly RecordJson[] =>
  Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "id" in item);

/** The parts in one of a record's lists. */
export const getParts = (record: RecordJson, list: string): readonly RecordJson[] => {
  const value: unknown = record[list];
  return areRecords(value) ? value : [];
};

/** The initial value of a field, shown for editing; also the person whom the program sets, for formulas and rules. */
export const initialValue = (field: FieldJson, context: LocaleContext): Json => {
  const begins = field.default;
  if (begins === "person" || field.maker === true) return context.person === undefined ? null : { ...context.person };
  if (begins === undefined) return null;
  if ("suggested" in begins) return null;
  return "value" in begins ? begins.value : (context.begin?.(field) ?? null);
};

/** True if the initial value is computed. */
export const isComputedDefault = ({ default: begins }: FieldJson): boolean =>
  typeof begins === "object" && "reckoned" in begins;
