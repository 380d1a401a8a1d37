/** The cells of a sheet, row by row, as text. An empty cell is `""`; a date is `2026-01-31`. */
export type SheetGrid = readonly (readonly string[])[];

/** A sheet as read from the file. */
export interface Sheet {
  /** The name of the sheet, or of the file without its extension. */
  readonly name: string;
  /** The file, and the sheet if there are several: `stock.xlsx, sheet Loans`. */
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
  /** Sentences about cells that were ignored. */
  readonly remarks: readonly string[];
}

/** Number of rows in which a header is searched for. */
const HEADER_WITHIN = 30;

/** Maximum length of a quoted cell in a remark. */
const QUOTED = 40;

const number = /^[+-]?[\d.,'’\s]*\d[\d.,'’\s]*%?$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/u;

const total = /^(?:(?:grand|sub)[- ]?)?(?:totals?|sum|summe|gesamt(?:summe)?|zwischensumme|somme)\b/iu;

const countFilled = (row: readonly string[]): number => row.filter((cell) => cell !== "").length;

const shorten = (text: string): string => (text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text);

const firstFilled = (row: readonly string[]): string => row.find((cell) => cell !== "") ?? "";

/** Cells that are not in the table: a row with its number in the spreadsheet and its first text, or a column. */
export type TableRemark =
  | { readonly kind: "above" | "total" | "note"; readonly row: number; readonly text: string }
  | { readonly kind: "headless"; readonly column: string };

const remarkOnRow = (kind: "above" | "total" | "note", row: readonly string[], index: number): TableRemark => ({
  kind,
  row: index + 1,
  text: shorten(firstFilled(row)),
});

const sentences = {
  above: "is above the header",
  total: "is a total",
  note: "has a single value, like a note",
} as const;

const toSentence = (remark: TableRemark): string =>
  remark.kind === "headless"
    ? `Column ${remark.column} has values and no header.`
    : `Row ${remark.row} (“${remark.text}”) ${sentences[remark.kind]}.`;

/** The spreadsheet's name of a column: 0 → A, 26 → AA. */
export const toLetters = (index: number): string =>
  (index < 26 ? "" : toLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

/** A column of a table: its header, "" if it has none, and its index in the rows of the grid. */
export interface TableColumn {
  readonly header: string;
  readonly at: number;
}

/** A row of a table, with its number in the spreadsheet. */
export interface LocatedRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The location of a table in a sheet. */
export interface TablePlace {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly LocatedRow[];
  /** Cells that were ignored. */
  readonly remarks: readonly TableRemark[];
}

/**
 * Locates the table in a sheet. Ignores titles above the header, empty rows and columns, totals, and notes between the
 * rows; each is reported in a remark with its row number in the spreadsheet. Undefined if there are no rows.
 */
export const locateTable = (grid: SheetGrid): TablePlace | undefined => {
  const rows = grid.map((row) => row.map((cell) => cell.replace(/\u00a0/gu, " ").trim()));
  const head = findHeader(rows);
  const header = rows[head];
  if (header === undefined) return undefined;
  const remarks: TableRemark[] = [];
  rows.slice(0, head).forEach((row, index) => {
    if (countFilled(row) > 0) remarks.push(remarkOnRow("above", row, index));
  });
  const named = countFilled(header);
  const body: LocatedRow[] = [];
  let width = header.length;
  for (let index = head + 1; index < rows.length; index++) {
    const row = rows[index] ?? [];
    const filled = countFilled(row);
    if (filled === 0) continue;
    if (total.test(firstFilled(row))) remarks.push(remarkOnRow("total", row, index));
    else if (filled === 1 && named >= 4) remarks.push(remarkOnRow("note", row, index));
    else {
      body.push({ number: index + 1, cells: row });
      width = Math.max(width, row.length);
    }
  }
  moveNotesBelow(body, named, remarks);
  const columns: TableColumn[] = [];
  for (let at = 0; at < width; at++) {
    const title = header[at] ?? "";
    if (title === "" && body.every(({ cells }) => (cells[at] ?? "") === "")) continue;
    if (title === "") remarks.push({ kind: "headless", column: toLetters(at) });
    columns.push({ header: title.replace(/\s+/gu, " "), at });
  }
  return body.length === 0 || columns.length === 0 ? undefined : { columns, rows: body, remarks };
};

/**
 * Notes below a table can have several cells, too. If one with a single cell follows the last row that is mostly filled,
 * the rows after that are notes.
 */
const moveNotesBelow = (body: LocatedRow[], named: number, remarks: TableRemark[]): void => {
  const last = body.findLast(({ cells }) => countFilled(cells) * 2 > named)?.number;
  if (last === undefined || !remarks.some((remark) => remark.kind === "note" && remark.row > last)) return;
  const below = body.filter(({ number }) => number > last);
  body.splice(body.length - below.length);
  remarks.push(...below.map(({ cells, number }) => remarkOnRow("note", cells, number - 1)));
};

/** Reads the table of a sheet as columns. Undefined if there are no rows. */
export const findTable = ({ name, source, grid }: Sheet): SheetTable | undefined => {
  const place = locateTable(grid);
  if (place === undefined) return undefined;
  const { rows } = place;
  const remarks = place.remarks.map(toSentence);
  const columns = place.columns.map(({ header, at }) => ({
    header: header === "" ? `Column ${toLetters(at)}` : header,
    values: rows.map(({ cells }) => cells[at] ?? ""),
  }));
  return { name, source, columns, rows: rows.length, remarks };
};

/**
 * The first row with distinct texts in most columns, otherwise the first row with most columns filled. Such a row of notes
 * above the header is followed by one with few cells, and by a fuller row of texts.
 */
const findHeader = (rows: SheetGrid): number => {
  const first = rows.slice(0, HEADER_WITHIN);
  const width = Math.max(0, ...rows.slice(0, HEADER_WITHIN * 2).map(countFilled));
  const isWide = (row: readonly string[]) => countFilled(row) > 0 && countFilled(row) * 2 > width;
  const isNamed = (row: readonly string[]): boolean => {
    const cells = row.filter((cell) => cell !== "");
    return isWide(row) && !cells.some((cell) => number.test(cell)) && new Set(cells).size * 2 > cells.length;
  };
  let named = first.findIndex(isNamed);
  if (named === -1) return first.findIndex(isWide);
  for (let at = named + 1; at < first.length; at++) {
    const row = first[at] ?? [];
    if (row.some((cell) => number.test(cell))) break;
    const before = first[at - 1] ?? [];
    const followsNote = countFilled(before) > 0 && !isWide(before);
    if (followsNote && isNamed(row) && countFilled(row) > countFilled(first[named] ?? [])) named = at;
  }
  return named;
};
