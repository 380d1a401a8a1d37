import type { OutsideFile, ReadOutside } from "../../postgres/backup/backup.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { FileLost, openObject } from "./file-bytes.ts";
import { gatherChunks } from "./file-store.ts";

/**
 * Reads files from the object store for a copy of the database. A lost file is reported, and the copy has it without
 * its bytes, or with those before the damage.
 */
export const readFromObjects =
  (objects: ObjectStore, lost: (file: OutsideFile) => void = () => undefined): ReadOutside =>
  async (file) => {
    try {
      return gatherChunks(untilLost(await openObject(objects, file), () => lost(file)));
    } catch (error) {
      if (!(error instanceof FileLost)) throw error;
      lost(file);
      return undefined;
    }
  };

async function* untilLost(bytes: AsyncIterable<Buffer>, lost: () => void): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof FileLost)) throw error;
    lost();
  }
}

/** Stands in for the bytes of each file, for a copy that masks them. */
export const readPlaceholder: ReadOutside = async () => placeholder();

async function* placeholder(): AsyncGenerator<Buffer> {
  yield Buffer.from("-");
}
