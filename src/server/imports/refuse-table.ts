import { type Refusal, refuse } from "../refusal.ts";
import { MAX_COLUMNS, MAX_ROWS, type TableExcess, type TableFault } from "./table-parts.ts";

const toMegabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;

const toValues = (found: TableExcess): Readonly<Record<string, string>> => {
  if (found.of === "UNPACKED") return { detail: found.of };
  return { detail: found.of, count: found.of === "BYTES" ? toMegabytes(found.count) : String(found.count) };
};

/** Refuses a file that is not a table, with the place or the measure that decides. `most`: the largest file in bytes. */
export const refuseTable = (fault: TableFault, most: number): Refusal => {
  if (fault.reason === "open quote") return refuse("QUOTE_NOT_CLOSED", undefined, { cell: fault.cell });
  if (fault.reason !== "too large") return refuse("NOT_A_TABLE");
  return refuse("TABLE_TOO_LARGE", undefined, {
    ...toValues(fault.found),
    rows: String(MAX_ROWS),
    columns: String(MAX_COLUMNS),
    max: toMegabytes(most),
  });
};
