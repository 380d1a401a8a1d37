/** The cells of a sheet, row by row, as text. An empty cell is `""`; a date is `2026-01-31`. */
export type SheetGrid = readonly (readonly string[])[];

/** A sheet as read from the file. */
export interface Sheet {
  /** The name of the sheet, or of the file without its extension. */
  readonly name: string;
  /** The file, and the sheet if there are several: `stock.xlsx, sheet Loans`. */
  readonly source: string;
  readonly grid: SheetGrid;
  /** Merged cells of one column, each with the indexes of its first and last row. */
  readonly merged?: readonly MergedCells[];
  /** Indexes of columns of a workbook in which numbers have decimals, and no text has. */
  readonly numeric?: ReadonlySet<number>;
  /** Cells with a formula whose result the file does not store. */
  readonly withoutResult?: readonly CellPlace[];
}

export interface CellPlace {
  readonly column: number;
  readonly row: number;
}

export interface MergedCells extends CellPlace {
  readonly lastRow: number;
}

/** A column with one value for each row; values are trimmed. */
export interface SheetColumn {
  readonly header: string;
  /** The name of the column in the spreadsheet: A, AA. */
  readonly letters: string;
  readonly values: readonly string[];
}

/** A header and rows. */
export interface SheetTable {
  readonly name: string;
  readonly source: string;
  readonly columns: readonly SheetColumn[];
  /** The number of each row in the spreadsheet. */
  readonly rowNumbers: readonly number[];
  /** Sentences of the document about the remarks. */
  readonly remarks: readonly string[];
  readonly noted: readonly TableRemark[];
}

/** Number of rows in which a header is searched for. */
const HEADER_WITHIN = 30;

/** Maximum length of a quoted cell in a remark. */
const QUOTED = 40;

const number = /^[+-]?[\d.,'’\s]*\d[\d.,'’\s]*%?$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/u;

const total = /^(?:(?:grand|sub)[- ]?)?(?:totals?|sum|summe|gesamt(?:summe)?|zwischensumme|somme)\b/iu;

const countFilled = (row: readonly string[]): number => row.filter((cell) => cell !== "").length;

export const shorten = (text: string): string => (text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text);

const firstFilled = (row: readonly string[]): string => row.find((cell) => cell !== "") ?? "";

/**
 * Cells that are not in the table: a row with its number in the spreadsheet and its first text, or a column. Or a column
 * with cells that are read in a special way, the first of which is named: `A3:A4`.
 */
export type TableRemark =
  | { readonly kind: "above" | "total" | "note"; readonly row: number; readonly text: string }
  | { readonly kind: "headless"; readonly column: string }
  | { readonly kind: "merged" | "formula"; readonly column: string; readonly cells: string };

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

const toSentence = (remark: TableRemark): string => {
  switch (remark.kind) {
    case "headless":
      return `Column ${remark.column} has values and no header.`;
    case "merged":
      return `Column ${remark.column} has merged cells, such as ${remark.cells}. Each of their rows gets the value.`;
    case "formula":
      return `Column ${remark.column} has formulas without a stored result, such as in ${remark.cells}. These cells are empty.`;
    default:
      return `Row ${remark.row} (“${remark.text}”) ${sentences[remark.kind]}.`;
  }
};

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
export const locateTable = ({
  grid,
  merged = [],
  withoutResult = [],
}: Pick<Sheet, "grid" | "merged" | "withoutResult">): TablePlace | undefined => {
  const rows = grid.map((row) => row.map((cell) => cell.replace(/\u00a0/gu, " ").trim()));
  repeatMerged(rows, merged);
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
  const inTable = new Set(body.map(({ number }) => number - 1));
  remarks.push(
    ...remarkOnColumns(
      "merged",
      merged.filter(({ row, lastRow }) => inTable.has(row) && inTable.has(lastRow)),
    ),
    ...remarkOnColumns(
      "formula",
      withoutResult.filter(({ row }) => inTable.has(row)),
    ),
  );
  return body.length === 0 || columns.length === 0 ? undefined : { columns, rows: body, remarks };
};

/** Of merged cells, a file has the value in the first one only. Rows that are otherwise empty stay so. */
const repeatMerged = (rows: string[][], merged: readonly MergedCells[]): void => {
  for (const { column, row, lastRow } of merged) {
    const value = rows[row]?.[column] ?? "";
    for (const cells of rows.slice(row + 1, lastRow + 1)) if (countFilled(cells) > 0) cells[column] = value;
  }
};

/** A remark for each column with such cells, which names the first. */
const remarkOnColumns = (
  kind: "merged" | "formula",
  places: readonly (CellPlace & { readonly lastRow?: number })[],
): readonly TableRemark[] => {
  const firsts = new Map<number, TableRemark>();
  for (const { column, row, lastRow } of places) {
    const letters = toLetters(column);
    const cells = `${letters}${row + 1}${lastRow === undefined ? "" : `:${letters}${lastRow + 1}`}`;
    if (!firsts.has(column)) firsts.set(column, { kind, column: letters, cells });
  }
  return [...firsts.values()];
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
export const findTable = (sheet: Sheet): SheetTable | undefined => {
  const place = locateTable(sheet);
  if (place === undefined) return undefined;
  const { name, source } = sheet;
  const { rows } = place;
  const columns = place.columns.map(({ header, at }) => ({
    header: header === "" ? `Column ${toLetters(at)}` : header,
    letters: toLetters(at),
    values: rows.map(({ cells }) => cells[at] ?? ""),
  }));
  const rowNumbers = rows.map((row) => row.number);
  return { name, source, columns, rowNumbers, remarks: place.remarks.map(toSentence), noted: place.remarks };
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
