import type { DraftColumn, DraftEntity } from "../../core/draft/draft-entities.ts";
import { columnsOf, findKey, orderImports } from "../../core/draft/order-imports.ts";
import type { LocatedRow } from "../../core/draft/table.ts";
import type { ImportJson } from "../../core/wire/imports.ts";
import type { Service } from "../../server/execution/service.ts";
import { csvTable } from "../../server/records/csv.ts";
import { chooseSettings, describeRefusals, describeRemarks, waitForImport } from "../import/import.ts";
import { connectToService, type ImportPerson } from "../import/import-database.ts";
import type { ImportServer } from "../import/import-server.ts";

/** Rows of a table in parts, with the number of each in its file: the texts of these columns, in order. */
export type ReadSourceRows = (
  entity: DraftEntity,
  columns: readonly DraftColumn[],
) => AsyncIterable<readonly LocatedRow[]>;

/** The order of dates and the sign before decimals, where the values alone do not show it. */
export interface RowFormat {
  readonly days: string | undefined;
  readonly decimal: string | undefined;
}

const importPart = async (
  server: ImportServer,
  list: string,
  columns: readonly DraftColumn[],
  rows: readonly LocatedRow[],
  match: readonly string[],
  format: RowFormat,
): Promise<ImportJson> => {
  const fields = columns.map(({ field }) => field);
  const sent = await server.send(list, `${list}.csv`, Buffer.from(csvTable(fields, rows)));
  const settings = chooseSettings(sent, {
    match,
    columns: fields.map((field) => `${field}=${field}`),
    ...format,
    isAll: false,
  });
  return waitForImport(server, await server.begin(sent, "run", settings));
};

/**
 * Imports the rows of a drafted source as a person, list by list, and returns a line about each. References to records that come
 * later are written in a second pass.
 */
export const importDrafted = async (
  service: Service,
  person: ImportPerson,
  entities: readonly DraftEntity[],
  readRows: ReadSourceRows,
  format: RowFormat,
): Promise<{ readonly lines: readonly string[]; readonly refused: number }> => {
  const server = connectToService(service, person);
  const lines: string[] = [];
  let refused = 0;
  const write = async (entity: DraftEntity, columns: readonly DraftColumn[], match: readonly string[]) => {
    const list = service.model.entities.get(entity.name)?.path ?? "";
    const count = { added: 0, updated: 0, refused: 0, sent: 0 };
    const reasons: string[] = [];
    for await (const rows of readRows(entity, columns)) {
      const job = await importPart(server, list, columns, rows, match, format);
      count.added += job.added;
      count.updated += job.updated + job.unchanged;
      count.refused += job.refused;
      count.sent += rows.length;
      reasons.push(...job.refusals.map(describeRefusals), ...describeRemarks(job));
    }
    refused += count.refused;
    const done = match.length === 0 ? `${count.added} added` : `${count.updated} completed`;
    lines.push(`${entity.name}: ${count.sent} rows, ${done}, ${count.refused} refused.`, ...reasons);
  };
  try {
    const steps = orderImports(entities);
    for (const { entity, later } of steps) {
      const now = columnsOf(entity).filter((column) => !later.includes(column) || !column.isOptional);
      if (now.length > 0) await write(entity, now, []);
    }
    for (const { entity, later } of steps) {
      const key = findKey(entity);
      const optional = later.filter(({ isOptional }) => isOptional);
      if (optional.length === 0) continue;
      if (key === undefined)
        lines.push(
          `${entity.name}: ${optional.map(({ field }) => field).join(", ")} can’t be filled in, because no field tells its records apart.`,
        );
      else await write(entity, [key, ...optional], [key.field]);
    }
    return { lines, refused };
  } finally {
    await server.end();
  }
};
