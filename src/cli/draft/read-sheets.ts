import { open } from "node:fs/promises";
import { basename, extname } from "node:path";
import { parseCsv } from "hucre/csv";
import { readXlsx } from "hucre/xlsx";
import type { Sheet } from "../../core/draft/table.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/** Larger files are not needed to see what a table has. */
const LARGEST_FILE = 64 * 2 ** 20;

type Cell = string | number | boolean | Date | null;

const bad = (message: string, hint: string, cause?: unknown) =>
  new CommandFailed(exits.badDocument, message, hint, cause);

/** Dates of spreadsheets have no zone; the library reads them as UTC. */
const toText = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return "";
  if (!(cell instanceof Date)) return String(cell);
  if (Number.isNaN(cell.getTime())) return "";
  const [day = "", time = ""] = cell.toISOString().split("T");
  if (time.startsWith("00:00:00")) return day;
  // Spreadsheets keep a time without a date as a part of their first day.
  return cell.getTime() < Date.UTC(1900, 0, 2) ? time.slice(0, 5) : `${day}T${time.slice(0, 8)}Z`;
};

const toGrid = (rows: readonly (readonly Cell[])[]): string[][] => rows.map((row) => row.map(toText));

const readBytes = async (path: string): Promise<Buffer> => {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw bad(
      error.code === "ENOENT" ? `There is no file ${path}.` : `Can’t read ${path} (${error.code ?? error.message}).`,
      "Name CSV, TSV or XLSX files.",
      error,
    );
  });
  try {
    const about = await handle.stat();
    if (about.isDirectory()) throw bad(`${path} is a folder.`, "Name CSV, TSV or XLSX files.");
    if (about.size > LARGEST_FILE)
      throw bad(
        `${path} has ${Math.ceil(about.size / 2 ** 20)} MB; a draft reads files of up to ${LARGEST_FILE / 2 ** 20} MB.`,
        "Save its first rows as a file, and draft from that.",
      );
    return await handle.readFile();
  } finally {
    await handle.close();
  }
};

/** Text in UTF-8, UTF-16 with a mark, or else the code page of Western Europe, which reads any bytes. */
const decode = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
};

const readText = (path: string, name: string, bytes: Buffer): Sheet => {
  if (bytes.subarray(0, 4096).includes(0) && bytes[0] !== 0xff && bytes[0] !== 0xfe)
    throw bad(`${path} is not a text file.`, "Name CSV, TSV or XLSX files.");
  const text = decode(bytes);
  try {
    const options = extname(path).toLowerCase() === ".tsv" ? { delimiter: "\t" } : {};
    return { name, source: basename(path), grid: toGrid(parseCsv(text, options)) };
  } catch (error) {
    throw bad(
      `${path} is not a table of comma-separated values: ${error instanceof Error ? error.message : String(error)}`,
      "Open it in a spreadsheet, and save it as CSV.",
      error,
    );
  }
};

/** The visible sheets of a workbook, and the names of the hidden ones. */
const readWorkbook = async (path: string, name: string, bytes: Buffer): Promise<SheetsOfFile> => {
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
        source: only ? basename(path) : `${basename(path)}, sheet ${sheet.name}`,
        grid: toGrid(sheet.rows),
      })),
      remarks: hidden.map((one) => `${basename(path)}: the sheet “${one}” is hidden.`),
    };
  } catch (error) {
    throw bad(
      `${path} can’t be read as a workbook: ${error instanceof Error ? error.message : String(error)}`,
      "Open it in a spreadsheet, remove its password if it has one, and save it as XLSX.",
      error,
    );
  }
};

export interface SheetsOfFile {
  readonly sheets: readonly Sheet[];
  /** Sentences about sheets that were left out. */
  readonly remarks: readonly string[];
}

/** Reads the sheets of a CSV, TSV or XLSX file as text. Throws one sentence if it is none of them. */
export const readSheets = async (path: string): Promise<SheetsOfFile> => {
  const bytes = await readBytes(path);
  const name = basename(path, extname(path));
  const isZip = bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  return isZip ? await readWorkbook(path, name, bytes) : { sheets: [readText(path, name, bytes)], remarks: [] };
};
