import type { Principal } from "../../core/derive/authorization/grants.ts";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import { messageText } from "../../core/i18n/languages.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { takesFiles } from "../../core/import/map-columns.ts";
import { suggestSettings } from "../../core/import/settings.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { ImportSettings } from "../../core/wire/imports.ts";
import type { Service } from "../execution/service.ts";
import type { UploadQuota } from "../files/upload-quota.ts";
import { newId } from "../util/uuid.ts";
import {
  createImport,
  deleteImport,
  findImport,
  type StoredImport,
  storeFilesOfImport,
  storePart,
} from "./import-store.ts";
import { readTable } from "./read-table.ts";
import { findImportFields } from "./rows/fillable-fields.ts";
import { MAX_REMARKS, type TableFault } from "./table-parts.ts";
import { CellFiles } from "./zip/cell-files.ts";
import { keepNamedFiles } from "./zip/keep-named-files.ts";
import { type Content, type OpenedZip, openZip, type ZippedFile } from "./zip/open-zip.ts";
import { unzipTable } from "./zip/unzip-table.ts";

const MAX_NAME_LENGTH = 200;

/** Maximum size of a table in bytes. It is read in memory, one table at a time. */
export const MAX_TABLE_BYTES = 32 * 2 ** 20;

/** A file and its sender. */
export interface SentFile {
  readonly name: string;
  readonly content: Content;
  readonly person: Principal & { readonly id: string };
  /** The roles of the token that sent it; null for a session. */
  readonly roles: readonly string[] | null;
  /** The `Accept-Language` header. */
  readonly language: string;
  /** The record into whose list of parts the rows go. */
  readonly parent?: ImportSettings["parent"];
}

/** Reasons for which a file is not imported. */
export type ReceiveFault = TableFault | { readonly reason: "not one table" } | { readonly reason: "too many files" };

/** True for the reason why there is no import. */
export const isReceiveFault = (received: StoredImport | ReceiveFault): received is ReceiveFault => "reason" in received;

interface Receiving {
  /** Limits the files of a ZIP file; null on the command line of the machine with the data. */
  readonly quota: UploadQuota | null;
  readonly now: Date;
}

/**
 * Reads a table, or a ZIP file with a table and the files that its cells name. Stores its rows as an import that has not
 * begun, or returns why there is none.
 */
export const receiveTable = async (
  service: Service,
  entity: Entity,
  sent: SentFile,
  receiving: Receiving,
): Promise<StoredImport | ReceiveFault> => {
  const zip = await openZip(sent.content);
  if (zip === "too large") return { reason: "too many files" };
  if (zip === undefined)
    return typeof sent.content === "number"
      ? { reason: "not a table" }
      : storeTable(service, entity, sent, { name: sent.name, bytes: sent.content, zip: null, files: [] }, receiving);
  const table = await unzipTable(zip, MAX_TABLE_BYTES);
  return "reason" in table ? table : storeTable(service, entity, sent, { ...table, zip }, receiving);
};

/** A table, and the files that came with it. */
interface ReceivedTable {
  readonly name: string;
  readonly bytes: Buffer;
  readonly zip: OpenedZip | null;
  readonly files: readonly ZippedFile[];
}

const storeTable = async (
  service: Service,
  entity: Entity,
  { name: sentName, person, roles, language, parent }: SentFile,
  { name, bytes, zip, files }: ReceivedTable,
  { quota, now }: Receiving,
): Promise<StoredImport | ReceiveFault> => {
  const { database, model } = service;
  const id = newId(now);
  const { fields } = findImportFields(model, entity, person, {
    files: zip === null ? null : {},
    settings: parent === undefined ? {} : { parent },
  });
  const words = choosePhrases(model, language).language;
  const cellFiles = new CellFiles(fields.some(takesFiles) ? files : []);
  let remarks: readonly Message[] = [];
  try {
    const fault = await readTable(toPlainName(name), bytes, {
      head: async ({ columns: read, rows, remarks: found }) => {
        remarks = found;
        const columns = read.map(({ letters, ...column }) => ({
          ...column,
          header: column.header === "" ? messageText(say("table.column", { column: letters }), words) : column.header,
        }));
        const suggested = suggestSettings(model, entity, fields, columns);
        const settings = parent === undefined ? suggested : { ...suggested, parent };
        const of = {
          id,
          person: person.id,
          roles,
          entity: entity.name,
          file: toPlainName(sentName),
          language,
          columns,
          remarks,
          files: zip === null ? null : {},
          settings,
          rows,
        };
        await createImport(database, of, now);
      },
      part: async ({ number, rows }) => {
        cellFiles.add(rows);
        await storePart(database, id, number, rows);
      },
    });
    if (fault === undefined && zip !== null) {
      const storedFiles = await keepNamedFiles(cellFiles.named, { service, person: person.id, quota, now });
      if (storedFiles === undefined) {
        await deleteImport(database, id);
        return { reason: "too many files" };
      }
      const all = [...remarks, ...cellFiles.remarks(zip, files)].slice(0, MAX_REMARKS);
      await storeFilesOfImport(database, id, { files: storedFiles, remarks: all });
    }
    const stored =
      fault === undefined ? await findImport(database, id, { person: person.id, entity: entity.name }) : undefined;
    if (stored !== undefined) return stored;
    await deleteImport(database, id);
    return fault ?? { reason: "no rows" };
  } catch (error) {
    await deleteImport(database, id).catch(() => undefined);
    throw error;
  }
};

const toPlainName = (name: string): string =>
  [...name.replaceAll(/\p{Cc}/gu, "")].slice(-MAX_NAME_LENGTH).join("") || "table.csv";
