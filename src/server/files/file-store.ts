import { createHash, randomUUID } from "node:crypto";
import { identifier, join, render, type Sql, slot, sql } from "../../core/sql.ts";
import type { FileJson } from "../../core/wire/records.ts";
import type { Database, Row } from "../../postgres/database.ts";
import { UNNAMED_FILE_LIFETIME } from "../plan/checks/files.ts";
import type { FilePlaces } from "./file-bytes.ts";
import { detectMediaType } from "./media-type.ts";

/** Size of the chunks in the database. */
const CHUNK_BYTES = 512 * 1024;

/** Thrown if a file exceeds the maximum size. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Stores an upload, in the object store if there is one. The file is visible only when complete. */
export const keepFile = async (
  { database, objects }: FilePlaces,
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
  const upload = new Upload(chunks, most);
  const object = objects === null ? null : randomUUID();
  try {
    if (objects === null || object === null) await writeChunks(database, id, upload.read());
    else {
      await announceObject(database, object);
      await objects.put(object, upload.read());
    }
    const { size, hash } = upload;
    const type = detectMediaType(upload.head, name);
    await database.query({
      name: "file-end",
      text: `with used as (delete from ninefold.unused_object where key = $5)
             update ninefold.file set type = $2, size = $3, sha256 = $4, object = $5, made_at = now() where id = $1`,
      values: [id, type, size, hash, object],
    });
    return { id, name, type, size };
  } catch (error) {
    await database.query({ name: "file-gone", text: "delete from ninefold.file where id = $1", values: [id] });
    throw error;
  }
};

/** Bytes from which the media type is detected. */
const HEAD_BYTES = 4096;

/** The bytes of an upload, counted and hashed while they are read. */
class Upload {
  readonly #chunks: AsyncIterable<Buffer>;
  readonly #most: number;
  readonly #hash = createHash("sha256");
  #head = Buffer.alloc(0);
  size = 0;

  constructor(chunks: AsyncIterable<Buffer>, most: number) {
    this.#chunks = chunks;
    this.#most = most;
  }

  get head(): Buffer {
    return this.#head;
  }

  /** The SHA-256 of everything; can be read once. */
  get hash(): Buffer {
    return this.#hash.digest();
  }

  async *read(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#chunks) {
      this.size += chunk.length;
      if (this.size > this.#most) throw new TooLarge();
      this.#hash.update(chunk);
      if (this.#head.length < HEAD_BYTES)
        this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
      yield chunk;
    }
  }
}

/** Writes bytes to the database in chunks. */
export const writeChunks = async (
  database: Pick<Database, "query">,
  id: string,
  bytes: AsyncIterable<Buffer>,
): Promise<void> => {
  let number = 0;
  for await (const chunk of gatherChunks(bytes))
    await database.query({
      name: "file-chunk",
      text: "insert into ninefold.file_chunk (file, number, bytes) values ($1, $2, $3)",
      values: [id, number++, chunk],
    });
};

/** Joins bytes to chunks of at least `CHUNK_BYTES`, except the last. */
export async function* gatherChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let buffered = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    buffered += chunk.length;
    if (buffered < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, buffered] = [[], 0];
  }
  if (buffered > 0) yield Buffer.concat(waiting);
}

/** Lists an object before it is stored, so that it is deleted later if no file comes to refer to it. */
export const announceObject = async (database: Pick<Database, "query">, key: string): Promise<void> => {
  await database.query({
    name: "object-begin",
    text: "insert into ninefold.unused_object (key) values ($1)",
    values: [key],
  });
};

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
    const [each, value] = many === true ? [sql`, unnest(${column}) AS "one"`, sql`"one"`] : [sql``, column];
    return sql` AND NOT EXISTS (SELECT FROM "app".${identifier(String(table))} AS "t"${each} WHERE ${value} ->> 'id' = "f".id::text)`;
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

/** Deletes those of some files that no record refers to. */
export const deleteUnnamedFiles = async (database: Database, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const { text } = render(
    sql`DELETE FROM ninefold.file AS "f" WHERE "f".id = ANY (${slot("ids", "uuid[]")}) AND ${await isUnnamed(database)}`,
  );
  await database.query({ text, values: [[...ids]] });
};

/** How long objects outlive their files: longer than any upload, backup or copy takes, and for a restored database. */
const UNUSED_OBJECT_DAYS = 7;

/** Objects deleted in one go. */
const BATCH = 100;

/** Deletes objects that no file has referred to for a week. Returns their number. Throws `ObjectStoreAway`. */
export const purgeObjects = async ({ database, objects }: FilePlaces): Promise<number> => {
  if (objects === null) return 0;
  for (let count = 0; ; ) {
    const rows = await database.query({
      name: "objects-unused",
      text: `select key from ninefold.unused_object where at < now() - make_interval(days => ${UNUSED_OBJECT_DAYS}) order by at limit ${BATCH}`,
      values: [],
    });
    const keys = rows.map(({ key }) => String(key));
    for (const key of keys) await objects.remove(key);
    await database.query({
      name: "objects-removed",
      text: "delete from ninefold.unused_object where key = any($1)",
      values: [keys],
    });
    count += keys.length;
    if (keys.length < BATCH) return count;
  }
};
