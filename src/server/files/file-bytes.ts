import { createHash } from "node:crypto";
import type { Database } from "../../postgres/database.ts";
import { type ByteRange, NoObjectStore, ObjectMissing, type ObjectStore } from "../../storage/object-store.ts";

/** Where the bytes of files are: in the database, or in the object store if there is one. */
export interface FilePlaces {
  readonly database: Database;
  readonly objects: ObjectStore | null;
}

/** A complete file: its size in bytes, its checksum in hexadecimal, and its key in the object store, if it is there. */
export interface StoredFile {
  readonly id: string;
  readonly size: number;
  readonly hash: string;
  readonly object: string | null;
}

/** Thrown if the bytes of a file are missing, or are not those that were stored. */
export class FileLost extends Error {
  override readonly name = "FileLost";
}

/** All bytes of a file. */
const wholeRange = ({ size }: StoredFile): ByteRange => ({ start: 0, end: size - 1 });

/**
 * Opens a file, or a range of it. Throws `FileLost`, `NoObjectStore` and `ObjectStoreAway`. A file that is read from the
 * object store as a whole is compared with its checksum; the last step then throws `FileLost`.
 */
export const openFile = async (
  places: FilePlaces,
  file: StoredFile,
  range: ByteRange = wholeRange(file),
): Promise<AsyncIterable<Buffer>> => {
  const { object } = file;
  if (object !== null) return openObject(places.objects, { ...file, object }, range);
  const chunks = await readChunkSizes(places.database, file.id);
  const hasAll = chunks.reduce((sum, { bytes }) => sum + bytes, 0) === file.size;
  return hasAll ? readChunks(places, file, chunks, range) : openMoved(places, file, range);
};

/** Like `openFile`, for a file that is in the object store. */
export const openObject = async (
  objects: ObjectStore | null,
  file: StoredFile & { readonly object: string },
  range: ByteRange = wholeRange(file),
): Promise<AsyncIterable<Buffer>> => {
  if (objects === null) throw new NoObjectStore("NINEFOLD_FILES is not set");
  const isWhole = range.start === 0 && range.end === file.size - 1;
  try {
    const bytes = await objects.get(file.object, isWhole ? undefined : range);
    return isWhole ? verify(bytes, file) : bytes;
  } catch (error) {
    throw error instanceof ObjectMissing ? new FileLost(describe(file), { cause: error }) : error;
  }
};

/** Opens a file whose chunks are gone, because it was moved to the object store meanwhile. */
const openMoved = async (places: FilePlaces, file: StoredFile, range: ByteRange): Promise<AsyncIterable<Buffer>> => {
  const [row] = await places.database.query({
    name: "file-moved",
    text: "select object from ninefold.file where id = $1",
    values: [file.id],
  });
  if (typeof row?.object !== "string") throw new FileLost(describe(file));
  return openObject(places.objects, { ...file, object: row.object }, range);
};

interface Chunk {
  readonly number: number;
  readonly bytes: number;
}

const readChunkSizes = async (database: Database, id: string): Promise<readonly Chunk[]> => {
  const rows = await database.query({
    name: "file-sizes",
    text: "select number, octet_length(bytes) as bytes from ninefold.file_chunk where file = $1 order by number",
    values: [id],
  });
  return rows.map(({ number, bytes }) => ({ number: Number(number), bytes: Number(bytes) }));
};

/** The bytes of a range from the database. Continues in the object store if the file is moved while it is read. */
async function* readChunks(
  places: FilePlaces,
  file: StoredFile,
  chunks: readonly Chunk[],
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { number, bytes } of chunks) {
    const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset + 1, bytes)];
    if (from < to) {
      const [row] = await places.database.query({
        name: "file-read",
        text: "select substring(bytes from $3 for $4) as bytes from ninefold.file_chunk where file = $1 and number = $2",
        values: [file.id, number, from + 1, to - from],
      });
      if (!Buffer.isBuffer(row?.bytes)) return yield* await openMoved(places, file, { start: offset + from, end });
      yield row.bytes;
    }
    offset += bytes;
  }
}

/**
 * Passes bytes on, and throws `FileLost` if they are not those of the file. The last ones wait for the comparison, so that
 * the transfer of a damaged file breaks off.
 */
async function* verify(bytes: AsyncIterable<Buffer>, file: StoredFile): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let size = 0;
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    size += chunk.length;
    hash.update(chunk);
    yield last;
    last = chunk;
  }
  if (size !== file.size || hash.digest("hex") !== file.hash) throw new FileLost(describe(file));
  yield last;
}

const describe = ({ id }: StoredFile): string => `the bytes of the file ${id} are missing or damaged`;
