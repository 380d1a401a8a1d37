import { createHash } from "node:crypto";
import { identifier, join, render, type Sql, slot, sql } from "../../core/sql.ts";
import type { FileJson } from "../../core/wire/records.ts";
import type { Database, Row } from "../../postgres/database.ts";
import { UNNAMED_FILE_LIFETIME } from "../plan/checks/files.ts";
import { detectMediaType } from "./media-type.ts";

/** Size of chunks read and written. */
const CHUNK_BYTES = 512 * 1024;

/** Thrown if a file exceeds the maximum size. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Stores an upload in chunks; the file is visible only when complete. */
export const keepFile = async (
  database: Database,
  chunks: AsyncIterable<Buffer>,
  {
    id,
    person,
    name,
    most,
  }: { readonly id: string; readonly person: string; readonly name: string; readonly most: number },
): Promise<FileJson> => {
  await database.query({
    name: "file-begin",
    text: "insert into ninefold.file (id, person, name, type) values ($1, $2, $3, '')",
    values: [id, person, name],
  });
  const hash = createHash("sha256");
  let size = 0;
  let number = 0;
  let type: string | undefined;
  let waiting: Buffer[] = [];
  let buffered = 0;
  const write = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    [waiting, buffered] = [[], 0];
    type ??= detectMediaType(bytes.subarray(0, 4096), name);
    await database.query({
      name: "file-chunk",
      text: "insert into ninefold.file_chunk (file, number, bytes) values ($1, $2, $3)",
      values: [id, number++, bytes],
    });
  };
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > most) throw new TooLarge();
      hash.update(chunk);
      waiting.push(chunk);
      buffered += chunk.length;
      if (buffered >= CHUNK_BYTES) await write();
    }
    if (buffered > 0) await write();
    const found = type ?? detectMediaType(Buffer.alloc(0), name);
    await database.query({
      name: "file-end",
      text: "update ninefold.file set type = $2, size = $3, sha256 = $4, made_at = now() where id = $1",
      values: [id, found, size, hash.digest()],
    });
    return { id, name, type: found, size };
  } catch (error) {
    await database.query({ name: "file-gone", text: "delete from ninefold.file where id = $1", values: [id] });
    throw error;
  }
};

/** Yields the content of a file in chunks. */
export async function* readChunks(database: Database, id: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const [row] = await database.query({
      name: "file-read",
      text: "select bytes from ninefold.file_chunk where file = $1 and number = $2",
      values: [id, number],
    });
    if (!Buffer.isBuffer(row?.bytes)) return;
    yield row.bytes;
  }
}

/**
 * The condition for files without a record. Queries the catalogue for file columns, because a newer document may have
 * added some.
 */
const isUnnamed = async (database: Database): Promise<Sql> => {
  const columns = await database.query({
    text: `select c.relname as table, a.attname as name, a.atttypid = 'jsonb[]'::regtype as many from pg_attribute a join pg_class c on c.oid = a.attrelid
           where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and a.atttypid in ('jsonb'::regtype, 'jsonb[]'::regtype) and not a.attisdropped`,
    values: [],
  });
  const unnamed = columns.map(({ table, name, many }) => {
    const column = sql`"t".${identifier(String(name))}`;
    const [each, one] = many === true ? [sql`, unnest(${column}) AS "one"`, sql`"one"`] : [sql``, column];
    return sql` AND NOT EXISTS (SELECT FROM "app".${identifier(String(table))} AS "t"${each} WHERE ${one} ->> 'id' = "f".id::text)`;
  });
  // Restoring a deleted record also restores its files.
  const trashed = sql` AND NOT EXISTS (SELECT FROM ninefold.trash AS "t", jsonb_path_query("t".stored, '$.*.id') AS "one" WHERE "one" #>> '{}' = "f".id::text)`;
  return sql`TRUE${join([...unnamed, trashed], "")}`;
};

/** A person's number of files and bytes. */
export interface FileUsage {
  readonly files: number;
  readonly bytes: number;
}

const decodeFilesHeld = (row: Row | undefined): FileUsage => ({
  files: Number(row?.files ?? 0),
  bytes: Number(row?.bytes ?? 0),
});

const KEPT = sql`"f".made_at > now() - ${UNNAMED_FILE_LIFETIME} - interval '1 hour'`;
const HELD = sql`SELECT count(*)::int AS files, COALESCE(sum("f".size), 0) AS bytes FROM ninefold.file AS "f" WHERE ${KEPT}`;

const OF_PERSON = sql`${HELD} AND "f".person = ${slot("person", "uuid")} AND "f".id <> ALL (${slot("except", "uuid[]")})`;

/** Counts the files that a person uploaded within a day, except the files of these ids. */
export const countSentFiles = async (
  database: Database,
  person: string,
  except: readonly string[],
): Promise<FileUsage> => {
  const { text } = render(OF_PERSON);
  return decodeFilesHeld((await database.query({ name: "files sent", text, values: [person, except] }))[0]);
};

/** Counts those without a record. Reads every record with a file column. */
export const countUnnamedFiles = async (
  database: Database,
  person: string,
  except: readonly string[],
): Promise<FileUsage> => {
  const { text } = render(sql`${OF_PERSON} AND ${await isUnnamed(database)}`);
  return decodeFilesHeld((await database.query({ text, values: [person, except] }))[0]);
};

/** Deletes files that no record has referred to for an hour, longer than any write takes. Returns their number. */
export const purgeFiles = async (database: Database): Promise<number> => {
  const { text } = render(
    sql`WITH gone AS (DELETE FROM ninefold.file AS "f" WHERE NOT (${KEPT}) AND ${await isUnnamed(database)} RETURNING 1) SELECT count(*)::int AS count FROM gone`,
  );
  const [row] = await database.query({ text, values: [] });
  return Number(row?.count ?? 0);
};
