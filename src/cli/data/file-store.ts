import type { Database } from "../../postgres/database.ts";
import { countFiles } from "../../server/files/move-files.ts";
import { type ObjectStore, ObjectStoreAway } from "../../storage/object-store.ts";
import { openBucket, parseBucketAddress } from "../../storage/s3-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/** Opens the object store that `NINEFOLD_FILES` names; null if the database keeps the files. Throws a usage error. */
export const openObjectStore = async (environment: typeof process.env): Promise<ObjectStore | null> => {
  const text = environment.NINEFOLD_FILES ?? "";
  if (text === "" || text === "database") return null;
  const address = parseBucketAddress(text);
  if (address === undefined)
    throw new CommandFailed(
      exits.usage,
      `NINEFOLD_FILES is “${text}”, which is not the address of a bucket.`,
      "Write for example s3://desk-files or s3://company/desk.",
    );
  return openBucket(address);
};

/** Describes why files cannot be stored or opened at the moment; null if they can. */
export const describeFileProblem = async (objects: ObjectStore | null, database: Database): Promise<string | null> => {
  if (objects === null) {
    const { store } = await countFiles(database);
    return store.files === 0
      ? null
      : `${store.files} files are in an object store, and can’t be opened: set NINEFOLD_FILES to its address, and start again.`;
  }
  try {
    await objects.check();
    return null;
  } catch (error) {
    if (!(error instanceof ObjectStoreAway)) throw error;
    return `Files can’t be stored in ${objects.address} at the moment (${error.message}). Everything else works.`;
  }
};
