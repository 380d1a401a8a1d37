import { once } from "node:events";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { createRetiredSql } from "../../core/migration/retired.ts";
import { sql } from "../../core/sql.ts";
import { type ConnectOptions, type Database, type Row, toStoreError } from "../database.ts";
import { applyDocument } from "../schema/apply-document.ts";
import { partitionHistory } from "../schema/history-months.ts";
import { readRetired } from "../schema/introspect.ts";
import { DatabaseRefused, prepareSystem } from "../schema/prepare-system.ts";
import { RELEASE } from "../schema/system-tables.ts";
import type { BackupResult } from "./backup.ts";
import { type BackupFrame, BackupUnreadable, readFrames, readJson } from "./backup-file.ts";
import {
  grantingAccess,
  type Header,
  listColumnsSql,
  openForCopy,
  type TableHead,
  tableName,
  textOf,
} from "./copied-tables.ts";

export interface RestoreResult extends Omit<BackupResult, "bytes"> {
  readonly version: number;
  readonly made_at: string;
}

/** The header of a backup, without reading the rest. */
export const readHeader = async (path: string): Promise<Header> => {
  for await (const { kind, bytes } of readFrames(path)) {
    if (kind !== "header") break;
    return readJson<Header>(bytes);
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
      readJson<Header>(first.bytes),
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
  const client = await openForCopy(connection);
  try {
    await client.query("begin");
    await refuseNonEmptyDatabase(client);
    const inside = asDatabase(client);
    await prepareSystem(inside, requests);
    await applyDocument(inside, model, compiled.source, {
      person: null,
      beforeCommit: () => Promise.resolve(),
      syncsSeedRecords: false,
    });
    await client.query("delete from ninefold.version");
    const { undo, redo } = await readConstraints(client);
    for (const statement of undo) await client.query(statement);
    const filled = await fill(client, frames);
    for (const name of grantingAccess)
      await client.query(textOf(sql`delete from ${tableName({ schema: "ninefold", name })}`));
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
      const table = readJson<TableHead>(bytes);
      // The platform's tables come first, and list what is retired.
      if (table.schema === "app" && !hasRetired) {
        hasRetired = true;
        for (const statement of createRetiredSql(await readRetired(query))) await client.query(statement);
      }
      into = client.query(copyFrom(textOf(sql`copy ${tableName(table)} (${listColumnsSql(table)}) from stdin`)));
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
      const expected = readJson<{ readonly rows: number }>(bytes).rows;
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
