import type { Database } from "../database.ts";
import { readFreeBytes } from "../embedded/free-space.ts";
import { DatabaseRefused } from "../schema/prepare-system.ts";

/** The refusal and advice if the disk has no space for a copy. */
export const NO_DISK_SPACE = [
  "There is not enough disk space for a copy of the database.",
  "Free some space, and try again.",
] as const;

/** Bytes that must stay free in addition to a copy. */
const RESERVE = 64 * 1024 * 1024;

/**
 * Throws `DatabaseRefused` if a copy of the database does not fit on the disk of `folder`, because Postgres stops for
 * everybody when its disk is full. The copy is written twice: to its tables and to the log. `folder` is null if the
 * disk of the database is unknown; then Postgres itself refuses a copy that does not fit.
 */
export const checkDiskSpace = async (
  owner: Pick<Database, "query">,
  folder: string | null,
  readFree = readFreeBytes,
): Promise<void> => {
  if (folder === null) return;
  const [row] = await owner.query({
    // A copy has all files in its database.
    text: `select (pg_database_size(current_database()) + (select coalesce(sum(size), 0) from ninefold.file where object is not null))::text as size`,
    values: [],
  });
  if ((await readFree(folder)) < 2 * Number(row?.size) + RESERVE) throw new DatabaseRefused(...NO_DISK_SPACE);
};
