import type { ImportAdjustments } from "../wire/imports.ts";
import type { Json } from "../wire/json.ts";

/** A value that was changed to fit its field: the text of the cell, and the value in the notation of the cell. */
export interface CellAdjustment extends Pick<ImportAdjustments, "kind"> {
  readonly from: string;
  readonly to: string;
}

/** The value of a cell as JSON of a request. */
export interface CellValue {
  readonly value: Json;
  readonly adjustments: readonly CellAdjustment[];
}

export const unchanged = (value: Json): CellValue => ({ value, adjustments: [] });

/** Maximum length of a cell in an example. */
const LONGEST = 100;

export const changed = (value: Json, { kind, from, to }: CellAdjustment): CellValue => ({
  value,
  adjustments: [{ kind, from: from.slice(0, LONGEST), to }],
});
