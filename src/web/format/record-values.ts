import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { Here } from "./locale-context.ts";

/** A field's value in a record; undefined where the person may not read it. */
export const valueIn = (record: RecordJson, field: string): Json | undefined => record[field] as Json | undefined;

const areRecords = (value: unknown): value is readonly RecordJson[] =>
  Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && "id" in one);

/** The parts that a record bears in one of its lists. */
export const partsIn = (record: RecordJson, list: string): readonly RecordJson[] => {
  const value: unknown = record[list];
  return areRecords(value) ? value : [];
};

/** What the document gives where nobody gives anything: it stands there from the beginning, to be seen and changed. */
export const givenBy = (field: FieldJson, here: Here): Json => {
  const begins = field.default;
  if (begins === undefined) return null;
  if (begins === "person") return here.person === undefined ? null : { ...here.person };
  return "value" in begins ? begins.value : (here.begin?.(field) ?? null);
};

/** Whether it is the evaluator that knows what the field begins with. */
export const isReckonedDefault = ({ default: begins }: FieldJson): boolean =>
  typeof begins === "object" && "reckoned" in begins;
