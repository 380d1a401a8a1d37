import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { Sheet } from "../../core/draft/table.ts";
import { NotATable, readSheets } from "../../server/imports/read-sheets.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/** Larger files are not needed to see what a table has. */
const LARGEST_FILE = 64 * 2 ** 20;

const KINDS = "Name CSV, TSV or XLSX files.";

const badFile = (message: string, hint: string, cause?: unknown) =>
  new CommandFailed(exits.badDocument, message, hint, cause);

/** Reads a file of limited size. Throws one sentence if it cannot. */
export const readFileBytes = async (path: string, largest: number): Promise<Buffer> => {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw badFile(
      error.code === "ENOENT" ? `There is no file ${path}.` : `Can’t read ${path} (${error.code ?? error.message}).`,
      KINDS,
      error,
    );
  });
  try {
    const about = await handle.stat();
    if (about.isDirectory()) throw badFile(`${path} is a folder.`, KINDS);
    if (about.size > largest)
      throw badFile(
        `${path} has ${Math.ceil(about.size / 2 ** 20)} MB; a draft reads files of up to ${largest / 2 ** 20} MB.`,
        "Save its first part as a file, and draft from that.",
      );
    return await handle.readFile();
  } finally {
    await handle.close();
  }
};

const toFailure = (path: string, { format, message, cause, cell }: NotATable): CommandFailed => {
  switch (format) {
    case "quote":
      return badFile(`${path} has a quotation mark in cell ${cell} that is never closed.`, "Close or delete it.");
    case "text":
      return badFile(`${path} is not a text file.`, KINDS);
    case "values":
      return badFile(
        `${path} is not a table of comma-separated values: ${message}`,
        "Open it in a spreadsheet, and save it as CSV.",
        cause,
      );
    case "unpacked":
      return badFile(`${path} unpacks to more than 300 MB.`, "Save its sheets as CSV files.");
    case "workbook":
      return badFile(
        `${path} can’t be read as a workbook: ${message}`,
        "Open it in a spreadsheet, remove its password if it has one, and save it as XLSX.",
        cause,
      );
  }
};

/** The sheets of a file, with sentences about those that were left out. */
export interface FileOfSheets {
  readonly sheets: readonly Sheet[];
  readonly remarks: readonly string[];
}

/** Reads the sheets of a CSV, TSV or XLSX file as text. Throws one sentence if it is none of them. */
export const readFileOfSheets = async (path: string): Promise<FileOfSheets> => {
  const bytes = await readFileBytes(path, LARGEST_FILE);
  const file = basename(path);
  try {
    const { sheets, hidden } = await readSheets(file, bytes);
    return { sheets, remarks: hidden.map((item) => `${file}: the sheet “${item}” is hidden.`) };
  } catch (error) {
    throw error instanceof NotATable ? toFailure(path, error) : error;
  }
};
