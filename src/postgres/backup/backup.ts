import { once } from "node:events";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { hiddenComments } from "../../core/migration/phases.ts";
import { createRetiredSql } from "../../core/migration/retired.ts";
import { identifier, join, render, type Sql, sql } from "../../core/sql.ts";
import { buildSettings, type ConnectOptions, type Database, type Row, toStoreError } from "../database.ts";
import { createOpener } from "../driver/open-client.ts";
import { applyDocument } from "../schema/apply-document.ts";
import { partitionHistory } from "../schema/history-months.ts";
import { readRetired } from "../schema/introspect.ts";
import { DatabaseRefused, SYSTEM_LOCK as PREPARING, prepareSystem } from "../schema/prepare-system.ts";
import { DOCUMENT_LOCK as APPLYING, RELEASE } from "../schema/system-tables.ts";
import { type BackupFrame, BackupUnreadable, BackupWriter, jsonBytes, readFrames } from "./backup-file.ts";

/** The first frame of a backup. */
export interface Header {
  readonly made_at: string;
  readonly document: { readonly number: number; readonly file: string; readonly source: string };
  /** Number of steps that the system tables of the database had taken. */
  readonly steps: number;
  readonly demonstration: boolean;
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly value: number }[];
}

/** A table and its columns, before its rows. */
export interface TableHead {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

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

/** Credentials and attempt counters. An old copy must not let anybody in, nor must data saved by an older release. */
const grantingAccess = [
  "session",
  "token",
  "once_link",
  "sign_up",
  "mail",
  "address_change",
  "attempt",
  "mail_transition",
];

/**
 * Recreated on restore: the number of system steps, the secret that signs cookies, and the running previews. A version
 * that is being published is not in the backup, so its job is not either.
 */
const excludedTables = [
  ...grantingAccess,
  "secret",
  "release",
  "preview",
  "job",
  "touched",
  "import_part",
  "unused_object",
];

const open = async (connection: ConnectOptions["connection"]): Promise<pg.Client> => {
  // A dump has no time limit.
  const options = Object.entries({ ...buildSettings(0), idle_in_transaction_session_timeout: "0" })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
  return createOpener(connection, { options, application_name: "ninefold backup" })();
};

const text = (fragment: Sql): string => render(fragment).text;
const getName = ({ schema, name }: { readonly schema: string; readonly name: string }): Sql =>
  sql`${identifier(schema)}.${identifier(name)}`;
const listColumnsSql = ({ columns }: TableHead): Sql => join(columns.map(identifier), ", ");

const readTables = async (client: pg.Client): Promise<readonly TableHead[]> => {
  const { rows } = await client.query<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name,
            coalesce((select array_agg(a.attname::text order by a.attnum) from pg_attribute a
                      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                        and coalesce(col_description(a.attrelid, a.attnum), '') <> all($2)
                        and (n.nspname, c.relname, a.attname) <> ('ninefold', 'file', 'object')
                        and coalesce(col_description(a.attrelid, a.attnum), '') not like '{%"byTrigger":%'), '{}') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and coalesce(obj_description(c.oid, 'pg_class'), '') <> all($2) and (n.nspname = 'app' or n.nspname = 'ninefold' and c.relname <> all($1))
     order by n.nspname desc, c.relname`,
    [excludedTables, hiddenComments],
  );
  return rows;
};

const readSequences = async (client: pg.Client): Promise<Header["sequences"]> => {
  const { rows } = await client.query<{ schema: string; name: string; value: string }>(
    `select schemaname as schema, sequencename as name, last_value as value from pg_sequences
     where schemaname in ('app', 'ninefold') and last_value is not null`,
  );
  return rows.map(({ schema, name, value }) => ({ schema, name, value: Number(value) }));
};

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
      if (kind === "rows") rows += read<{ readonly rows: number }>(bytes).rows;
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
  const client = await open(connection);
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
  await client.query(text(sql`lock table ${join(tables.map(getName), ", ")} in access share mode`));
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
      copyTo(text(sql`copy (select ${listColumnsSql(table)} from ${getName(table)}) to stdout`)),
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

export interface RestoreResult extends Omit<BackupResult, "bytes"> {
  readonly version: number;
  readonly made_at: string;
}

/** The header of a backup, without reading the rest. */
export const readHeader = async (path: string): Promise<Header> => {
  for await (const { kind, bytes } of readFrames(path)) {
    if (kind !== "header") break;
    return read<Header>(bytes);
  }
  throw new BackupUnreadable("The beginning of the backup is missing.");
};

/**
 * Restores a backup into an empty database, in one transaction. `requests` is the role used by requests. Unless `sends`
 * is set, outgoing messages are held: the original database may still be running, or may have sent them already.
 */
export const restoreBackup = async (
  connection: ConnectOptions["connection"],
  path: string,
  requests: string | undefined,
  sends = false,
): Promise<RestoreResult> => restoreFrames(connection, readFrames(path), requests, sends);

/** Restores the frames of a backup as `restoreBackup` does. */
export const restoreFrames = async (
  connection: ConnectOptions["connection"],
  frames: AsyncIterable<BackupFrame>,
  requests: string | undefined,
  sends = false,
): Promise<RestoreResult> => {
  const iterator = frames[Symbol.asyncIterator]();
  try {
    const { value: first } = await iterator.next();
    if (first?.kind !== "header") throw new BackupUnreadable("The beginning of the backup is missing.");
    return await restoreAfter(
      read<Header>(first.bytes),
      { [Symbol.asyncIterator]: () => iterator },
      connection,
      requests,
      sends,
    );
  } finally {
    await iterator.return?.();
  }
};

const restoreAfter = async (
  header: Header,
  frames: AsyncIterable<BackupFrame>,
  connection: ConnectOptions["connection"],
  requests: string | undefined,
  sends: boolean,
): Promise<RestoreResult> => {
  if (header.steps > RELEASE) throw new BackupUnreadable("The backup was made by a newer release of Ninefold.");
  const compiled = compile(unpackSources({ file: header.document.file, text: header.document.source }));
  const { model } = compiled;
  if (model === undefined) throw new BackupUnreadable("The specification in the backup has errors in this release.");
  const client = await open(connection);
  try {
    await client.query("begin");
    await refuseNonEmptyDatabase(client);
    const inside = asDatabase(client);
    await prepareSystem(inside, requests);
    await applyDocument(inside, model, compiled.source, {
      person: null,
      together: () => Promise.resolve(),
      keeps: false,
    });
    await client.query("delete from ninefold.version");
    const { undo, redo } = await readConstraints(client);
    for (const statement of undo) await client.query(statement);
    const filled = await fill(client, frames);
    for (const name of grantingAccess)
      await client.query(text(sql`delete from ${getName({ schema: "ninefold", name })}`));
    for (const statement of redo)
      await client.query(statement).catch((error: unknown) => {
        if (error instanceof pg.DatabaseError && UNFIT.test(error.code ?? ""))
          throw new BackupUnreadable("The backup is damaged: it lacks rows that its records refer to.", {
            cause: error,
          });
        throw error;
      });
    for (const { schema, name, value } of header.sequences)
      await client.query("select setval(format('%I.%I', $1::text, $2::text)::regclass, $3)", [schema, name, value]);
    await partitionHistory(inside, new Date());
    if (!sends) await client.query("update ninefold.release set held_since = now(), held_from = $1", [header.made_at]);
    await client.query("commit");
    await client.query("analyze");
    return { ...filled, version: header.document.number, made_at: header.made_at };
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Existing data would be mixed with restored data. */
const refuseNonEmptyDatabase = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') limit 1`,
  );
  const [found] = rows;
  if (found !== undefined)
    throw new DatabaseRefused(
      `The database is not empty: it contains ${found.name}.`,
      "Restore into a new database or a new data folder.",
    );
};

/** Presents a connection that is in a transaction as a `Database`. */
const asDatabase = (client: pg.Client): Database => {
  const query: Database["query"] = async ({ text: statement, values }) => {
    try {
      return (await client.query<Row & pg.QueryResultRow>(statement, [...values])).rows;
    } catch (error) {
      throw toStoreError(error);
    }
  };
  const batch: Database["batch"] = async (queries) => {
    const results: (readonly Row[])[] = [];
    for (const next of queries) results.push(await query(next));
    return results;
  };
  return {
    query,
    batch,
    transaction: (work) => work(query, batch),
    load: () => ({ connections: 1, idle: 0, waiting: 0 }),
    end: () => client.end(),
  };
};

/**
 * Statements around a restore. `undo` drops foreign keys and disables triggers, which must not run on restored rows;
 * `redo` brings both back, and checks the keys on all rows.
 */
const readConstraints = async (
  client: pg.Client,
): Promise<{ readonly undo: readonly string[]; readonly redo: readonly string[] }> => {
  const { rows: references } = await client.query<{ drop: string; add: string; comment: string | null }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
            format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as add,
            format('comment on constraint %I on %s is %L', c.conname, c.conrelid::regclass, obj_description(c.oid, 'pg_constraint')) as comment
     from pg_constraint c join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and n.nspname in ('app', 'ninefold')`,
  );
  const { rows: triggered } = await client.query<{ name: string }>(
    `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and n.nspname in ('app', 'ninefold')`,
  );
  return {
    undo: [
      ...references.map(({ drop }) => drop),
      ...triggered.map(({ name }) => `alter table ${name} disable trigger user`),
    ],
    redo: [
      ...triggered.map(({ name }) => `alter table ${name} enable trigger user`),
      ...references.flatMap(({ add, comment }) => (comment === null ? [add] : [add, comment])),
    ],
  };
};

const read = <T>(bytes: Buffer): T => {
  try {
    return JSON.parse(bytes.toString("utf8")) as T;
  } catch (cause) {
    throw new BackupUnreadable("The backup is damaged.", { cause });
  }
};

/** Missing tables and columns; invalid values and rows that violate a constraint. */
const UNDEFINED = /^42(?:P01|703)$/u;
const UNFIT = /^2[23]/u;

const fill = async (
  client: pg.Client,
  frames: AsyncIterable<BackupFrame>,
): Promise<{ readonly tables: number; readonly rows: number }> => {
  let tables = 0;
  let rows = 0;
  let isComplete = false;
  let hasRetired = false;
  const { query } = asDatabase(client);
  let into: ReturnType<typeof copyFrom> | undefined;
  let failed: Promise<never> | undefined;
  for await (const { kind, bytes } of frames) {
    if (kind === "table") {
      const table = read<TableHead>(bytes);
      // The platform's tables come first, and list what is retired.
      if (table.schema === "app" && !hasRetired) {
        hasRetired = true;
        for (const statement of createRetiredSql(await readRetired(query))) await client.query(statement);
      }
      into = client.query(copyFrom(text(sql`copy ${getName(table)} (${listColumnsSql(table)}) from stdin`)));
      const stream = into;
      failed = new Promise<never>((_, reject) => {
        stream.once("error", (error: Error) => reject(createFitError(error, table)));
      });
      failed.catch(() => undefined);
      tables++;
    } else if (kind === "data") {
      if (into === undefined || failed === undefined) throw new BackupUnreadable("The backup is damaged.");
      if (!into.write(bytes)) await Promise.race([once(into, "drain"), failed]);
    } else if (kind === "rows") {
      if (into === undefined || failed === undefined) throw new BackupUnreadable("The backup is damaged.");
      into.end();
      await Promise.race([once(into, "finish"), failed]);
      const expected = read<{ readonly rows: number }>(bytes).rows;
      if (into.rowCount !== expected) throw new BackupUnreadable("The backup is damaged: rows are missing.");
      rows += expected;
      into = undefined;
    } else if (kind === "end") isComplete = true;
  }
  if (!isComplete) throw new BackupUnreadable("The backup is damaged or incomplete.");
  return { tables, rows };
};

const createFitError = (error: Error, { schema, name }: TableHead): Error => {
  const code = (error instanceof pg.DatabaseError && error.code) || "";
  if (UNDEFINED.test(code))
    return new BackupUnreadable(
      `The backup is damaged: the table ${schema}.${name} does not match its specification.`,
      {
        cause: error,
      },
    );
  return UNFIT.test(code)
    ? new BackupUnreadable(`The backup is damaged: ${schema}.${name} has invalid rows.`, { cause: error })
    : error;
};
