import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { join, sql } from "../../core/sql.ts";
import { type ConnectOptions, toStoreError } from "../database.ts";
import { DatabaseRefused, SYSTEM_LOCK as PREPARING } from "../schema/prepare-system.ts";
import { DOCUMENT_LOCK as APPLYING } from "../schema/system-tables.ts";
import { type BackupFrame, BackupWriter, jsonBytes, readJson } from "./backup-file.ts";
import {
  type Header,
  listColumnsSql,
  openForCopy,
  readSequences,
  readTables,
  type TableHead,
  tableName,
  textOf,
} from "./copied-tables.ts";

/** A file whose bytes are not in the database. */
export interface OutsideFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  /** Its key in the object store. */
  readonly object: string;
}

/**
 * Reads a file from the object store, for the copy of a database: undefined if it is lost there. Ends the copy with any
 * error that it throws.
 */
export type ReadOutside = (file: OutsideFile) => Promise<AsyncIterable<Buffer> | undefined>;

export interface BackupOptions {
  readonly demonstration: boolean;
  /** Without it, a database with files in an object store cannot be copied. */
  readonly readOutside?: ReadOutside | null;
}

export interface BackupResult {
  readonly tables: number;
  readonly rows: number;
  /** Size of the file in bytes. */
  readonly bytes: number;
}

/**
 * Saves a consistent copy of a database while it is in use: versions of the document, records, files, audit and
 * accounts. The file appears at its path only when it is complete.
 */
export const writeBackup = async (
  connection: ConnectOptions["connection"],
  path: string,
  options: BackupOptions,
): Promise<BackupResult> => {
  const writer = await BackupWriter.at(path);
  try {
    let tables = 0;
    let rows = 0;
    for await (const { kind, bytes } of framesFrom(connection, options)) {
      // The writer ends the file with a checksum.
      if (kind === "end") break;
      await writer.write(kind, bytes);
      if (kind === "table") tables++;
      if (kind === "rows") rows += readJson<{ readonly rows: number }>(bytes).rows;
    }
    return { tables, rows, bytes: await writer.finish() };
  } catch (error) {
    await writer.abandon();
    throw toStoreError(error);
  }
};

/**
 * The frames of a backup of a database in use, all from one point in time. Files from an object store are part of it, as
 * if they were in the database.
 */
export async function* framesFrom(
  connection: ConnectOptions["connection"],
  options: BackupOptions,
): AsyncGenerator<BackupFrame> {
  const client = await openForCopy(connection);
  try {
    yield* framesOn(client, options);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function* framesOn(
  client: pg.Client,
  { demonstration, readOutside = null }: BackupOptions,
): AsyncGenerator<BackupFrame> {
  const known = await client.query("select to_regclass('ninefold.version') is not null as known");
  if (known.rows[0]?.known !== true)
    throw new DatabaseRefused("The database has never run a specification.", "Check that the address is correct.");
  // No document may be applied between the snapshot and the moment when all tables are locked.
  await client.query("select pg_advisory_lock_shared($1), pg_advisory_lock_shared($2)", [PREPARING, APPLYING]);
  await client.query("begin isolation level repeatable read read only");
  const tables = await readTables(client);
  await client.query(textOf(sql`lock table ${join(tables.map(tableName), ", ")} in access share mode`));
  await client.query("select pg_advisory_unlock_shared($1), pg_advisory_unlock_shared($2)", [PREPARING, APPLYING]);
  const { rows: versions } = await client.query<{ number: number; file: string; source: string; steps: number }>(
    "select number, file, source, (select steps from ninefold.release) as steps from ninefold.version order by number desc limit 1",
  );
  const [last] = versions;
  if (last === undefined)
    throw new DatabaseRefused("The database has never run a specification.", "Check that the address is correct.");
  const header: Header = {
    made_at: new Date().toISOString(),
    document: { number: last.number, file: last.file, source: last.source },
    steps: last.steps,
    demonstration,
    sequences: await readSequences(client),
  };
  yield { kind: "header", bytes: jsonBytes(header) };
  for (const table of tables) {
    yield { kind: "table", bytes: jsonBytes(table) };
    // A query, because Postgres copies no partitioned table as such.
    const stream = client.query(
      copyTo(textOf(sql`copy (select ${listColumnsSql(table)} from ${tableName(table)}) to stdout`)),
    );
    for await (const chunk of stream) yield { kind: "data", bytes: chunk as Buffer };
    let outside = 0;
    if (table.schema === "ninefold" && table.name === "file_chunk")
      for await (const row of outsideChunks(client, table, readOutside)) {
        yield { kind: "data", bytes: Buffer.from(row) };
        outside++;
      }
    yield { kind: "rows", bytes: jsonBytes({ rows: (stream.rowCount ?? 0) + outside }) };
  }
  await client.query("commit");
  yield { kind: "end", bytes: Buffer.alloc(0) };
}

/** Number of files looked up at a time. */
const PAGE = 1_000;

/** The files in the object store, as rows of the table of chunks in the format of `copy`. */
async function* outsideChunks(
  client: pg.Client,
  { columns }: TableHead,
  readOutside: ReadOutside | null,
): AsyncGenerator<string> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const { rows } = await client.query<OutsideFile>(
      `select id, name, size::float8 as size, encode(sha256, 'hex') as hash, object from ninefold.file
       where object is not null and size is not null and id > $1 order by id limit ${PAGE}`,
      [after],
    );
    if (rows.length > 0 && readOutside === null)
      throw new DatabaseRefused(
        "Files of this database are in an object store.",
        "Set NINEFOLD_FILES to its address, such as s3://bucket.",
      );
    for (const file of rows) {
      let number = 0;
      for await (const bytes of (await readOutside?.(file)) ?? []) {
        const values: { readonly [column: string]: string } = {
          file: file.id,
          number: String(number++),
          bytes: `\\\\x${bytes.toString("hex")}`,
        };
        yield `${columns.map((column) => values[column]).join("\t")}\n`;
      }
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? after;
  }
}
