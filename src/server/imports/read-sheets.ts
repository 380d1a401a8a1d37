import { extname } from "node:path";
import { parseCsv } from "hucre/csv";
import { readXlsx } from "hucre/xlsx";
import type { Sheet } from "../../core/draft/table.ts";
import { unpacksToLittle } from "./unpacked-size.ts";

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
  readonly format: "text" | "values" | "workbook" | "unpacked";
  constructor(format: NotATable["format"], cause?: unknown) {
    super(cause instanceof Error ? cause.message : "", { cause });
    this.format = format;
  }
}

/** Dates of spreadsheets have no zone; the library reads them as UTC. */
const toText = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return "";
  if (!(cell instanceof Date)) return String(cell);
  if (Number.isNaN(cell.getTime())) return "";
  const [day = "", time = ""] = cell.toISOString().split("T");
  if (time.startsWith("00:00:00")) return day;
  // Spreadsheets store a time without a date as part of their first day.
  return cell.getTime() < Date.UTC(1900, 0, 2) ? time.slice(0, 5) : `${day}T${time.slice(0, 8)}`;
};

const toGrid = (rows: readonly (readonly Cell[])[]): string[][] => rows.map((row) => row.map(toText));

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, or otherwise the Western European code page, which accepts any bytes.
 */
const decode = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

const readText = (file: string, name: string, bytes: Buffer): Sheet => {
  if (bytes.subarray(0, 4096).includes(0) && bytes[0] !== 0xff && bytes[0] !== 0xfe) throw new NotATable("text");
  const text = decode(bytes);
  try {
    const options = extname(file).toLowerCase() === ".tsv" ? { delimiter: "\t" } : {};
    return { name, source: file, grid: toGrid(parseCsv(text, options)) };
  } catch (error) {
    throw new NotATable("values", error);
  }
};

/** The visible sheets of a workbook, and the names of the hidden ones. */
const readWorkbook = async (file: string, name: string, bytes: Buffer): Promise<SheetsOfFile> => {
  if (!unpacksToLittle(bytes)) throw new NotATable("unpacked");
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
        grid: toGrid(sheet.rows),
      })),
      hidden,
    };
  } catch (error) {
    throw new NotATable("workbook", error);
  }
};

/** Reads the sheets of a CSV, TSV or XLSX file as text; `file` is its name. Throws `NotATable` if it is none of them. */
export const readSheets = async (file: string, bytes: Buffer): Promise<SheetsOfFile> => {
  const name = file.slice(0, file.length - extname(file).length);
  const isZip = bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  return isZip ? await readWorkbook(file, name, bytes) : { sheets: [readText(file, name, bytes)], hidden: [] };
};
