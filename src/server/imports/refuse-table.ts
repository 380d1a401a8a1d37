import { type Refusal, refuse } from "../refusal.ts";
import { MAX_COLUMNS, MAX_ROWS, type TableExcess, type TableFault } from "./table-parts.ts";

const toMegabytes = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;

/** The measure that decides. A file that is hardly too large has 0.1 MB more than the largest one, not the same size. */
const toValues = (found: TableExcess, most: number): Readonly<Record<string, string>> => {
  if (found.of === "UNPACKED") return { detail: found.of };
  const count =
    found.of === "BYTES" ? `${Math.max(toMegabytes(found.count), toMegabytes(most) + 0.1)} MB` : String(found.count);
  return { detail: found.of, count };
};

/** Refuses a file that is not a table, with the place or the measure that decides. `most`: the largest file in bytes. */
export const refuseTable = (fault: TableFault, most: number): Refusal => {
  if (fault.reason === "open quote") return refuse("QUOTE_NOT_CLOSED", undefined, { cell: fault.cell });
  if (fault.reason !== "too large") return refuse("NOT_A_TABLE");
  return refuse("TABLE_TOO_LARGE", undefined, {
    ...toValues(fault.found, most),
    rows: String(MAX_ROWS),
    columns: String(MAX_COLUMNS),
    max: `${toMegabytes(most)} MB`,
  });
};
