// Where tests put what they throw away: databases, data folders, browser profiles.
import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** A folder in memory, where a disk's fsync costs nothing; the usual temporary folder where memory is short. */
export const temporaryFolder = () => {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= ENOUGH_BYTES) return memory;
  } catch {
    // No such folder: macOS.
  }
  return tmpdir();
};
