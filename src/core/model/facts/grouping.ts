import type { FieldTypeName } from "../../wire/entities.ts";
import { type Field, isOfRecord } from "../field.ts";

/** Reserved query parameters of a list. A field of such a name cannot be a filter. */
export const listWords = ["where", "limit", "sort", "after", "count", "search", "label", "may", "among"] as const;

export const isListWord = (name: string): boolean => listWords.some((word) => word === name);

const groupingTypes: ReadonlySet<FieldTypeName> = new Set(["choice", "state", "reference", "boolean", "date"]);

/**
 * True if a list can be grouped by the field, and a pivot has lines for its values. Dates are grouped by month. A group
 * opens as a filter on the field.
 */
export const isGrouping = (field: Field): boolean =>
  groupingTypes.has(field.type) && !field.many && isOfRecord(field) && !isListWord(field.name);

const summedTypes: ReadonlySet<FieldTypeName> = new Set(["integer", "decimal", "money"]);

/** True if the values of the field are added up in groups of records. */
export const isSummed = (field: Field): boolean => summedTypes.has(field.type) && !field.many && isOfRecord(field);
