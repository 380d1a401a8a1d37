import { statfs } from "node:fs/promises";

/** Bytes that are free on the disk of a folder. */
export const readFreeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/**
 * Minimum free disk space in megabytes. A job stops below it, because Postgres stops for everybody when its disk is
 * full.
 */
export const LEAST_MEGABYTES = 48;

/** True if a job should stop before it fills the disk of a folder. */
export const isAlmostFull = async (folder: string): Promise<boolean> =>
  (await readFreeBytes(folder)) < LEAST_MEGABYTES * 1024 * 1024;
