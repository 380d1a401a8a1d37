import type { Principal } from "../../core/derive/authorization/grants.ts";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import { messageText } from "../../core/i18n/languages.ts";
import { say } from "../../core/i18n/message.ts";
import { suggestSettings } from "../../core/import/settings.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Service } from "../execution/service.ts";
import { newId } from "../util/uuid.ts";
import { fieldsFor } from "./import-rows.ts";
import { createImport, deleteImport, findImport, type StoredImport, storePart } from "./import-store.ts";
import { readTable } from "./read-table.ts";
import type { TableFault } from "./table-parts.ts";

const MAX_NAME_LENGTH = 200;

/** A file and its sender. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly person: Principal & { readonly id: string };
  /** The roles of the token that sent it; null for a session. */
  readonly roles: readonly string[] | null;
  /** The `Accept-Language` header. */
  readonly language: string;
}

/** Reads a file and stores its rows as an import that has not begun, or returns why it has no rows. */
export const receiveTable = async (
  service: Service,
  entity: Entity,
  { name, bytes, person, roles, language }: SentFile,
  now: Date,
): Promise<StoredImport | TableFault> => {
  const { database, model } = service;
  const id = newId(now);
  const file = [...name.replaceAll(/\p{Cc}/gu, "")].slice(-MAX_NAME_LENGTH).join("") || "table.csv";
  const fields = fieldsFor(model, entity, person);
  const words = choosePhrases(model, language).language;
  try {
    const fault = await readTable(file, bytes, {
      head: async ({ columns: read, rows, remarks }) => {
        const columns = read.map(({ letters, ...column }) => ({
          ...column,
          header: column.header === "" ? messageText(say("table.column", { column: letters }), words) : column.header,
        }));
        const settings = suggestSettings(model, fields, columns);
        const of = {
          id,
          person: person.id,
          roles,
          entity: entity.name,
          file,
          language,
          columns,
          remarks,
          settings,
          rows,
        };
        await createImport(database, of, now);
      },
      part: async ({ number, rows }) => {
        await storePart(database, id, number, rows);
      },
    });
    const stored =
      fault === undefined ? await findImport(database, id, { person: person.id, entity: entity.name }) : undefined;
    if (stored !== undefined) return stored;
    await deleteImport(database, id);
    return fault ?? "no rows";
  } catch (error) {
    await deleteImport(database, id).catch(() => undefined);
    throw error;
  }
};
