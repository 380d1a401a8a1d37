import type { Database } from "../database.ts";
import { readFreeBytes } from "../embedded/free-space.ts";
import { CopyRefused } from "./copy-refused.ts";

/** Bytes that must stay free in addition to a copy. */
const RESERVE = 64 * 1024 * 1024;

/**
 * Throws `CopyRefused` if a copy of the database does not fit on the disk of `folder`, because Postgres stops for
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
  if ((await readFree(folder)) < 2 * Number(row?.size) + RESERVE) throw new CopyRefused("preview.full");
};
