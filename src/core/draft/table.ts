/** The cells of a sheet, row by row, as text. An empty cell is `""`; a date is `2026-01-31`. */
export type SheetGrid = readonly (readonly string[])[];

/** A sheet as it was read. */
export interface Sheet {
  /** The name of the sheet, or of the file without its ending. */
  readonly name: string;
  /** The file, and the sheet if it is one of several: `stock.xlsx, sheet Loans`. */
  readonly source: string;
  readonly grid: SheetGrid;
}

/** A column with one value for each row; values are trimmed. */
export interface SheetColumn {
  readonly header: string;
  readonly values: readonly string[];
}

/** A header and rows. */
export interface SheetTable {
  readonly name: string;
  readonly source: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: number;
  /** Sentences about cells that were left out. */
  readonly remarks: readonly string[];
}

/** A header is looked for in the first rows. */
const HEADER_WITHIN = 30;

/** Length of a quoted cell in a remark. */
const QUOTED = 40;

const number = /^[+-]?[\d.,'’\s]*\d[\d.,'’\s]*%?$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/u;

const total = /^(?:(?:grand|sub)[- ]?)?(?:totals?|sum|summe|gesamt(?:summe)?|zwischensumme|somme)\b/iu;

const countFilled = (row: readonly string[]): number => row.filter((cell) => cell !== "").length;

const quote = (text: string): string => `“${text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text}”`;

const firstFilled = (row: readonly string[]): string => row.find((cell) => cell !== "") ?? "";

/** Spreadsheets name columns by letters: 0 → A, 26 → AA. */
const toLetters = (index: number): string =>
  (index < 26 ? "" : toLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

/**
 * Finds the table in a sheet: leaves out titles above the header, empty rows and columns, totals, and notes between the
 * rows. Each is told in a remark, with its row as the spreadsheet numbers it. Undefined if there are no rows.
 */
export const findTable = ({ name, source, grid }: Sheet): SheetTable | undefined => {
  const rows = grid.map((row) => row.map((cell) => cell.replace(/\u00a0/gu, " ").trim()));
  const head = findHeader(rows);
  const header = rows[head];
  if (header === undefined) return undefined;
  const remarks: string[] = [];
  rows.slice(0, head).forEach((row, index) => {
    if (countFilled(row) > 0) remarks.push(`Row ${index + 1} (${quote(firstFilled(row))}) is above the header.`);
  });
  const body: (readonly string[])[] = [];
  rows.slice(head + 1).forEach((row, index) => {
    const place = `Row ${head + index + 2} (${quote(firstFilled(row))})`;
    if (countFilled(row) === 0) return;
    if (total.test(firstFilled(row))) remarks.push(`${place} is a total.`);
    else if (countFilled(row) === 1 && countFilled(header) >= 4)
      remarks.push(`${place} has a single value, like a note.`);
    else body.push(row);
  });
  const width = Math.max(header.length, ...body.map((row) => row.length));
  const columns: SheetColumn[] = [];
  for (let at = 0; at < width; at++) {
    const values = body.map((row) => row[at] ?? "");
    const title = header[at] ?? "";
    if (title === "" && countFilled(values) === 0) continue;
    if (title === "") remarks.push(`Column ${toLetters(at)} has values and no header.`);
    columns.push({ header: title === "" ? `Column ${toLetters(at)}` : title.replace(/\s+/gu, " "), values });
  }
  return body.length === 0 || columns.length === 0 ? undefined : { name, source, columns, rows: body.length, remarks };
};

/** The first row that names most columns by different texts; or else the first row with most columns filled. */
const findHeader = (rows: SheetGrid): number => {
  const first = rows.slice(0, HEADER_WITHIN);
  const width = Math.max(0, ...rows.slice(0, HEADER_WITHIN * 2).map(countFilled));
  const isWide = (row: readonly string[]) => countFilled(row) > 0 && countFilled(row) * 2 > width;
  const named = first.findIndex((row) => {
    const cells = row.filter((cell) => cell !== "");
    return isWide(row) && !cells.some((cell) => number.test(cell)) && new Set(cells).size * 2 > cells.length;
  });
  return named === -1 ? first.findIndex(isWide) : named;
};
