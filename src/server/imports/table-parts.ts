import { locateTable, type TableRemark, toLetters } from "../../core/draft/table.ts";
import { type Message, quoted, say } from "../../core/i18n/message.ts";
import { type ColumnFormat, ColumnScan, settleFormats } from "../../core/import/column-format.ts";
import type { ImportColumn } from "../../core/wire/imports.ts";
import { NotATable, readSheets } from "./read-sheets.ts";

/** Size limits of an imported table. */
export const MAX_ROWS = 200_000;
export const MAX_COLUMNS = 300;

/** Number of rows that are checked and written together. Others wait for the locks of at most one part. */
export const ROWS_PER_PART = 100;

export const MAX_REMARKS = 100;

/** The reason why a file has no rows to import, with what was found in it. */
export type TableFault =
  | { readonly reason: "not a table" | "no rows" }
  /** A quotation mark in this cell, `B3`, is never closed. */
  | { readonly reason: "open quote"; readonly cell: string }
  | { readonly reason: "too large"; readonly found: TableExcess };

/** The measure in which a table is too large, and its count; a size in bytes. */
export type TableExcess =
  | { readonly of: "ROWS" | "COLUMNS" | "BYTES"; readonly count: number }
  | { readonly of: "UNPACKED" };

export const excess = (of: "ROWS" | "COLUMNS" | "BYTES", count: number): TableFault => ({
  reason: "too large",
  found: { of, count },
});

export const unpackedTooLarge: TableFault = { reason: "too large", found: { of: "UNPACKED" } };

/** The fault of a file that was not read as a table. */
export const toTableFault = ({ format, cell }: NotATable): TableFault => {
  if (format === "unpacked") return unpackedTooLarge;
  return cell === undefined ? { reason: "not a table" } : { reason: "open quote", cell };
};

export interface ImportHead {
  /** `letters`: the spreadsheet's name of the column, for one without a header. */
  readonly columns: readonly (ImportColumn & { readonly letters: string })[];
  readonly rows: number;
  readonly remarks: readonly Message[];
}

/** A row: its number in the file, and the text of its cells. */
export type ImportRow = readonly [number: number, cells: readonly string[]];

export interface TablePart {
  readonly number: number;
  readonly rows: readonly ImportRow[];
}

export type TableMessage =
  | { readonly kind: "head"; readonly head: ImportHead }
  | { readonly kind: "part"; readonly part: TablePart }
  | { readonly kind: "fault"; readonly fault: TableFault }
  | { readonly kind: "end" };

const fault = (reason: TableFault): TableMessage => ({ kind: "fault", fault: reason });

export const toRemarkMessage = (remark: TableRemark): Message => {
  switch (remark.kind) {
    case "headless":
      return say("table.headless", { column: remark.column });
    case "merged":
    case "formula":
      return say(`table.${remark.kind}`, { column: remark.column, cells: remark.cells });
    default:
      return say(`table.${remark.kind}`, { row: remark.row, text: quoted(remark.text) });
  }
};

/** Splits the first visible sheet with a table into parts. */
export async function* splitTable(file: string, bytes: Buffer): AsyncGenerator<TableMessage> {
  const read = await readSheets(file, bytes).catch((error: unknown) => {
    if (error instanceof NotATable) return error;
    throw error;
  });
  if (read instanceof NotATable) return yield fault(toTableFault(read));
  const { sheets, hidden } = read;
  const tables = sheets.map((sheet) => ({ ...sheet, table: locateTable(sheet) }));
  const found = tables.find(({ table }) => table !== undefined);
  if (found?.table === undefined) return yield fault({ reason: "no rows" });
  const { columns, rows, remarks } = found.table;
  if (rows.length > MAX_ROWS) return yield fault(excess("ROWS", rows.length));
  if (columns.length > MAX_COLUMNS) return yield fault(excess("COLUMNS", columns.length));
  const scans = columns.map(() => new ColumnScan());
  for (const { cells } of rows) for (const [at, column] of columns.entries()) scans[at]?.add(cells[column.at] ?? "");
  const none: ColumnFormat = { days: null, decimal: null };
  // Number cells have a point in every country, so they do not show how the texts of the file are written.
  const formats = settleFormats(
    scans.map(({ format }, at) => (found.numeric?.has(columns[at]?.at ?? -1) ? { ...format, decimal: null } : format)),
  );
  const head: ImportHead = {
    columns: columns.map(({ header, at: place }, at) => ({
      header,
      letters: toLetters(place),
      samples: scans[at]?.samples ?? [],
      filled: scans[at]?.filled ?? 0,
      ...(formats[at] ?? none),
    })),
    rows: rows.length,
    remarks: [
      ...hidden.map((name) => say("table.hidden", { sheet: quoted(name) })),
      ...tables
        .filter(({ name }) => name !== found.name)
        .map(({ name }) => say("table.other", { sheet: quoted(name) })),
      ...remarks.map(toRemarkMessage),
    ].slice(0, MAX_REMARKS),
  };
  yield { kind: "head", head };
  for (let from = 0; from < rows.length; from += ROWS_PER_PART)
    yield {
      kind: "part",
      part: {
        number: from / ROWS_PER_PART,
        rows: rows
          .slice(from, from + ROWS_PER_PART)
          .map(({ number, cells }): ImportRow => [number, columns.map(({ at }) => cells[at] ?? "")]),
      },
    };
  yield { kind: "end" };
}
