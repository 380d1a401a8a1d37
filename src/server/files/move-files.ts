import { createHash, randomUUID } from "node:crypto";
import type { Database, Row } from "../../postgres/database.ts";
import { NoObjectStore, ObjectStoreAway } from "../../storage/object-store.ts";
import { FileLost, type FilePlaces, openFile, openObject, type StoredFile } from "./file-bytes.ts";
import { announceObject, writeChunks } from "./file-store.ts";

/** Where the bytes of files can be. */
export type FilePlace = "database" | "store";

export interface FileCount {
  readonly files: number;
  readonly bytes: number;
}

/** Counts the complete files in each place. */
export const countFiles = async (database: Database): Promise<Readonly<Record<FilePlace, FileCount>>> => {
  const rows = await database.query({
    text: `select object is not null as outside, count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes
           from ninefold.file where size is not null group by 1`,
    values: [],
  });
  const of = (outside: boolean): FileCount => {
    const row = rows.find((each) => each.outside === outside);
    return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
  };
  return { database: of(false), store: of(true) };
};

/** A file with its name, for messages. */
export interface NamedFile extends StoredFile {
  readonly name: string;
}

/** Files read from the list at a time. */
const PAGE = 500;

/** Lists complete files in the order of their ids: those of one place, or all. */
async function* listFiles(database: Database, place: FilePlace | null): AsyncGenerator<NamedFile> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const rows = await database.query({
      text: `select id, name, size::float8 as size, encode(sha256, 'hex') as hash, object from ninefold.file
             where size is not null and id > $1 and ($2::boolean is null or (object is not null) = $2) order by id limit ${PAGE}`,
      values: [after, place === null ? null : place === "store"],
    });
    for (const row of rows) yield decodeFile(row);
    if (rows.length < PAGE) return;
    after = String(rows.at(-1)?.id);
  }
}

const decodeFile = (row: Row): NamedFile => ({
  id: String(row.id),
  name: String(row.name),
  size: Number(row.size),
  hash: String(row.hash),
  object: row.object as string | null,
});

export interface MoveResult extends FileCount {
  /** Files that stay where they are, because their bytes are missing or damaged. */
  readonly lost: readonly NamedFile[];
}

/**
 * Moves all files to a place, one by one, while the application is in use. Each file is read back and compared before its
 * bytes leave their old place, so that an interrupted move only has to run again. Throws `ObjectStoreAway`.
 */
export const moveFiles = async (
  places: FilePlaces,
  to: FilePlace,
  moved: (file: NamedFile) => void = () => undefined,
): Promise<MoveResult> => {
  const lost: NamedFile[] = [];
  let [files, bytes] = [0, 0];
  for await (const file of listFiles(places.database, to === "store" ? "database" : "store"))
    try {
      // Somebody else may have deleted or moved it since it was listed.
      if (!(await (to === "store" ? moveToStore(places, file) : moveToDatabase(places, file)))) continue;
      files++;
      bytes += file.size;
      moved(file);
    } catch (error) {
      if (!(error instanceof FileLost)) throw error;
      lost.push(file);
    }
  return { files, bytes, lost };
};

const moveToStore = async ({ database, objects }: FilePlaces, file: NamedFile): Promise<boolean> => {
  if (objects === null) throw new NoObjectStore("NINEFOLD_FILES is not set");
  const object = randomUUID();
  const source = await openFile({ database, objects: null }, file).catch((error: unknown) => {
    // A file that was moved meanwhile has no chunks.
    if (error instanceof NoObjectStore) return undefined;
    throw error;
  });
  if (source === undefined) return false;
  await announceObject(database, object);
  await objects.put(object, compare(source, file));
  try {
    await drain(await openObject(objects, { ...file, object }));
  } catch (error) {
    if (!(error instanceof FileLost)) throw error;
    throw new ObjectStoreAway("the store did not return the bytes that were stored", { cause: error });
  }
  return database.transaction(async (query) => {
    const [row] = await query({
      text: `with used as (delete from ninefold.unused_object where key = $2)
             update ninefold.file set object = $2 where id = $1 and object is null returning id`,
      values: [file.id, object],
    });
    if (row === undefined) return false;
    await query({ text: "delete from ninefold.file_chunk where file = $1", values: [file.id] });
    return true;
  });
};

const moveToDatabase = async ({ database, objects }: FilePlaces, file: NamedFile): Promise<boolean> =>
  database.transaction(async (query) => {
    // The lock makes a second move of the same file wait, and the checksum is compared before anything is committed.
    const [row] = await query({
      text: "update ninefold.file set object = null where id = $1 and object = $2 returning id",
      values: [file.id, file.object],
    });
    if (row === undefined) return false;
    await writeChunks({ query }, file.id, await openFile({ database, objects }, file));
    return true;
  });

/** Reads bytes to their end. */
const drain = async (bytes: AsyncIterable<Buffer>): Promise<void> => {
  const all = bytes[Symbol.asyncIterator]();
  while ((await all.next()).done !== true);
};

/** Passes the bytes of a file on, and throws `FileLost` at their end if they are not those that were stored. */
async function* compare(bytes: AsyncIterable<Buffer>, file: NamedFile): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== file.hash) throw new FileLost(`the bytes of the file ${file.id} are damaged`);
}

export interface CheckResult extends FileCount {
  readonly lost: readonly NamedFile[];
}

/** Reads every file and compares it with its checksum. Throws `ObjectStoreAway`. */
export const checkFiles = async (places: FilePlaces): Promise<CheckResult> => {
  const lost: NamedFile[] = [];
  let [files, bytes] = [0, 0];
  for await (const file of listFiles(places.database, null)) {
    files++;
    bytes += file.size;
    try {
      await drain(compare(await openFile(places, file), file));
    } catch (error) {
      if (!(error instanceof FileLost)) throw error;
      if (await isStored(places.database, file)) lost.push(file);
    }
  }
  return { files, bytes, lost };
};

/** True unless the file was deleted since it was listed. */
const isStored = async (database: Database, { id }: NamedFile): Promise<boolean> =>
  (await database.query({ text: "select from ninefold.file where id = $1", values: [id] })).length > 0;
