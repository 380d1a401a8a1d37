import type { FieldTypeName } from "../../wire/entities.ts";
import { type Field, isOfRecord } from "../field.ts";
import type { Pivot } from "../screen.ts";
import { type DateStep, parseGroupKey } from "./date-steps.ts";

/** Reserved query parameters of a list. A field of such a name cannot be a filter. */
export const listWords = ["where", "limit", "sort", "after", "count", "search", "label", "may", "among"] as const;

export const isListWord = (name: string): boolean => listWords.some((word) => word === name);

/** Maximum number of fields by which a list can be grouped. */
export const MOST_GROUPINGS = 2;

/** A field by whose values records are grouped; of a date, by its periods. */
export interface GroupField extends Field {
  readonly step?: DateStep;
}

const groupingTypes: ReadonlySet<FieldTypeName> = new Set(["choice", "state", "reference", "boolean", "date"]);

/**
 * True if a list can be grouped by the field, and a pivot has lines for its values. A group opens as a filter on the
 * field.
 */
const isGrouping = (field: Field): boolean =>
  groupingTypes.has(field.type) && !field.many && isOfRecord(field) && !isListWord(field.name);

/** The fields that a reader of the pivot needs. */
export const pivotFieldNames = ({ rows, columns, sum }: Pivot): readonly string[] => [
  ...[rows, columns].map((key) => parseGroupKey(key).field),
  ...(sum === null ? [] : [sum]),
];

/** The field and the period of a group key; undefined if records can't be grouped by it. */
export const findGroupField = (text: string, find: (name: string) => Field | undefined): GroupField | undefined => {
  const { field: name, step } = parseGroupKey(text);
  const field = find(name);
  if (field === undefined || !isGrouping(field) || (step !== null && field.type !== "date")) return undefined;
  return field.type === "date" ? { ...field, step: step ?? "month" } : field;
};

const summedTypes: ReadonlySet<FieldTypeName> = new Set(["integer", "decimal", "money"]);

/** True if the values of the field are added up in groups of records. */
export const isSummed = (field: Field): boolean => summedTypes.has(field.type) && !field.many && isOfRecord(field);
