import { type DraftColumn, type DraftEntity, draftEntities } from "../../core/draft/draft-entities.ts";
import { toWords } from "../../core/draft/names.ts";
import { columnsOf, findKey, orderImports } from "../../core/draft/order-imports.ts";
import { findTable, type SheetTable } from "../../core/draft/table.ts";
import { draftDocument } from "../../core/draft/write-document.ts";
import { format } from "../../core/format.ts";
import { type Message, quoted, say } from "../../core/i18n/message.ts";
import type { DraftedFileJson, DraftedRowsJson, DraftedTableJson } from "../../core/wire/authoring/drafted-file.ts";
import { csvTable } from "../records/csv.ts";
import { NotATable, readSheets } from "./read-sheets.ts";
import { type TableFault, toRemarkMessage, toTableFault } from "./table-parts.ts";

/** A file of a spreadsheet; `name` is that of the document. */
export interface FileToDraft {
  readonly file: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A drafted document, with sentences about what was left out as data. */
export interface DraftedContent extends Omit<DraftedFileJson, "tables" | "remarks"> {
  readonly tables: readonly (Omit<DraftedTableJson, "leftOut"> & { readonly leftOut: readonly Message[] })[];
  readonly remarks: readonly Message[];
}

/** A document drafted from a file, or why there is none. */
export type DraftedFile =
  | { readonly drafted: DraftedContent; readonly fault?: undefined }
  | { readonly fault: TableFault };

const toTitle = (file: string): string => {
  const words = toWords(file.replace(/\.\w+$/u, "")).join(" ");
  return words === "" ? "New application" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const toRows = (
  entity: DraftEntity,
  table: SheetTable | undefined,
  columns: readonly DraftColumn[],
  match: string | null,
): DraftedRowsJson => {
  const all = columnsOf(entity);
  const places = columns.map((column) => all.indexOf(column));
  const rows = (table?.rowNumbers ?? []).map((number, row) => ({
    number,
    cells: places.map((place) => table?.columns[place]?.values[row] ?? ""),
  }));
  const header = columns.map(({ field }) => field);
  return { entity: entity.name, match, rows: rows.length, csv: csvTable(header, rows) };
};

/** Records that others refer to come first; references in circles are completed at the end. */
const listImports = (entities: readonly DraftEntity[], tables: readonly SheetTable[]): readonly DraftedRowsJson[] => {
  const steps = orderImports(entities);
  const tableOf = (entity: DraftEntity) => tables[entities.indexOf(entity)];
  const first = steps.flatMap(({ entity, later }) => {
    const columns = columnsOf(entity).filter((column) => !later.includes(column) || !column.isOptional);
    return columns.length === 0 ? [] : [toRows(entity, tableOf(entity), columns, null)];
  });
  const second = steps.flatMap(({ entity, later }) => {
    const key = findKey(entity);
    const optional = later.filter(({ isOptional }) => isOptional);
    return optional.length === 0 || key === undefined
      ? []
      : [toRows(entity, tableOf(entity), [key, ...optional], key.field)];
  });
  return [...first, ...second];
};

/** Drafts a document from the sheets of a file, with the rows that come along. */
export const draftFile = async ({ file, name, bytes }: FileToDraft): Promise<DraftedFile> => {
  try {
    const { sheets, hidden } = await readSheets(file, Buffer.from(bytes));
    const tables = sheets.flatMap((sheet) => findTable(sheet) ?? []);
    if (tables.length === 0) return { fault: { reason: "no rows" } };
    const withRows = new Set(tables.map(({ source }) => source));
    const entities = draftEntities(tables);
    const written = draftDocument(toTitle(file), tables);
    return {
      drafted: {
        text: format([{ file: name, text: written }]).sources[0]?.text ?? written,
        tables: tables.map(({ source, rowNumbers, columns, noted }, at) => ({
          entity: entities[at]?.name ?? "",
          source,
          rows: rowNumbers.length,
          columns: columns.length,
          leftOut: noted.map(toRemarkMessage),
        })),
        remarks: [
          ...hidden.map((sheet) => say("table.hidden", { sheet: quoted(sheet) })),
          ...sheets.flatMap(({ name: sheet, source }) =>
            withRows.has(source) ? [] : [say("table.none", { sheet: quoted(sheet) })],
          ),
        ],
        imports: listImports(entities, tables),
      },
    };
  } catch (error) {
    if (!(error instanceof NotATable)) throw error;
    return { fault: toTableFault(error) };
  }
};
