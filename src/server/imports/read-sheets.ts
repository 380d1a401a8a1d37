import { extname } from "node:path";
import Big from "big.js";
import { detectDelimiter, parseCsv } from "hucre/csv";
import { readXlsx } from "hucre/xlsx";
import { type CellPlace, type MergedCells, type Sheet, toLetters } from "../../core/draft/table.ts";
import { type ColumnFormat, ColumnScan } from "../../core/import/column-format.ts";
import { fitsUnpacked } from "./unpacked-size.ts";

type Cell = string | number | boolean | Date | null;

/** The sheets of a file. */
export interface SheetsOfFile {
  readonly sheets: readonly Sheet[];
  /** Names of the hidden sheets, which are skipped. */
  readonly hidden: readonly string[];
}

/** Thrown if the bytes of a file are not a table. */
export class NotATable extends Error {
  override readonly name = "NotATable";
  readonly format: "text" | "values" | "workbook" | "unpacked" | "quote";
  /** The cell at which the file stops being a table, as in a spreadsheet: `B3`. */
  readonly cell: string | undefined;
  constructor(format: NotATable["format"], { cause, cell }: { readonly cause?: unknown; readonly cell?: string } = {}) {
    super(cause instanceof Error ? cause.message : "", { cause });
    this.format = format;
    this.cell = cell;
  }
}

/** A spreadsheet stores 17 digits of a calculated number, of which 15 are certain and shown: 0.30000000000000004 is 0.3. */
const CERTAIN_DIGITS = 15;

const numberToText = (number: number): string =>
  Number.isSafeInteger(number) || !Number.isFinite(number)
    ? String(number)
    : new Big(number.toPrecision(CERTAIN_DIGITS)).toFixed();

/** Dates of spreadsheets have no zone; the library reads them as UTC. */
const toText = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return numberToText(cell);
  if (!(cell instanceof Date)) return String(cell);
  if (Number.isNaN(cell.getTime())) return "";
  const [day = "", time = ""] = cell.toISOString().split("T");
  if (time.startsWith("00:00:00")) return day;
  // Spreadsheets store a time without a date as part of their first day.
  return cell.getTime() < Date.UTC(1900, 0, 2) ? time.slice(0, 5) : `${day}T${time.slice(0, 8)}`;
};

const toGrid = (rows: readonly (readonly Cell[])[]): string[][] => rows.map((row) => row.map(toText));

/** The decimal sign of the texts in each column that has numbers with decimals; null if no text has one. */
const findSigns = (rows: readonly (readonly Cell[])[]): ReadonlyMap<number, ColumnFormat["decimal"]> => {
  const scans = new Map<number, ColumnScan>();
  for (const row of rows)
    for (const [column, cell] of row.entries())
      if (typeof cell === "number" && !Number.isInteger(cell) && !scans.has(column))
        scans.set(column, new ColumnScan());
  for (const row of rows)
    for (const [column, scan] of scans) {
      const cell = row[column];
      if (typeof cell === "string") scan.add(cell.trim());
    }
  return new Map([...scans].map(([column, scan]) => [column, scan.format.decimal]));
};

/** The cells of a worksheet. Numbers get the decimal sign of the texts in their column, so that all are read alike. */
const toWorkbookGrid = (rows: readonly (readonly Cell[])[]): Pick<Sheet, "grid" | "numeric"> => {
  const signs = findSigns(rows);
  const toCell = (cell: Cell | undefined, column: number): string =>
    typeof cell === "number" && signs.get(column) === "," ? numberToText(cell).replace(".", ",") : toText(cell);
  return {
    grid: rows.map((row) => Array.from(row, toCell)),
    numeric: new Set([...signs].flatMap(([column, sign]) => (sign === null ? [column] : []))),
  };
};

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, or otherwise the Western European code page, which accepts any bytes.
 */
const decode = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Without `stream`, Node reads this code page as ISO 8859-1, which has no euro sign and no dash.
    return new TextDecoder("windows-1252").decode(bytes, { stream: true });
  }
};

/** A row that follows the last one of a text. If it does not come back as a row, a quotation mark before it is open. */
const END = "\u0000end";

const readText = (file: string, name: string, bytes: Buffer): Sheet => {
  if (bytes.subarray(0, 4096).includes(0) && bytes[0] !== 0xff && bytes[0] !== 0xfe) throw new NotATable("text");
  const text = decode(bytes);
  const delimiter = extname(file).toLowerCase() === ".tsv" ? "\t" : detectDelimiter(text);
  let rows: Cell[][];
  try {
    rows = parseCsv(`${text}${/[\r\n]$/u.test(text) ? "" : "\n"}${END}`, { delimiter });
  } catch (error) {
    throw new NotATable("values", { cause: error });
  }
  const last = rows.pop() ?? [];
  if (last.length !== 1 || last[0] !== END)
    throw new NotATable("quote", { cell: `${toLetters(last.length - 1)}${rows.length + 1}` });
  return { name, source: file, grid: toGrid(rows) };
};

/** The visible sheets of a workbook, and the names of the hidden ones. */
const readWorkbook = async (file: string, name: string, bytes: Buffer): Promise<SheetsOfFile> => {
  if (!fitsUnpacked(bytes)) throw new NotATable("unpacked");
  const hidden: string[] = [];
  try {
    const { sheets } = await readXlsx(bytes, {
      sheets: (sheet) => {
        if (sheet.hidden !== true && sheet.veryHidden !== true) return true;
        hidden.push(sheet.name);
        return false;
      },
    });
    const only = sheets.length === 1;
    return {
      sheets: sheets.map((sheet) => ({
        name: only && /^(?:sheet|tabelle|feuil|blatt) ?1$/iu.test(sheet.name) ? name : sheet.name,
        source: only ? file : `${file}, sheet ${sheet.name}`,
        ...toWorkbookGrid(sheet.rows),
        merged: (sheet.merges ?? []).flatMap(toMergedCells),
        withoutResult: [...(sheet.cells ?? [])].flatMap(([place, cell]) =>
          cell.type === "formula" && cell.value === null ? toCellPlace(place) : [],
        ),
      })),
      hidden,
    };
  } catch (error) {
    throw new NotATable("workbook", { cause: error });
  }
};

/** Cells that are merged across columns are titles and notes. Their value stays in the first one. */
const toMergedCells = ({
  startRow,
  endRow,
  startCol,
  endCol,
}: Readonly<Record<"startRow" | "endRow" | "startCol" | "endCol", number>>): readonly MergedCells[] =>
  startCol === endCol && endRow > startRow ? [{ column: startCol, row: startRow, lastRow: endRow }] : [];

/** The library names a cell by its indexes: `2,0`. */
const toCellPlace = (place: string): readonly CellPlace[] => {
  const [row = Number.NaN, column = Number.NaN] = place.split(",").map(Number);
  return Number.isNaN(row + column) ? [] : [{ row, column }];
};

/** Reads the sheets of a CSV, TSV or XLSX file as text; `file` is its name. Throws `NotATable` if it is none of them. */
export const readSheets = async (file: string, bytes: Buffer): Promise<SheetsOfFile> => {
  const name = file.slice(0, file.length - extname(file).length);
  const isZip = bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  return isZip ? await readWorkbook(file, name, bytes) : { sheets: [readText(file, name, bytes)], hidden: [] };
};
