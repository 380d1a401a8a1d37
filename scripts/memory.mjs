// The folder for temporary files of tests: databases, data folders, browser profiles.
import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** A folder in memory, where fsync is free; the usual temporary folder if memory is short. */
export const temporaryFolder = () => {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= ENOUGH_BYTES) return memory;
  } catch {
    // macOS has no such folder.
  }
  return tmpdir();
};
